// SPDX-License-Identifier: Apache-2.0
#include "trace/filled.h"
#include "trace/text.h"
#include "trace/trace.h"

#include <QTest>

using namespace lockscope;
using trace::readable;

class TestText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void namesAreReadable_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("ascii") << QByteArray("orders:42") << QStringLiteral("orders:42");
        QTest::newRow("markup") << QByteArray("h:<b>x</b>") << QStringLiteral("h:<b>x</b>");
        QTest::newRow("utf-8") << QByteArray("订单") << QString::fromUtf8("订单");
        QTest::newRow("newline") << QByteArray("a\nb") << QStringLiteral("a\\x0ab");
        QTest::newRow("escape") << QByteArray("h:lit\x1b") << QStringLiteral("h:lit\\x1b");
        QTest::newRow("delete") << QByteArray("a\x7f") << QStringLiteral("a\\x7f");
        QTest::newRow("backslash") << QByteArray("h:lit\\x1b") << QStringLiteral("h:lit\\\\x1b");
        QTest::newRow("nul") << QByteArray("a\0b", 3) << QStringLiteral("a\\x00b");
        QTest::newRow("right to left") << QByteArray("a\u202eb") << QStringLiteral("a\\u202eb");
        QTest::newRow("zero width") << QByteArray("a\u200bb") << QStringLiteral("a\\u200bb");
        QTest::newRow("C1 in UTF-8") << QByteArray("a\u009b31m") << QStringLiteral("a\\u009b31m");
        QTest::newRow("C1 as a byte") << QByteArray("a\x9b"
                                                    "31m")
                                      << QStringLiteral("a\\x9b31m");
        QTest::newRow("no-break space") << QByteArray("a\u00a0b") << QStringLiteral("a\\u00a0b");
        QTest::newRow("space at the end") << QByteArray("a b ") << QStringLiteral("a b\\x20");
        QTest::newRow("tag character") << QByteArray("a\U000e0041") << QStringLiteral("a\\U000e0041");
        QTest::newRow("binary") << QByteArray("\xff\x01z") << QStringLiteral("\\xff\\x01z");
        QTest::newRow("cut utf-8") << QByteArray("\xe8\xae") << QStringLiteral("\\xe8\\xae");
        QTest::newRow("binary with backslash") << QByteArray("\xff\\xff") << QStringLiteral("\\xff\\\\xff");
    }
    void namesAreReadable() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, text);
        QCOMPARE(readable(bytes), text);
    }

    void differentNamesNeverLookAlike() {
        // All names of up to three pieces that could imitate one another.
        const QList<QByteArray> pieces{"",     "\\",   "x1b",   "\x1b",   " ",      "a",       "\xc2",   "\x85",
                                       "\xff", "\\\\", "u0085", "\u0085", "\u200b", "\\u200b", "\u3000", "\n"};
        QHash<QString, QByteArray> seen;
        for (const QByteArray& a : pieces)
            for (const QByteArray& b : pieces)
                for (const QByteArray& c : pieces) {
                    const QByteArray name = a + b + c;
                    const QString text = readable(name);
                    QVERIFY2(seen.value(text, name) == name,
                             (name.toHex() + " and " + seen.value(text).toHex() + " both read " + text.toUtf8())
                                 .constData());
                    seen.insert(text, name);
                }
        QVERIFY(seen.size() > 1000);
    }

    void whatATraceCallsThingsIsReadable() {
        trace::Trace trace;
        const auto client = trace.intern(trace::EntityKind::Client, "A\n");
        const auto thread = trace.intern(trace::EntityKind::Thread, "1\u202e", client);
        const auto node = trace.intern(trace::EntityKind::Node, "h\\1");
        const auto link = trace.intern(trace::EntityKind::Link, "", client, node);
        QCOMPARE(trace.displayName(client), QStringLiteral("A\\x0a"));
        QCOMPARE(trace.displayName(thread), QStringLiteral("A\\x0a · 1\\u202e"));
        QCOMPARE(trace.displayName(link), QStringLiteral("A\\x0a ↔ h\\\\1"));
        QCOMPARE(trace.displayName(trace.intern(trace::EntityKind::Lock, "", node)), QStringLiteral("(empty)"));
        // A sentence keeps its backslashes: what it quotes is escaped already.
        QCOMPARE(trace.displayName(trace.text("SET \"a\\x00\"\nlock held by B")),
                 QStringLiteral("SET \"a\\x00\"\\x0alock held by B"));
    }

    void chineseHasNoSpaceAmongItsOwn_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const char* pattern, const QStringList& arguments, const char* text) {
            QTest::newRow(name) << QString::fromUtf8(pattern) << arguments << QString::fromUtf8(text);
        };
        row("a name before", "%1 在等待", {u"A"_qs}, "A 在等待");
        row("words before", "%1 在等待", {u"99 个客户端"_qs}, "99 个客户端在等待");
        row("a name after", "%1，由 %2", {u"x"_qs, u"redis-1"_qs}, "x，由 redis-1");
        row("words after", "因此 %1", {u"它"_qs}, "因此它");
        row("both sides", "由 %1 持有", {u"某客户端"_qs}, "由某客户端持有");
        row("its own spaces stay", "由 %1 持有", {u"订单 库存"_qs}, "由订单 库存持有");
        row("beside Latin letters", "of %1 in %2", {u"订单"_qs, u"b"_qs}, "of 订单 in b");
        row("a place in an argument", "%1, so %2", {u"100%2"_qs, u"b"_qs}, "100%2, so b");
        row("no such place", "%1 of %3 %", {u"a"_qs}, "a of %3 %");
        row("nothing", "由 %1 持有", {QString()}, "由  持有");
    }
    void chineseHasNoSpaceAmongItsOwn() {
        QFETCH(QString, pattern);
        QFETCH(QStringList, arguments);
        QFETCH(QString, text);
        QCOMPARE(trace::filled(pattern, arguments), text);
    }
};

QTEST_GUILESS_MAIN(TestText)
#include "tst_text.moc"
