// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/mnemonic.h"
#include "transport/command_words.h"

#include <QAction>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;

namespace {

CommandWords command(const char* id, const char* text, const char* group) {
    QAction action;
    action.setObjectName(QLatin1String(id));
    action.setText(QString::fromUtf8(text));
    action.setProperty("group", QString::fromUtf8(group));
    return wordsOf(action);
}

} // namespace

class TestCommandWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void mnemonicsAreNotPartOfAName_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("plain");
        QTest::newRow("none") << u"Play"_qs << u"Play"_qs;
        QTest::newRow("inside") << u"Save as &scenario…"_qs << u"Save as scenario…"_qs;
        QTest::newRow("in brackets") << u"打开录制或场景(&O)…"_qs << u"打开录制或场景…"_qs;
        QTest::newRow("in wide brackets") << u"播放（&P）"_qs << u"播放"_qs;
        QTest::newRow("ampersand") << u"A && B"_qs << u"A & B"_qs;
    }
    void mnemonicsAreNotPartOfAName() {
        QFETCH(QString, text);
        QFETCH(QString, plain);
        QCOMPARE(withoutMnemonic(text), plain);
    }

    void commandsAreFoundByOtherWords_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("id");
        QTest::newRow("zoom") << u"zoom"_qs << u"timeline.zoom-in"_qs;
        QTest::newRow("export") << u"export"_qs << u"file.record"_qs;
        QTest::newRow("partition") << u"partition"_qs << u"break.cut-link"_qs;
        QTest::newRow("gc") << u"gc"_qs << u"scenario.gc-pause"_qs;
        QTest::newRow("English in Chinese") << u"pause client"_qs << u"break.pause-client"_qs;
        QTest::newRow("Chinese") << u"分区"_qs << u"break.cut-link"_qs;
        QTest::newRow("a kind of server") << u"mysql"_qs << u"session.connect"_qs;
        QTest::newRow("evidence") << u"evidence"_qs << u"share.save-picture"_qs;
        QTest::newRow("a language") << u"chinese"_qs << u"language.zh_CN"_qs;
    }
    void commandsAreFoundByOtherWords() {
        QFETCH(QString, typed);
        QFETCH(QString, id);
        QVERIFY(matchOf(typed, command(qPrintable(id), "暂停客户端(&P)", "故障")) >= CommandMatch::Also);
        QCOMPARE(matchOf(typed, command("file.quit", "&Quit", "File")), CommandMatch::None);
    }

    void aLanguageIsFoundByItsOwnNameOnly() {
        QCOMPARE(matchOf(u"chinese"_qs, command("language.en", "English", "Language")), CommandMatch::None);
        QVERIFY(matchOf(u"english"_qs, command("language.en", "English", "Language")) != CommandMatch::None);
    }

    void timesAreReadAsPeopleWriteThem_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<qint64>("ms");
        QTest::newRow("as in files") << u"6.8s"_qs << qint64(6800);
        QTest::newRow("with spaces") << u" 1 m 20 s"_qs << qint64(80'000);
        QTest::newRow("Chinese") << u"12 秒"_qs << qint64(12'000);
        QTest::newRow("Chinese, two units") << u"1分20秒"_qs << qint64(80'000);
        QTest::newRow("Chinese milliseconds") << u"250毫秒"_qs << qint64(250);
        QTest::newRow("the clock") << u"00:06.400"_qs << qint64(6400);
        QTest::newRow("the clock, minutes") << u"01:20"_qs << qint64(80'000);
        QTest::newRow("a number alone") << u"12"_qs << qint64(-1);
        QTest::newRow("a word") << u"pause"_qs << qint64(-1);
        QTest::newRow("a word behind") << u"12s later"_qs << qint64(-1);
        QTest::newRow("a word before") << u"at 12s"_qs << qint64(-1);
        QTest::newRow("nothing") << QString() << qint64(-1);
    }
    void timesAreReadAsPeopleWriteThem() {
        QFETCH(QString, typed);
        QFETCH(qint64, ms);
        const auto time = timeTyped(typed);
        QCOMPARE(time ? time->count() / 1'000'000 : -1, ms);
    }

    void anInstantIsAskedForInWords() {
        QCOMPARE(instantAskedFor(u"go to 12"_qs), std::optional<Nanos>(12s));
        QCOMPARE(instantAskedFor(u"Go to 1 m 20 s"_qs), std::optional<Nanos>(80s));
        QCOMPARE(instantAskedFor(u"跳到 12.5"_qs), std::optional<Nanos>(12500ms));
        QVERIFY(!instantAskedFor(u"go to the next violation"_qs));
        QVERIFY(!instantAskedFor(u"12"_qs));
    }

    void aSpeedIsReadAsItIsShown() {
        QCOMPARE(speedTyped(u"10x"_qs), std::optional<double>(10));
        QCOMPARE(speedTyped(u"0.5 ×"_qs), std::optional<double>(0.5));
        QCOMPARE(speedTyped(u"10倍速"_qs), std::optional<double>(10));
        QVERIFY(!speedTyped(u"10"_qs) && !speedTyped(u"0x"_qs) && !speedTyped(u"x"_qs));
    }

    void anExactIdIsMeant() {
        const CommandWords story = command("scenario.crash-holder", "The holder crashes", "Scenario");
        QCOMPARE(matchOf(u"crash-holder"_qs, story), CommandMatch::Equal);
        QVERIFY(matchOf(u"crash-holder"_qs, command("break.kill-client", "Kill client", "Break")) <
                CommandMatch::Equal);
        QVERIFY(matchOf(u"crash"_qs, story) < CommandMatch::Equal);
    }

    void littleWordsDoNotMatter() {
        QCOMPARE(withoutLittleWords(u"what is a lease"_qs), u"lease"_qs);
        QCOMPARE(withoutLittleWords(u"how do I pause the client A"_qs), u"pause client A"_qs);
        QCOMPARE(withoutLittleWords(u"what is this"_qs), u"what is this"_qs);
        const CommandWords client = command("break.pause-client", "Pause client", "Break");
        QVERIFY(matchOf(u"how do i pause a client"_qs, client) >= CommandMatch::Words);
        QVERIFY(matchOf(u"paused clients"_qs, client) >= CommandMatch::Words);
        QCOMPARE(matchOf(u"client Q"_qs, client), CommandMatch::None);
        const CommandWords cut = command("break.cut-link", "断开链路", "故障");
        QVERIFY(matchOf(u"网络分区"_qs, cut) >= CommandMatch::Also);
        QCOMPARE(matchOf(u"网络狮子"_qs, cut), CommandMatch::None);
    }

    void betterMatchesComeFirst() {
        const CommandWords client = command("break.pause-client", "Pause client", "Break");
        QCOMPARE(matchOf(u"pause client"_qs, client), CommandMatch::Equal);
        QCOMPARE(matchOf(u"pause"_qs, client), CommandMatch::Begins);
        QCOMPARE(matchOf(u"cli"_qs, client), CommandMatch::Words);
        QCOMPARE(matchOf(u"freeze"_qs, client), CommandMatch::Also);
        QCOMPARE(matchOf(u"pcl"_qs, client), CommandMatch::Letters);
        // An id names it in a language that has another word for it.
        QCOMPARE(matchOf(u"lease"_qs, CommandWords{u"租约"_qs, u"设置"_qs, u"lease ttl"_qs}), CommandMatch::Begins);
        QCOMPARE(matchOf(u"zebra"_qs, client), CommandMatch::None);
    }
};

QTEST_MAIN(TestCommandWords)
#include "tst_command_words.moc"
