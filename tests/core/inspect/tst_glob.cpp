// SPDX-License-Identifier: Apache-2.0
#include "inspect/glob.h"
#include "inspect/watch_options.h"

#include <QTest>

using namespace lockscope::inspect;

/// Names of locks are matched as Redis matches them.
class TestGlob : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void globs_data() {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("matches");
        const auto row = [](const char* pattern, const char* text, bool matches) {
            QTest::addRow("%s ~ %s", pattern, text) << QByteArray(pattern) << QByteArray(text) << matches;
        };
        row("", "", true);
        row("", "a", false);
        row("*", "", true);
        row("*", "anything", true);
        row("a*c", "abbbc", true);
        row("a*c", "abbb", false);
        row("*a*b*", "xxaxxbxx", true);
        row("*aab", "aaaab", true);
        row("a?c", "abc", true);
        row("a?c", "ac", false);
        row("[a-c]x", "bx", true);
        row("[a-c]x", "dx", false);
        row("[c-a]x", "bx", true);
        row("[^a]x", "bx", true);
        row("[^a]x", "ax", false);
        row("[:_.-]x", "-x", true);
        row("\\*", "*", true);
        row("\\*", "a", false);
        row("*Lock", "orderLock", true);
        row("*[:_.-]lock", "block", false);
    }
    void globs() {
        QFETCH(QByteArray, pattern);
        QFETCH(QByteArray, text);
        QFETCH(bool, matches);
        QCOMPARE(globMatches(pattern, text), matches);
    }

    void aPatternWithoutWildcardsIsAName() {
        QCOMPARE(plainTextOf("lock:orders"), QByteArray("lock:orders"));
        QCOMPARE(plainTextOf(R"(App\\Jobs\*)"), QByteArray(R"(App\Jobs*)"));
        QCOMPARE(plainTextOf(R"(end\)"), QByteArray(R"(end\)"));
        for (const char* const several : {"lock:*", "a?", "[ab]"})
            QVERIFY2(!plainTextOf(several), several);
    }

    /// Names of PHP's classes, as users write them, and as the locks are shown.
    void aBackslashBeforeAnOrdinaryCharacterIsOne() {
        for (const char* const pattern : {R"(App\Jobs\Import)", R"(App\\Jobs\\Import)", R"(App\Jobs*)"})
            QVERIFY2(nameFilterFrom(QString::fromLatin1(pattern), {}).wants(R"(App\Jobs\Import)"), pattern);
        QVERIFY(!nameFilterFrom(QStringLiteral(R"(App\Jobs)"), {}).wants("AppJobs"));
        QVERIFY(nameFilterFrom(QStringLiteral(R"(a\*)"), {}).wants("a*"));
        QVERIFY(!nameFilterFrom(QStringLiteral(R"(a\*)"), {}).wants("ab"));
        QVERIFY(nameFilterFrom(QStringLiteral(R"(end\)"), {}).wants(R"(end\)"));
    }
};

QTEST_APPLESS_MAIN(TestGlob)
#include "tst_glob.moc"
