// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include <QDir>
#include <QTemporaryDir>

using namespace lockscope::tests;

class tst_cli_usage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void helpAndVersionAreData_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("contains");
        QTest::newRow("help") << QStringLiteral("--help") << QStringLiteral("lockscope simulate SCENARIO");
        QTest::newRow("h") << QStringLiteral("-h") << QStringLiteral("lockscope watch URL");
        QTest::newRow("version") << QStringLiteral("--version") << QStringLiteral("lockscope 0.");
        QTest::newRow("of a command") << QStringLiteral("simulate --help") << QStringLiteral("lockscope simulate");
        QTest::newRow("as a command") << QStringLiteral("help") << QStringLiteral("lockscope simulate SCENARIO");
        QTest::newRow("as a command of a command") << QStringLiteral("help manager") << QStringLiteral("ENGINE");
        QTest::newRow("of manager") << QStringLiteral("manager --help") << QStringLiteral("fail-back [NAMESPACE]");
        QTest::newRow("of lock with a manager")
            << QStringLiteral("lock --help") << QStringLiteral("lock --manager CONFIG [--namespace N]");
        QTest::newRow("of lock") << QStringLiteral("lock --help") << QStringLiteral("-- COMMAND…");
    }
    void helpAndVersionAreData() {
        QFETCH(QString, words);
        QFETCH(QString, contains);
        const Ran ran = program(words.split(QLatin1Char(' ')));
        QVERIFY2(ran.status == 0 && ran.err.isEmpty(), ran.told());
        QVERIFY2(ran.out.contains(contains.toUtf8()), ran.told());
    }

    // The allocator prints its statistics at the end, if the environment asks for them.
    void theProgramRunsOnTheAllocatorThatSuitsSimulations() {
        if (qstrlen(LOCKSCOPE_SANITIZER) > 0) QSKIP("Sanitizers bring an allocator of their own.");
        QProcessEnvironment environment = plainEnvironment();
        environment.insert(QStringLiteral("MALLOC_CONF"), QStringLiteral("stats_print:true"));
        const Ran ran = runProgram(kProgram, {QStringLiteral("--version")}, {}, environment);
        QVERIFY2(ran.status == 0 && ran.err.contains("Begin jemalloc statistics"), ran.told());
    }

    void seedWithoutAScenarioOpensNoWindow() {
        QProcessEnvironment environment = plainEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        const Ran ran = runProgram(kProgram, {QStringLiteral("--seed"), QStringLiteral("3")}, {}, environment);
        QVERIFY2(ran.status == 2 && ran.out.isEmpty() && ran.err.contains("--seed 3: this needs a scenario"),
                 ran.told());
    }

    /// Qt would end the program without a word that helps.
    void whereThereIsNoDisplayTheComplaintIsTheSame_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QByteArray>("contains");
        QTest::newRow("an option") << QStringList{QStringLiteral("--versoin")} << QByteArray("versoin");
        QTest::newRow("a lesson") << QStringList{QStringLiteral("--lesson"), QStringLiteral("zzz")}
                                  << QByteArray("zzz");
        QTest::newRow("a window") << QStringList() << QByteArray("no display");
    }
    void whereThereIsNoDisplayTheComplaintIsTheSame() {
        QFETCH(QStringList, words);
        QFETCH(QByteArray, contains);
        QProcessEnvironment environment = plainEnvironment();
        environment.remove(QStringLiteral("XDG_RUNTIME_DIR")); // as in a container: Qt remarks on it
        const Ran ran = runProgram(kProgram, words, {}, environment);
        QVERIFY2(ran.status == 2 && ran.out.isEmpty() && ran.err.contains(contains), ran.told());
        QCOMPARE(ran.err.trimmed().count('\n'), 0);
    }

    void complaintsSayWhatWouldBeRight_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("contains");
        const auto row = [](const char* words, const char* contains) {
            QTest::newRow(words) << QString::fromUtf8(words) << QString::fromUtf8(contains);
        };
        row("simualte gc-pause", "did you mean “simulate”?");
        row("simulate", "SCENARIO is missing");
        row("simulate ", "SCENARIO is empty");
        row("manager  status", "CONFIG is empty");
        row("simulate gc-puase", "did you mean “gc-pause”?");
        row("simulate gc-pause --sed 3", "did you mean “--seed”?");
        row("simulate gc-pause -j", "there is no option -j");
        row("simulate gc-pause --seed", "--seed needs a value");
        row("simulate gc-pause --seed x", "whole number");
        row("simulate gc-pause --seed -1", "whole number");
        row("simulate gc-pause --seed 1 --seed 2", "given twice");
        row("simulate gc-pause --seeds 5", "1..1000");
        row("simulate gc-pause --seeds 5..1", "the smaller first");
        row("simulate gc-pause --seeds 1..2 --seed 1", "not both");
        row("simulate gc-pause --seeds 1..2 --record x.lockscope", "one run");
        row("simulate gc-pause --until 30", "with its unit");
        row("simulate gc-pause --until 0s", "at least");
        row("simulate gc-pause --json=yes", "takes no value");
        row("simulate gc-pause crash-holder", "one word too many");
        row("simulate gc-pause --recipe redis-sett", "did you mean “redis-set”?");
        QTest::newRow("an empty recipe") << QStringLiteral("simulate gc-pause --recipe ")
                                         << QStringLiteral("--recipe is empty");
        row("check /tmp", "/tmp is a folder");
        row("manager", "CONFIG is missing");
        row("manager x.json", "what to do");
        row("manager x.json stauts", "did you mean “status”?");
        row("manager x.json status --jsno", "did you mean “--json”?");
        row("manager /nowhere/x.json status", "cannot be read");
        row("list", "missing");
        row("list recepies", "did you mean “recipes”?");
        row("sandbox gc-pause", "does not exist yet");
        row("compare --recipes redis-sett", "did you mean “redis-set”?");
        row("compare --recipes redis-set,", "--recipes: a name is missing");
        row("compare --scenarios=", "--scenarios: a name is missing");
        row("compare --to latex", "there is no format “latex”");
        row("compare --json --to csv", "not both");
        row("compare gc-pause", "one word too many");
    }
    void complaintsSayWhatWouldBeRight() {
        QFETCH(QString, words);
        QFETCH(QString, contains);
        const Ran ran = program(words.split(QLatin1Char(' ')));
        QVERIFY2(ran.status == 2 && ran.out.isEmpty(), ran.told());
        QVERIFY2(QString::fromUtf8(ran.err).contains(contains), ran.told());
        QVERIFY2(ran.err.startsWith("lockscope: "), ran.told());
    }

    void aFolderIsNoRecording() {
        const Ran ran = program("simulate contention --until 1s --record /tmp");
        QVERIFY2(ran.status == 2 && ran.err.contains("/tmp is a folder"), ran.told());
        QVERIFY2(!ran.err.contains("free some space"), ran.told());
    }

    void noComplaintRepeatsALogin_data() {
        QTest::addColumn<QStringList>("words");
        const auto row = [](const char* words) {
            QTest::newRow(words) << QString::fromUtf8(words).split(QLatin1Char(' '));
        };
        row("watch --url=redis://:sesame@h");
        row("watch -psesame redis://h");
        row("watch --pass:se=sesame@h redis://h");
        row("watch --password=sesame redis://h");
        row("watch redis://:a@h1 sqlite://ann:sesame@h2/db");
        row("watch redis://:a sesame b@h");
        row("watch redis:/:sesame@h");
        row("watch ann:sesame@redis://h");
        row("watch sqlite://ann:sesame@h/db");
        row("watch rediss://ann:sesame@h?ca=/x@b");
        row("watch --once redis://:sesame/x#y@h:port");
        row("lock --url=redis://:sesame@h orders -- true");
        row("lock redis://h orders --lease redis://:sesame@h -- true");
        row("lock redis://h orders --recipe :sesame@h -- true");
        row("lock redis://h orders --permits :sesame@h -- true");
        row("lock redis://:sesame pass@h orders -- true");
        row("lock --manager redis://:sesame@h orders -- true");
        row("lock --manager x --namespace :sesame@h orders -- true");
        row("manager redis://:sesame@h status");
        row("manager x :sesame@h");
        row("manager x switch a b :sesame@h");
        row("redis:/:sesame@h");
        row(":sesame@h:6379");
        row("sesame@h");
        row("simulate redis://:sesame@h");
        row("simulate redis://:a sesame b@h");
        row("simulate gc-pause --seed redis://:sesame@h");
        row("simulate gc-pause --seeds :sesame@h");
        row("simulate gc-pause --until :sesame@h");
        row("simulate gc-pause --recipe :sesame@h");
        row("check redis://:sesame@h");
        row("check :sesame@h:6379 --json");
        row("export redis://:sesame@h --to svg out.svg");
        row("export x.lockscope --to :sesame@h out.svg");
        row("list :sesame@h");
    }
    void noComplaintRepeatsALogin() {
        QFETCH(QStringList, words);
        const Ran ran = program(words);
        QVERIFY2(ran.status == (words.front() == QLatin1String("lock") ? 125 : 2), ran.told());
        QVERIFY2(!ran.err.isEmpty() && !ran.err.contains("sesame") && !ran.out.contains("sesame"), ran.told());
    }

    void theWindowsComplaintsRepeatNoLoginEither() {
        QProcessEnvironment environment = plainEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        for (const char* words : {"--screenshot x.png :sesame@h", "--theme :sesame@h", "--url=sesame@h", "-:sesame=x@h",
                                  "--screenshot x.png redis://:sesame@h:port"}) {
            const QStringList list = QString::fromUtf8(words).split(QLatin1Char(' '));
            const Ran ran = runProgram(kProgram, list, {}, environment);
            QVERIFY2(ran.status == 2 && !ran.err.isEmpty() && !ran.err.contains("sesame"), ran.told());
        }
    }

    void wordsBehindTwoHyphensAreNoOptions() {
        const Ran ran = program("check -- --no-such-file");
        QVERIFY2(ran.status == 2 && ran.err.contains("--no-such-file does not exist"), ran.told());
        const Ran one = program("simulate --seed 1 -- gc-pause");
        QVERIFY2(one.status == 1, one.told());
    }

    void whatIsNotUtf8IsRefused() {
        const Ran ran =
            runProgram(QStringLiteral("sh"),
                       {QStringLiteral("-c"), QStringLiteral("exec \"$0\" check \"$(printf 'caf\\351')\""), kProgram});
        QVERIFY2(ran.status == 2 && ran.err.contains("not UTF-8"), ran.told());
    }

    void outputThatCannotBeWrittenIsNoSuccess_data() {
        QTest::addColumn<QString>("words");
        for (const char* words : {"--help", "list formats", "list recipes --json", "simulate contention --json",
                                  "simulate contention --seeds 1..3"})
            QTest::newRow(words) << QString::fromUtf8(words);
    }
    void outputThatCannotBeWrittenIsNoSuccess() {
        QFETCH(QString, words);
        QProcess process;
        process.setProcessEnvironment(plainEnvironment());
        process.setStandardOutputFile(QStringLiteral("/dev/full"));
        process.start(kProgram, words.split(QLatin1Char(' ')));
        QVERIFY(process.waitForFinished());
        const QByteArray err = process.readAllStandardError();
        QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 2, err);
        QVERIFY2(err.contains("the output cannot be written") && err.count('\n') == 1, err);
    }

    /// A parent that ignores SIGPIPE, as services do, must not be left with a program that works for nobody.
    void aReaderThatLeavesEndsTheProgram() {
        const Ran ran = runProgram(
            QStringLiteral("sh"),
            {QStringLiteral("-c"),
             QStringLiteral("trap '' PIPE; { \"$0\" simulate contention --seeds 1..1000000; echo $? >&2; } | head -1"),
             kProgram});
        QVERIFY2(ran.status == 0 && ran.out.count('\n') == 1 && ran.err.trimmed() == "141", ran.told());
    }

    void everyMistakeInAScenarioIsToldWithItsLine() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("broken.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\n \"lockscope\": 1,\n \"id\": \"x\",\n \"title\": \"X\",\n \"until\": \"60\",\n"
                   " \"lock\": {\n  \"leese\": \"5s\"\n }\n}\n");
        file.close();
        const Ran ran = program({QStringLiteral("simulate"), path});
        QVERIFY2(ran.status == 2, ran.told());
        QVERIFY2(ran.err.contains("broken.json:5: /until: "), ran.told());
        QVERIFY2(ran.err.contains("broken.json:7: /lock/leese: "), ran.told());
        QVERIFY2(ran.err.contains("did you mean “lease”?"), ran.told());
        QCOMPARE(ran.err.trimmed().count('\n'), 1);
    }

    /// A file whose servers its own recipe cannot use, or whose steps it does not have, contradicts itself.
    void whatARecipeCannotUseIsToldWithItsLine() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("odd.json"));
        const auto ofFile = [&](const QByteArray& rest, const QStringList& more = {}) {
            QFile file(path);
            const QByteArray text =
                "{\n\"lockscope\": 2, \"id\": \"odd\", \"title\": \"Odd\", \"until\": \"5s\"" + rest + "}\n";
            if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) return Ran{};
            file.close();
            return program(QStringList{QStringLiteral("simulate"), path} + more);
        };
        const QByteArray zookeeper = ",\n\"services\": [{\"kind\": \"zookeeper\"}]";
        const Ran odd = ofFile(zookeeper + ",\n\"recipe\": \"redis-set\"");
        QVERIFY2(odd.status == 2 && odd.out.isEmpty(), odd.told());
        QVERIFY2(
            odd.err.contains("odd.json:4: /recipe: “redis-set” does not work on the servers that are named here, 3 "
                             "ZooKeeper servers: choose one of zk-"),
            odd.told());
        QCOMPARE(odd.err.trimmed().count('\n'), 0);
        // The recipe of files that name none is one of Redis.
        QVERIFY2(ofFile(zookeeper).err.contains(": /recipe: “redis-set” does not work"), odd.told());
        const Ran right = ofFile(zookeeper + ", \"recipe\": \"zk-mutex\"");
        QVERIFY2(right.status == 0 && right.err.isEmpty(), right.told());
        // Chosen beside the file, it brings its servers, and says so on one line.
        const Ran chosen =
            ofFile(zookeeper + ", \"recipe\": \"zk-mutex\"", {QStringLiteral("--recipe"), QStringLiteral("redis-set")});
        QCOMPARE(chosen.status, 0);
        QCOMPARE(chosen.err, QByteArray("lockscope: redis-set does not work on 3 ZooKeeper servers: the run is on one "
                                        "Redis server instead\n"));
        const Ran step = ofFile(", \"recipe\": \"redis-set\",\n\"faults\": [{\"when\": {\"step\": 99}, \"do\": "
                                "\"pause-client\", \"target\": \"same\"}]");
        QVERIFY2(step.status == 2 &&
                     step.err.contains("odd.json:3: /faults/0/when/step: this fault never strikes: the steps of "
                                       "redis-set are 1 to "),
                 step.told());
    }

    void recipesThatDoNotExistAreToldWhereverTheyStand() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("recipes.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"lockscope": 1, "id": "x", "title": "X",
                       "faults": [{"at": "1s", "do": "set", "set": "recipe", "to": "redis-sett"}],
                       "expect": {"redis-sat": {"holds": ["progress"]}, "zk-mutex": {}, "*": {}}})");
        file.close();
        const Ran ran = program({QStringLiteral("simulate"), path});
        QVERIFY2(ran.status == 2 && ran.out.isEmpty(), ran.told());
        QVERIFY2(ran.err.contains("/faults/0/to: there is no recipe “redis-sett”; did you mean “redis-set”?"),
                 ran.told());
        QVERIFY2(ran.err.contains("recipes.json:2: /faults/0/to"), ran.told());
        QVERIFY2(ran.err.contains("/expect/redis-sat: there is no recipe “redis-sat”"), ran.told());
        QCOMPARE(ran.err.trimmed().count('\n'), 1);
    }

    void listsNameTheBuiltInScenarios() {
        const Ran plain = program("list scenarios");
        QCOMPARE(plain.status, 0);
        const Ran json = program("list scenarios --json");
        QCOMPARE(json.status, 0);
        QStringList ids;
        for (const QJsonValue& item : json.array()) {
            ids += item[u"id"].toString();
            QVERIFY(!item[u"title"].toString().isEmpty() && !item[u"summary"].toString().isEmpty());
            QVERIFY(plain.out.contains(item[u"id"].toString().toUtf8() + ' '));
        }
        for (const char* id :
             {"contention", "gc-pause", "crash-holder", "delete-others-lock", "watchdog-dies", "partition-holder"}) {
            QVERIFY2(ids.contains(QLatin1String(id)), id);
        }
    }

    void listsNameAPersonsOwnScenarios() {
        const QTemporaryDir data;
        const QString folder = data.filePath(QStringLiteral("lockscope/scenarios"));
        QVERIFY(QDir().mkpath(folder));
        const auto write = [&](const char* name, const QByteArray& text) {
            QFile file(folder + u'/' + QLatin1String(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        };
        write("night-shift.json", R"({"lockscope": 1, "id": "night-shift",
            "title": {"en": "The night shift", "zh_CN": "夜班"}, "summary": {"en": "Two clients.", "zh_CN": "两个客户端。"},
            "recipe": "redis-set", "until": "5s", "nodes": [{"id": "redis-1", "kind": "redis"}],
            "lock": {"name": "orders", "lease": "5s"},
            "clients": {"count": 2, "hold": ["1s", "2s"], "think": ["500ms", "1s"]}})");
        write("broken.json", "{");
        write("contention.json", "{}"); // which could not be told from the built-in one
        QProcessEnvironment environment = plainEnvironment();
        environment.insert(QStringLiteral("XDG_DATA_HOME"), data.path());
        const auto list = [&](const char* more) {
            QStringList words{QStringLiteral("list"), QStringLiteral("scenarios")};
            if (*more) words += QLatin1String(more);
            return runProgram(kProgram, words, {}, environment);
        };
        const Ran plain = list("");
        QVERIFY2(plain.status == 0 && plain.out.contains("night-shift"), plain.told());
        QVERIFY2(plain.out.contains("your own: The night shift") && plain.out.contains("gc-pause"), plain.told());
        QVERIFY2(plain.err.contains("broken"), plain.told()); // not left out without a word
        QVERIFY2(plain.err.contains("scenarios/contention.json is passed over, because “contention” is the name of a "
                                    "built-in one"),
                 plain.told());
        int own = 0;
        QVERIFY2(plain.out.contains("(source: Redisson issue 775)"), plain.told());
        for (const QJsonValue& item : list("--json").array()) {
            own += item[u"own"].toBool();
            if (item[u"id"] == QLatin1String("museum-renewal-in-failover"))
                QVERIFY(item[u"source"].toString().contains(QLatin1String("https://github.com/redisson/")));
            if (item[u"id"] == QLatin1String("contention")) QVERIFY(item[u"source"].isUndefined());
            QCOMPARE(item[u"own"].toBool(), item[u"id"] == QLatin1String("night-shift"));
        }
        QCOMPARE(own, 1);
        const Ran run =
            runProgram(kProgram, {QStringLiteral("simulate"), QStringLiteral("night-shift")}, {}, environment);
        QVERIFY2(run.status == 0, run.told());
    }

    void listsNameTheRecipesAndFormats() {
        QMap<QString, QJsonObject> recipes;
        const QJsonArray items = program("list recipes --json").array();
        for (const QJsonValue& item : items)
            recipes[item[u"id"].toString()] = item.toObject();
        QVERIFY(recipes.contains(QStringLiteral("redis-set")));
        QCOMPARE(recipes[QStringLiteral("redis-set-del")][u"naive"], QJsonValue(true));
        QCOMPARE(recipes[QStringLiteral("redis-reentrant")][u"reentrant"], QJsonValue(true));
        QCOMPARE(recipes[QStringLiteral("redis-reentrant")][u"naive"], QJsonValue(false));
        QCOMPARE(recipes[QStringLiteral("redis-reentrant")][u"simulated_only"], QJsonValue(false));
        QCOMPARE(recipes[QStringLiteral("sql-for-update-late")][u"simulated_only"], QJsonValue(true));
        const Ran lessons = program("list lessons");
        const QJsonArray course = program("list lessons --json").array();
        QVERIFY2(lessons.status == 0 && course.size() > 3, lessons.told());
        QCOMPARE(lessons.out.trimmed().count('\n') + 1, course.size());
        for (const QJsonValue& lesson : course) {
            QVERIFY(!lesson[u"title"].toString().isEmpty() && lesson[u"steps"].toInt() > 0);
            QVERIFY(lessons.out.contains(lesson[u"id"].toString().toUtf8() + ' '));
        }
        const Ran plainFormats = program("list formats");
        QVERIFY2(plainFormats.out.contains("mixed (…)"), plainFormats.told()); // not each byte as a letter
        const Ran formats = program("list formats --json");
        QVERIFY2(formats.out.contains("\"redisson\"") && formats.out.contains("\"jsonl\""), formats.told());
        // As `watch` calls them: it never says just "redlock".
        for (const char* id :
             {"node-redlock", "redlock-py|redislock", "setnx-expiry", "spring|redlock-rb|string", "curator-mutex",
              "kazoo", "etcd-election", "laravel", "memcached-lease", "perfetto", "jepsen", "get-lock", "innodb-row",
              "mariadb-table", "zk-sequential", "redislock|string", "webp"})
            QVERIFY2(formats.out.contains(QByteArray("\"") + id + '"'), id);
        QVERIFY2(!formats.out.contains("\"redlock\"") && !formats.out.contains("sql-version"), formats.told());
    }

    void theProgramStartsWithoutWhatTalksToServers() {
        const Ran needed = runProgram(QStringLiteral("ldd"), {kProgram});
        QVERIFY2(needed.out.contains("libQt6Widgets"), needed.told());
        // UBSan's look at virtual calls names every class that a header knows, and the linker brings what makes it.
#if !defined(__SANITIZE_ADDRESS__)
        // libmemcached is there for its ring of keys, which simulated clients use, too.
        for (const char* library : {"libQt6Network", "libhiredis", "libzookeeper"})
            QVERIFY2(!needed.out.contains(library), library);
#endif
    }

    void halfAnInstallationIsToldApart() {
        const QTemporaryDir folder;
        const QString alone = folder.filePath(QStringLiteral("lockscope"));
        QVERIFY(QFile::copy(kProgram, alone));
        const Ran simulated = runProgram(alone, {QStringLiteral("simulate"), QStringLiteral("contention")});
        QVERIFY2(simulated.status == 0, simulated.told());
        const QString url = QStringLiteral("redis://127.0.0.1:1");
        const Ran watched = runProgram(alone, {QStringLiteral("watch"), url, QStringLiteral("--once")});
        QVERIFY2(watched.status == 2 && watched.err.contains("liblockscope_servers.so"), watched.told());
        const Ran locked = runProgram(
            alone, {QStringLiteral("lock"), url, QStringLiteral("x"), QStringLiteral("--"), QStringLiteral("true")});
        QVERIFY2(locked.status == 125 && locked.err.contains("Install Lockscope again"), locked.told());
    }

    void aLocaleWithoutUtf8MakesNoNoise() {
        QProcessEnvironment environment = plainEnvironment();
        environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C"));
        const Ran ran = runProgram(kProgram, {QStringLiteral("list"), QStringLiteral("scenarios")}, {}, environment);
        QVERIFY2(ran.status == 0 && ran.err.isEmpty(), ran.told());
    }
};

QTEST_GUILESS_MAIN(tst_cli_usage)
#include "tst_cli_usage.moc"
