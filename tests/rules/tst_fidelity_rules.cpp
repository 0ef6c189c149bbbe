// SPDX-License-Identifier: Apache-2.0
// Every behaviour of the real servers in core/sim/FIDELITY.md is either shown by a test that bears its number, or
// stands in core/sim/SIMPLIFICATIONS.md.
#include "source_tree.h"

#include <QRegularExpression>
#include <QTest>
#include <set>

using namespace lockscope::rules;

namespace {

/// R, Z, E, Q or M and a number, which a function's name may write with a leading zero.
const QString kNumber = QStringLiteral("([RZEQM])0*([1-9][0-9]*)");

QString textOf(const QString& file) {
    for (const SourceFile& one : filesBelow({QStringLiteral("core/sim")}, {file}))
        return one.lines.join(QLatin1Char('\n'));
    return {};
}

/// All numbers in a text, each after `before` and followed by `after`.
std::set<QString> numbersIn(const QString& text, const QString& before, const QString& after) {
    const QRegularExpression number(before + kNumber + after, QRegularExpression::MultilineOption);
    std::set<QString> all;
    for (auto match = number.globalMatch(text); match.hasNext();) {
        const QRegularExpressionMatch one = match.next();
        all.insert(one.captured(1) + one.captured(2));
    }
    return all;
}

const std::set<QString>& behaviours() {
    static const std::set<QString> all =
        numbersIn(textOf(QStringLiteral("FIDELITY.md")), QStringLiteral("^- "), QStringLiteral("(?= \\S)"));
    return all;
}

/// The numbers that names of test functions bear: Q14_…, or several, as R50_R51_….
std::set<QString> tested() {
    const QRegularExpression function(QStringLiteral("void ((?:[RZEQM][0-9]+_)+)\\w+\\("));
    std::set<QString> all;
    for (const SourceFile& file : filesBelow({QStringLiteral("tests")}, {QStringLiteral("tst_*.cpp")})) {
        for (const QString& line : file.lines) {
            const QRegularExpressionMatch match = function.match(line);
            if (match.hasMatch()) all.merge(numbersIn(match.captured(1), QString(), QStringLiteral("(?=_)")));
        }
    }
    return all;
}

QStringList without(const std::set<QString>& some, const std::set<QString>& others) {
    QStringList rest;
    for (const QString& one : some)
        if (!others.contains(one)) rest += one;
    return rest;
}

/// A list in the shape that both languages share: its headings, and the numbers and code words that each item has.
struct Outline {
    QStringList kinds;                    ///< "## " or "- ", in the order of the file
    std::vector<std::set<QString>> facts; ///< of each
};

Outline outlineOf(const QString& file) {
    static const QRegularExpression kCode(QStringLiteral("`[^`]+`"));
    Outline outline;
    QStringList items;
    for (const QString& line : textOf(file).split(QLatin1Char('\n'))) {
        const QString kind = line.left(line.indexOf(QLatin1Char(' ')) + 1);
        if (kind == QLatin1String("## ") || kind == QLatin1String("- ")) {
            outline.kinds += kind;
            items += line;
        } else if (!items.isEmpty()) {
            items.back() += QLatin1Char(' ') + line;
        }
    }
    for (const QString& item : std::as_const(items)) {
        std::set<QString> facts =
            numbersIn(item, QStringLiteral("(?<![A-Za-z0-9])"), QStringLiteral("(?![A-Za-z0-9])"));
        for (auto code = kCode.globalMatch(item); code.hasNext();)
            facts.insert(code.next().captured());
        outline.facts.push_back(std::move(facts));
    }
    return outline;
}

} // namespace

class tst_fidelity_rules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theListHasEveryKind() {
        for (const char* kind : {"R", "Z", "E", "Q", "M"}) {
            const auto count = std::ranges::count_if(
                behaviours(), [kind](const QString& one) { return one.startsWith(QLatin1String(kind)); });
            QVERIFY2(count > 10, kind);
            // No number is left out, so that none is forgotten.
            for (int i = 1; i <= count; ++i)
                QVERIFY2(behaviours().contains(QLatin1String(kind) + QString::number(i)), kind);
        }
    }

    void eachBehaviourIsTestedOrListedAsLeftOut() {
        std::set<QString> known = tested();
        known.merge(
            numbersIn(textOf(QStringLiteral("SIMPLIFICATIONS.md")), QStringLiteral("\\b"), QStringLiteral("\\b")));
        const QStringList missing = without(behaviours(), known);
        QVERIFY2(missing.isEmpty(),
                 qPrintable(QStringLiteral("neither a test bears the number nor does SIMPLIFICATIONS.md name it: ") +
                            missing.join(u", ")));
    }

    /// The Chinese list has each part and each item of the English one, in its order, with its numbers and its code.
    void theListOfSimplificationsIsWholeInChinese() {
        const Outline english = outlineOf(QStringLiteral("SIMPLIFICATIONS.md"));
        const Outline chinese = outlineOf(QStringLiteral("SIMPLIFICATIONS.zh_CN.md"));
        QVERIFY(english.kinds.size() > 80);
        QCOMPARE(chinese.kinds.size(), english.kinds.size());
        for (int i = 0; i < english.kinds.size(); ++i) {
            const QString where = QStringLiteral("heading or item %1").arg(i + 1);
            QVERIFY2(chinese.kinds[i] == english.kinds[i], qPrintable(where));
            const QStringList missing = without(english.facts[std::size_t(i)], chinese.facts[std::size_t(i)]);
            QVERIFY2(missing.isEmpty(), qPrintable(where + QStringLiteral(" lacks ") + missing.join(u", ")));
            const QStringList more = without(chinese.facts[std::size_t(i)], english.facts[std::size_t(i)]);
            QVERIFY2(more.isEmpty(), qPrintable(where + QStringLiteral(" has too much: ") + more.join(u", ")));
        }
    }

    void eachNumberStandsInTheList() {
        std::set<QString> used = tested();
        QVERIFY(used.size() > 100);
        used.merge(
            numbersIn(textOf(QStringLiteral("SIMPLIFICATIONS.md")), QStringLiteral("\\b"), QStringLiteral("\\b")));
        const QStringList unknown = without(used, behaviours());
        QVERIFY2(unknown.isEmpty(), qPrintable(QStringLiteral("not in FIDELITY.md: ") + unknown.join(u", ")));
    }
};

QTEST_APPLESS_MAIN(tst_fidelity_rules)
#include "tst_fidelity_rules.moc"
