// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/statement_text.h"

#include <QRegularExpression>
#include <algorithm>

namespace lockscope::inspect {

namespace {

constexpr char kHidden[] = "\u2026";

/// Reads a statement from its beginning, one part after the other.
class Scanner {
public:
    Scanner(const QByteArray& statement, sql::Language language)
        : m_text(statement),
          m_postgres(language == sql::Language::PostgreSql),
          m_doubleIsName(m_postgres || language == sql::Language::Sqlite) {}

    QByteArray run() {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '\'' || (c == '"' && !m_doubleIsName))
                text(c);
            else if (c == '"' || (c == '`' && !m_postgres))
                name(c);
            else if (!comment() && !dollars())
                take(1);
        }
        return m_out;
    }

private:
    bool startsWith(const char* mark) const { return QByteArrayView(m_text).sliced(m_at).startsWith(mark); }
    void take(qsizetype length) {
        m_out += m_text.mid(m_at, length);
        m_at += length;
    }
    void skipBehind(const QByteArray& mark, qsizetype from) {
        const qsizetype end = m_text.indexOf(mark, from);
        m_at = end < 0 ? m_text.size() : end + mark.size();
    }

    /// Whether the text that begins here names an advisory lock, by itself or by its hash.
    bool namesLock() const {
        static const QRegularExpression kCall(
            QStringLiteral("(?:GET_LOCK|RELEASE_LOCK|IS_(?:USED|FREE)_LOCK|pg_\\w*advisory_\\w*)\\s*\\(\\s*"
                           "(?:hashtext\\w*\\s*\\(\\s*)?$"),
            QRegularExpression::CaseInsensitiveOption);
        return kCall.match(QString::fromUtf8(m_out.last(std::min<qsizetype>(m_out.size(), 80)))).hasMatch();
    }

    void text(char quote) {
        const bool stays = namesLock();
        qsizetype end = m_at + 1;
        bool sure = true; // a backslash escapes a quote in some settings, and in others it does not
        for (; end < m_text.size(); ++end) {
            if (m_text[end] == '\\' && end + 1 < m_text.size() && (m_text[end + 1] == quote || m_text[end + 1] == '\\'))
                sure = false;
            if (m_text[end] != quote) continue;
            if (end + 1 == m_text.size() || m_text[end + 1] != quote) break;
            ++end; // doubled: one of the text's own
        }
        const bool whole = end < m_text.size();
        if (stays && whole && sure) return take(end + 1 - m_at);
        m_out += quote + QByteArray(kHidden) + quote;
        m_at = sure && whole ? end + 1 : m_text.size();
    }

    void name(char quote) {
        const qsizetype end = m_text.indexOf(quote, m_at + 1);
        take((end < 0 ? m_text.size() : end + 1) - m_at);
    }

    bool comment() {
        if (startsWith("--") || (!m_postgres && startsWith("#"))) {
            const qsizetype end = m_text.indexOf('\n', m_at);
            m_at = end < 0 ? m_text.size() : end;
            return true;
        }
        if (!startsWith("/*")) return false;
        int depth = 0; // PostgreSQL's may stand within each other
        do {
            const bool opens = startsWith("/*"), closes = startsWith("*/");
            depth += int(opens) - int(closes);
            m_at += opens || closes ? 2 : 1;
        } while (depth > 0 && m_at < m_text.size());
        return true;
    }

    /// $$…$$ and $tag$…$tag$; $1 is a parameter.
    bool dollars() {
        static const QRegularExpression kTag(QStringLiteral("^\\$(?:[A-Za-z_]\\w*)?\\$"));
        if (!m_postgres || m_text[m_at] != '$') return false;
        const QByteArray tag = kTag.match(QString::fromLatin1(m_text.mid(m_at, 80))).captured().toLatin1();
        if (tag.isEmpty()) return false;
        m_out += QByteArray("'") + kHidden + '\'';
        skipBehind(tag, m_at + tag.size());
        return true;
    }

    const QByteArray& m_text;
    bool m_postgres, m_doubleIsName;
    qsizetype m_at = 0;
    QByteArray m_out;
};

} // namespace

QByteArray lockNameIn(const QByteArray& statement) {
    // The comma tells that the text is all of the name: it may as well be the first word of an expression.
    static const QRegularExpression kCall(
        QStringLiteral("\\bGET_LOCK\\s*\\(\\s*(?:'((?:[^'\\\\]|'')*)'|\"((?:[^\"\\\\]|\"\")*)\")\\s*,"),
        QRegularExpression::CaseInsensitiveOption);
    const auto match = kCall.match(QString::fromUtf8(statement));
    const QString single = match.captured(1).replace(QLatin1String("''"), QLatin1String("'"));
    return (single.isEmpty() ? match.captured(2).replace(QLatin1String("\"\""), QLatin1String("\"")) : single).toUtf8();
}

QByteArray withoutLiterals(const QByteArray& statement, sql::Language language) {
    return Scanner(statement, language).run();
}

} // namespace lockscope::inspect
