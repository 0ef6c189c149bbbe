// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

using namespace lockscope::tests;

class tst_cli_simulate : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theReadmeShowsWhatItReallyPrints() {
        QFile readme(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/README.md"));
        QVERIFY(readme.open(QIODevice::ReadOnly));
        const QByteArray text = readme.readAll();
        const QByteArray prompt = "$ lockscope simulate gc-pause --recipe redis-set --seed 42\n";
        const qsizetype start = text.indexOf(prompt);
        QVERIFY(start > 0);
        const QByteArray shown = text.mid(start + prompt.size(), text.indexOf("\n\n", start) - start - prompt.size());
        const Ran ran = program("simulate gc-pause --recipe redis-set --seed 42");
        QVERIFY2(ran.status == 1, ran.told());
        QVERIFY2(shown == ran.out.trimmed(), "put this into README.md:\n" + ran.out);
    }

    void oneIsNotSeveral() {
        const Ran ran = program("simulate contention --until 1s");
        QVERIFY2(ran.status == 0 && ran.out.contains("\n  1 acquisition, 41 events, digest "), ran.told());
    }

    /// Nothing is said until the end of a run: what it will cost comes before.
    void aRunOfHoursIsToldBefore() {
        const Ran hour = program("simulate contention --until 61m --json");
        QVERIFY2(hour.status == 0 && hour.err.contains("1 h 01 m of virtual time: about 0."), hour.told());
        QCOMPARE(hour.err.count('\n'), 1);
        const double told = hour.err.mid(hour.err.indexOf("about ") + 6).split(' ').first().toDouble() * 1e6;
        const double events = hour.object()[u"events"].toDouble();
        QVERIFY2(told > events / 2 && told < events * 2, hour.told());
        const Ran minutes = program("simulate contention --until 2m --json");
        QVERIFY2(minutes.status == 0 && minutes.err.isEmpty(), minutes.told());
    }

    void oneRunIsOneObject() {
        const Ran ran = program("simulate gc-pause --recipe redis-set --seed 7 --json");
        QVERIFY2(ran.status == 1 && ran.err.isEmpty(), ran.told());
        QCOMPARE(ran.out.trimmed().count('\n'), 0);
        const QJsonObject run = ran.object();
        QCOMPARE(run[u"scenario"], QJsonValue(QStringLiteral("gc-pause")));
        QCOMPARE(run[u"recipe"], QJsonValue(QStringLiteral("redis-set")));
        QCOMPARE(run[u"seed"], QJsonValue(7));
        QCOMPARE(run[u"until_ms"], QJsonValue(30000));
        QVERIFY(run[u"events"].toInt() > 100);
        QVERIFY(run[u"acquisitions"].toInt() >= 4);
        QCOMPARE(run[u"digest"].toString().size(), 32);
        const QJsonArray violations = run[u"violations"].toArray();
        QVERIFY(!violations.isEmpty());
        QSet<QString> invariants;
        for (const QJsonValue& violation : violations) {
            invariants += violation[u"invariant"].toString();
            QCOMPARE(violation[u"lock"].toString(), QStringLiteral("orders"));
            QVERIFY(violation[u"from_ms"].toDouble() <= violation[u"to_ms"].toDouble());
            QVERIFY(!violation[u"actors"].toArray().isEmpty());
            QVERIFY(violation[u"actors"].toArray()[0].toString().size() == 1);
            QVERIFY(!violation[u"explain"].toString().isEmpty());
        }
        QCOMPARE(invariants, (QSet<QString>{QStringLiteral("mutual-exclusion"), QStringLiteral("stale-write")}));
    }

    void aRecipeThatDoesNotFitIsNotCalledUnknown() {
        const Ran listed = program("simulate contention --recipe sql-version");
        QVERIFY2(listed.status == 2 && listed.err.contains("sql-version") && listed.err.contains("does not fit") &&
                     !listed.err.contains("no recipe"),
                 listed.told());
        const Ran unknown = program("simulate contention --recipe etcd-laese");
        QVERIFY2(unknown.status == 2 && unknown.err.contains("no recipe"), unknown.told());
    }

    void theFieldsStandInTheOrderOfTheContract() {
        const QByteArray out = program("simulate contention --json").out;
        qsizetype at = 0;
        for (const char* field : {"scenario", "recipe", "seed", "until_ms", "events", "acquisitions", "digest",
                                  "invariants", "violations", "starved"}) {
            const qsizetype found = out.indexOf('"' + QByteArray(field) + "\":");
            QVERIFY2(found >= at, field);
            at = found;
        }
    }

    void whatHoldsExitsWithZero() {
        const Ran ran = program("simulate contention --json");
        QVERIFY2(ran.status == 0, ran.told());
        QCOMPARE(ran.object()[u"violations"].toArray().size(), 0);
        QCOMPARE(ran.object()[u"seed"], QJsonValue(1));
    }

    void equalSeedsGiveEqualBytes() {
        const Ran first = program("simulate gc-pause --seeds 1..40 --json");
        const Ran second = program("simulate gc-pause --seeds 1..40 --json");
        QCOMPARE(first.status, 1);
        QCOMPARE(first.out, second.out);
        const auto one = program("simulate gc-pause --seed 23 --json").object();
        QCOMPARE(first.objects().at(22), one);
    }

    void manySeedsComeInOrderWithASum() {
        const Ran ran = program("simulate gc-pause --seeds 11..60 --json");
        QCOMPARE(ran.status, 1);
        const auto lines = ran.objects();
        QCOMPARE(lines.size(), std::size_t(51));
        QSet<QString> digests;
        for (int i = 0; i < 50; ++i) {
            QCOMPARE(lines[std::size_t(i)][u"seed"].toInt(), 11 + i);
            digests += lines[std::size_t(i)][u"digest"].toString();
        }
        QCOMPARE(digests.size(), 50);
        QCOMPARE(lines.back(), (QJsonObject{{u"runs"_qs, 50},
                                            {u"violated"_qs, 50},
                                            {u"first_violating_seed"_qs, 11},
                                            {u"unknown"_qs, 0},
                                            {u"starved"_qs, 0}}));
    }

    void noViolationIsNull() {
        const Ran ran = program("simulate contention --seeds 1..20 --json");
        QVERIFY2(ran.status == 0, ran.told());
        QCOMPARE(ran.objects().back(), (QJsonObject{{u"runs"_qs, 20},
                                                    {u"violated"_qs, 0},
                                                    {u"first_violating_seed"_qs, QJsonValue::Null},
                                                    {u"unknown"_qs, 0},
                                                    {u"starved"_qs, 0}}));
    }

    void aWaiterThatStarvesIsTold() {
        const Ran ran = program("simulate rw-writer-starvation --json");
        QVERIFY2(ran.status == 0, ran.told()); // no invariant is violated
        const QJsonArray starved = ran.object()[u"starved"].toArray();
        QCOMPARE(starved.size(), 1);
        QCOMPARE(starved[0][u"actor"], QJsonValue(QStringLiteral("G")));
        QCOMPARE(starved[0][u"lock"], QJsonValue(QStringLiteral("orders")));
        QCOMPARE(starved[0][u"to_ms"], QJsonValue(40'000));
        QVERIFY(starved[0][u"overtaken"].toInt() > 30);
        const Ran told = program("simulate rw-writer-starvation");
        QVERIFY2(told.out.contains("starvation         SEEN\n      G asked for orders at "), told.told());
        const Ran many = program("simulate rw-writer-starvation --seeds 1..3");
        QVERIFY2(many.out.contains("seed 2: holds; G starves: it has waited "), many.told());
        QVERIFY2(many.out.contains("3 runs, none violated; a waiter starves in 3"), many.told());
        const Ran fair = program("simulate rw-writer-starvation --recipe zk-rw --json");
        QVERIFY2(fair.status == 0 && fair.object()[u"starved"].toArray().isEmpty(), fair.told());
    }

    void whatNobodyCanKnowIsSaid() {
        // Nobody has asked for the lock by then.
        const Ran one = program("simulate contention --until 100ms --json");
        QCOMPARE(one.status, 4);
        const QJsonObject invariants = one.object()[u"invariants"].toObject();
        QCOMPARE(invariants.size(), 8);
        QCOMPARE(invariants[u"mutual-exclusion"], QJsonValue(QStringLiteral("unknown")));
        const Ran many = program("simulate contention --until 100ms --seeds 1..3 --json");
        QCOMPARE(many.status, 4);
        QCOMPARE(many.objects().back()[u"unknown"], QJsonValue(3));
        const Ran plain = program("simulate contention --until 100ms --seeds 1..3");
        QVERIFY2(plain.out.contains("3 runs, none violated; 3 unknown"), plain.told());
        const QJsonObject violated = program("simulate gc-pause --json").object()[u"invariants"].toObject();
        QCOMPARE(violated[u"mutual-exclusion"], QJsonValue(QStringLiteral("violated")));
        QCOMPARE(violated[u"ownership"], QJsonValue(QStringLiteral("holds")));
    }

    void theGreatestSeedsAreExact() {
        const Ran ran =
            program("simulate contention --until 5s --seeds 18446744073709551614..18446744073709551615 --json");
        QCOMPARE(ran.status, 0);
        QVERIFY2(ran.out.contains("\"seed\": 18446744073709551615,"), ran.told());
        QVERIFY2(ran.out.contains("\"runs\": 2,"), ran.told());
    }

    void untilCutsTheRun() {
        const Ran ran = program("simulate gc-pause --until 1500ms --json");
        QVERIFY2(ran.status == 0, ran.told()); // nothing has gone wrong by then
        QCOMPARE(ran.object()[u"until_ms"], QJsonValue(1500));
    }

    void peopleGetSentences() {
        const Ran ran = program("simulate gc-pause");
        QCOMPARE(ran.status, 1);
        QVERIFY2(ran.out.contains("mutual-exclusion   VIOLATED") && ran.out.contains("ownership          holds"),
                 ran.told());
    }

    void aFileIsAScenarioToo() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("mine.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"lockscope": 1, "id": "mine", "title": "Mine", "until": "20s", "clients": {"count": 2}})");
        file.close();
        const Ran ran = program({QStringLiteral("simulate"), path, QStringLiteral("--json")});
        QVERIFY2(ran.status == 0, ran.told());
        QCOMPARE(ran.object()[u"scenario"], QJsonValue(QStringLiteral("mine")));
        QVERIFY(ran.object()[u"acquisitions"].toInt() >= 2);
    }

    /// The digest is about what happened, not about who looks at it.
    void theDigestIsTheSameInEveryLanguage() {
        // Holders that lose their lock by their own clock: the trace holds the reason.
        QFile shipped(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/resources/scenarios/partition-holder.json"));
        QVERIFY(shipped.open(QIODevice::ReadOnly));
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("honoured.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(shipped.readAll().replace("\"ignored\"", "\"honoured\""));
        file.close();

        const QStringList words{QStringLiteral("simulate"), file.fileName()};
        const auto digestIn = [&](const char* language) {
            QProcessEnvironment environment = plainEnvironment();
            environment.insert(QStringLiteral("LANGUAGE"), QLatin1String(language));
            environment.insert(QStringLiteral("LANG"), QLatin1String(language) + QStringLiteral(".UTF-8"));
            environment.remove(QStringLiteral("LC_ALL"));
            const Ran json = runProgram(kProgram, words + QStringList{QStringLiteral("--json")}, {}, environment);
            return std::pair(json.object()[u"digest"].toString(), runProgram(kProgram, words, {}, environment).out);
        };
        const auto [english, englishText] = digestIn("en_US");
        const auto [chinese, chineseText] = digestIn("zh_CN");
        QVERIFY2(englishText != chineseText, "the program did not speak Chinese, so this shows nothing");
        QCOMPARE(english.size(), 32);
        QCOMPARE(chinese, english);
    }
};

QTEST_GUILESS_MAIN(tst_cli_simulate)
#include "tst_cli_simulate.moc"
