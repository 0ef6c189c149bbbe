// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario.h"

#include <QTest>
#include <random>

using namespace lockscope;
using namespace lockscope::scenario;

class tst_duration : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("nanos");
        const auto row = [](const char* text, Nanos nanos) {
            QTest::newRow(text) << QString::fromUtf8(text) << qint64(nanos.count());
        };
        row("5s", 5s);
        row("1.5 s", 1500ms);
        row("250ms", 250ms);
        row("2m", 2min);
        row("3h", 3h);
        row("150us", 150us);
        row("10ns", 10ns);
        row("0s", 0ns);
        row("-250ms", -250ms);
        row("0.000000001s", 1ns);
        row("1.000000001s", 1s + 1ns);
        row("00005s", 5s);
        row("9223372036854775807ns", Nanos::max());
        row("-9223372036854775808ns", Nanos::min());
        row("2562047h", 2562047h);
    }
    void reads() {
        QFETCH(QString, text);
        QFETCH(qint64, nanos);
        const auto parsed = parseDuration(text);
        QVERIFY(parsed.has_value());
        QCOMPARE(qint64(parsed->count()), nanos);
    }

    void refuses_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"",
                                 "5",
                                 "s",
                                 "5 x",
                                 "5ss",
                                 "five s",
                                 ".5s",
                                 "5.s",
                                 "1.2.3s",
                                 "--5s",
                                 "+5s",
                                 "5S",
                                 "1e3s",
                                 "0.5ns",
                                 "1.0000000001s",
                                 "9223372036854775808ns",
                                 "2562048h",
                                 "5s5",
                                 "99999999999999999999999999999999999999999999h",
                                 "\xD9\xA5s"}) {
            QTest::newRow(text) << QString::fromUtf8(text);
        }
    }
    void refuses() {
        QFETCH(QString, text);
        QVERIFY(!parseDuration(text).has_value());
    }

    void writesWhatPeopleRead_data() {
        QTest::addColumn<qint64>("nanos");
        QTest::addColumn<QString>("text");
        const auto row = [](Nanos nanos, const char* text) {
            QTest::newRow(text) << qint64(nanos.count()) << QString::fromUtf8(text);
        };
        row(0s, "0s");
        row(5s, "5s");
        row(1500ms, "1.5s");
        row(250ms, "250ms");
        row(100us, "100us");
        row(60s, "1m");
        row(90s, "90s");
        row(1h, "1h");
        row(90min, "90m");
        row(-2s, "-2s");
        row(1s + 1ns, "1.000000001s");
        row(9345ms, "9.345s");
        row(15'194'341'338ns, "15.194341338s"); // and not 0.2532390223m
        row(61s, "61s");
        row(100ms, "100ms");
        row(307'500ns, "307.5us");
        row(7ns, "7ns");
        row(-1500us, "-1.5ms");
    }
    void writesWhatPeopleRead() {
        QFETCH(qint64, nanos);
        QFETCH(QString, text);
        QCOMPARE(formatDuration(Nanos(nanos)), text);
    }

    void everyDurationComesBack() {
        std::mt19937_64 random(7);
        for (int i = 0; i < 20000; ++i) {
            const auto nanos = Nanos(static_cast<std::int64_t>(random() >> (random() % 64)) * (random() % 2 ? 1 : -1));
            const QString text = formatDuration(nanos);
            QVERIFY2(parseDuration(text) == nanos, qPrintable(text));
        }
        for (const Nanos extreme : {Nanos::min(), Nanos::max(), Nanos(-1), Nanos(1)}) {
            QVERIFY(parseDuration(formatDuration(extreme)) == extreme);
        }
    }

    void clientsAreNamedLikeColumns() {
        QCOMPARE(clientName(0), QStringLiteral("A"));
        QCOMPARE(clientName(25), QStringLiteral("Z"));
        QCOMPARE(clientName(26), QStringLiteral("AA"));
        QCOMPARE(clientName(51), QStringLiteral("AZ"));
        QCOMPARE(clientName(52), QStringLiteral("BA"));
        QSet<QString> names;
        for (int i = 0; i < 200; ++i)
            names += clientName(i);
        QCOMPARE(names.size(), 200);
    }

    void actionsHaveIds() {
        for (int i = 0; i <= int(Action::Set); ++i)
            QVERIFY(actionFromId(actionId(Action(i))) == Action(i));
        QVERIFY(!actionFromId("explode").has_value());
    }
};

QTEST_APPLESS_MAIN(tst_duration)
#include "tst_duration.moc"
