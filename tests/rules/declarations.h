// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "source_tree.h"

#include <QRegularExpression>

namespace lockscope::rules {

/// Reads a header, as far as its functions go, and finds those without a comment: of classes' public parts and of
/// namespaces other than `detail`, unless its classes are bases of public ones. A text scan, which knows this code's
/// layout and not the language.
///
/// A comment stands over a function, or over a group of them without an empty line in between, or behind it. The one
/// over a class speaks for its constructors. Destructors, deleted, defaulted and overriding functions, and
/// await_ready() and its like have their meaning from elsewhere.
class Declarations {
public:
    explicit Declarations(const SourceFile& file)
        : m_file(file), m_detailsArePublic(file.lines.join(QLatin1Char(' ')).contains(u"public detail::"_qs)) {
        for (m_line = 0; m_line < file.lines.size(); ++m_line)
            read(file.lines[m_line]);
    }
    /// "path:line: text" of each.
    const QStringList& undocumented() const { return m_undocumented; }
    /// How many functions were looked at.
    int functions() const { return m_functions; }

private:
    struct Scope {
        enum class Kind : std::uint8_t { Namespace, Class, Body };
        Kind kind = Kind::Body;
        bool open = true;        ///< what is declared here is public
        bool documented = false; ///< of a class: a comment stands over it
        QString name;
    };

    static bool matches(const QString& text, const char* pattern) {
        return QRegularExpression(QString::fromLatin1(pattern)).match(text).hasMatch();
    }
    bool inBody() const { return !m_scopes.empty() && m_scopes.back().kind == Scope::Kind::Body; }

    void read(const QString& line) {
        const QString text = line.trimmed();
        if (!inBody() && m_statement.isEmpty() && isNoCode(text)) return;
        m_trailing = line.contains(QLatin1String("///<"));
        // Without comments and literals.
        QString code = line;
        code.replace(QRegularExpression(QStringLiteral("\"(\\\\.|[^\"\\\\])*\"")), QStringLiteral("\"\""));
        code.replace(QRegularExpression(QStringLiteral("'(\\\\.|[^'\\\\])+'")), QStringLiteral("' '"));
        code.remove(QRegularExpression(QStringLiteral("//.*$")));
        for (const QChar character : code + QLatin1Char(' '))
            read(character);
    }
    /// Empty lines, comments, directives and access specifiers.
    bool isNoCode(const QString& text) {
        if (text.isEmpty() || text.startsWith(QLatin1String("//"))) {
            m_commented = !text.isEmpty();
            return true;
        }
        if (text.startsWith(QLatin1Char('#'))) return true;
        if (!matches(text, "^(public|protected|private)( \\w+)?:$")) return false;
        if (!m_scopes.empty()) m_scopes.back().open = text.startsWith(QLatin1String("public"));
        m_commented = false;
        return true;
    }
    void read(QChar character) {
        if (inBody() && character == QLatin1Char('{')) m_scopes.push_back({});
        if (character == QLatin1Char('}') && (inBody() || m_statement.isEmpty())) {
            if (!inBody()) m_commented = false;
            if (!m_scopes.empty()) m_scopes.pop_back();
            return;
        }
        if (inBody()) return;
        if (m_statement.isEmpty()) {
            if (character == QLatin1Char(' ') || character == QLatin1Char(';')) return;
            m_begin = m_line;
            m_statementCommented = m_commented;
        }
        const bool whole = m_statement.count(QLatin1Char('(')) == m_statement.count(QLatin1Char(')'));
        if (whole && character == QLatin1Char('{')) {
            enter(std::exchange(m_statement, {}).trimmed());
        } else if (whole && character == QLatin1Char(';')) {
            judge(std::exchange(m_statement, {}).trimmed());
        } else {
            m_statement += character;
        }
    }
    void enter(const QString& head) {
        Scope scope;
        if (matches(head, "^(inline )?namespace\\b")) {
            scope.kind = Scope::Kind::Namespace;
            scope.open = m_detailsArePublic || !matches(head, "\\bdetail\\b");
        } else if (matches(head, "^(template *<.*> *)?(class|struct|union)\\b")) {
            scope.kind = Scope::Kind::Class;
            scope.open = !matches(head, "^(template *<.*> *)?class\\b");
            scope.documented = m_statementCommented;
            scope.name = QRegularExpression(QStringLiteral("(?:class|struct|union) (?:\\[\\[\\w+\\]\\] )?(\\w+)"))
                             .match(head)
                             .captured(1);
        } else {
            judge(head);
        }
        if (scope.kind != Scope::Kind::Body) m_commented = false;
        m_scopes.push_back(scope);
    }
    void judge(QString statement) {
        if (std::ranges::any_of(m_scopes, [](const Scope& scope) { return !scope.open; })) return;
        if (matches(statement, "^(using|typedef|friend|static_assert|enum|class|struct|Q_)") ||
            matches(statement, "\\b(concept|static_assert|friend|override)\\b|= (delete|default)$"))
            return;
        // Parameters of templates may be types of functions.
        statement.remove(QRegularExpression(QStringLiteral("decltype\\([^()]*\\)")));
        const QRegularExpression innermost(QStringLiteral("<[^<>]*>"));
        const QString operators = statement;
        if (!matches(operators, "operator *[<>]")) {
            for (qsizetype before = -1; before != statement.size();) {
                before = statement.size();
                statement.remove(innermost);
            }
        }
        const QString head = statement.section(QLatin1Char('('), 0, 0);
        if (!statement.contains(QLatin1Char('(')) ||
            (head.contains(QLatin1Char('=')) && !head.contains(u"operator"_qs)))
            return; // a variable
        const QString name = head.trimmed().section(QRegularExpression(QStringLiteral("[ *&]")), -1);
        if (name.startsWith(QLatin1Char('~')) || name.startsWith(QLatin1String("await_")) || name.contains(u"::"_qs))
            return;
        ++m_functions;
        const bool constructor = !m_scopes.empty() && m_scopes.back().kind == Scope::Kind::Class &&
                                 m_scopes.back().name == name && m_scopes.back().documented;
        if (m_statementCommented || m_trailing || constructor) return;
        m_undocumented +=
            QStringLiteral("%1:%2: %3").arg(m_file.path).arg(m_begin + 1).arg(m_file.lines[m_begin].trimmed());
    }

    const SourceFile& m_file;
    const bool m_detailsArePublic;
    qsizetype m_line = 0, m_begin = 0;
    std::vector<Scope> m_scopes;
    QString m_statement; ///< as far as it was read
    bool m_commented = false, m_statementCommented = false, m_trailing = false;
    QStringList m_undocumented;
    int m_functions = 0;
};

} // namespace lockscope::rules
