// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_file.h"

#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using namespace lockscope::scenario;

namespace {

const QByteArray kHead = R"({"lockscope": 1, "id": "x", "title": "X")";

const QByteArray kSecond = R"({"lockscope": 2, "id": "x", "title": "X")";

QString complaintsOf(const QByteArray& json) {
    const auto read = parseScenario(json, QStringLiteral("x.json"));
    if (read) return QStringLiteral("accepted");
    QStringList lines;
    for (const Problem& problem : read.error())
        lines += problem.toString();
    return lines.join(QLatin1Char('\n'));
}

} // namespace

class tst_scenario_complaints : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Without servers of its own, a file runs on those that its recipe brings.
    void faultsMayStrikeTheServersOfTheRecipe() {
        const auto killing = [](const char* recipe, const char* node) {
            QByteArray file =
                kSecond + ", 'recipe': 'RECIPE', 'faults': [{'at': '1s', 'do': 'kill-node', 'target': 'NODE'}]}";
            return file.replace('\'', '"').replace("RECIPE", recipe).replace("NODE", node);
        };
        QCOMPARE(complaintsOf(killing("zk-mutex", "zk-2")), QStringLiteral("accepted"));
        QCOMPARE(complaintsOf(killing("etcd-lease", "etcd-3")), QStringLiteral("accepted"));
        QVERIFY2(complaintsOf(killing("zk-mutex", "zk-9")).contains(QStringLiteral("zk-1")),
                 qPrintable(complaintsOf(killing("zk-mutex", "zk-9"))));
        QVERIFY(complaintsOf(killing("redis-set", "zk-2")).contains(QStringLiteral("nodes are redis-1")));
    }

    void saysWhatIsWrongAndWhatWouldBeRight_data() {
        QTest::addColumn<QByteArray>("rest");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const char* rest, const char* path, const char* words) {
            QTest::newRow(name) << QByteArray(rest) << QString::fromUtf8(path) << QString::fromUtf8(words);
        };
        row("unknown field", R"(, "recepie": "redis-set")", "/recepie",
            "there is no field “recepie” here; did you mean “recipe”?");
        row("unknown inner field", R"(, "lock": {"leese": "5s"})", "/lock/leese", "did you mean “lease”?");
        row("field of a fault", R"(, "faults": [{"at": "1s", "doo": "heal-all"}])", "/faults/0/doo",
            "did you mean “do”?");
        row("missing field", R"(, "faults": [{"at": "1s"}])", "/faults/0", "the field “do” is missing");
        row("no unit", R"(, "until": "60")", "/until", "“60” should be a time with a unit");
        row("number for time", R"(, "lock": {"lease": 5})", "/lock/lease", "5 should be a time with a unit");
        row("time too long", R"(, "until": "999999999h")", "/until", "below 292 years");
        row("lease too long", R"(, "lock": {"lease": "999999999h", "watchdog": "10s"})", "/lock/lease",
            "below 292 years");
        row("range too long", R"(, "clients": {"hold": ["5s", "999999999h"]})", "/clients/hold/1", "below 292 years");
        row("watchdog too slow", R"(, "lock": {"lease": "5s", "watchdog": "10s"})", "/lock/watchdog",
            "a lease of 5s ends before a watchdog renews it after 10s");
        row("watchdog set too slow", R"(, "faults": [{"at": "1s", "do": "set", "set": "watchdog", "to": "90s"}])",
            "/faults/0/to", "ends before a watchdog renews it after 90s");
        row("lease set too short",
            R"(, "lock": {"lease": "5s", "watchdog": "1s"}, "faults": [{"at": "9s", "do": "set", "set": "lease", "to": "1s"},
                {"at": "5s", "do": "set", "set": "watchdog", "to": "4s"}, {"at": "8s", "do": "heal-all"}])",
            "/faults/0/to", "a lease of 1s ends before a watchdog renews it after 4s");
        row("watchdog set too slow some time",
            R"(, "faults": [{"when": {"on": "granted"}, "do": "set", "set": "watchdog", "to": "90s"}])", "/faults/0/to",
            "ends before a watchdog renews it after 90s");
        row("not a range", R"(, "clients": {"hold": ["2s"]})", "/clients/hold", "or two of them");
        row("number for range", R"(, "clients": {"hold": 3})", "/clients/hold", "3 should be a time");
        row("bad range item", R"(, "clients": {"hold": ["2s", "4"]})", "/clients/hold/1", "“4” should be a time");
        row("upside down", R"(, "clients": {"hold": ["4s", "2s"]})", "/clients/hold", "[\"2s\", \"4s\"]");
        row("too many clients", R"(, "clients": {"count": 201})", "/clients/count", "from 1 to 200");
        row("half a client", R"(, "clients": {"count": 2.5})", "/clients/count", "a whole number");
        row("unknown word", R"(, "lock": {"deadline": "ignore"})", "/lock/deadline", "did you mean “ignored”?");
        row("unknown action", R"(, "faults": [{"at": "1s", "do": "puase-client", "target": "A"}])", "/faults/0/do",
            "did you mean “pause-client”?");
        row("unknown event", R"(, "faults": [{"when": {"on": "grant"}, "do": "heal-all"}])", "/faults/0/when/on",
            "did you mean “granted”?");
        row("unknown invariant", R"(, "expect": {"*": {"holds": ["mutual-exclusivity"]}})", "/expect/*/holds/0",
            "did you mean “mutual-exclusion”?");
        row("no time", R"(, "faults": [{"do": "heal-all"}])", "/faults/0", "a fault needs a time");
        row("no target", R"(, "faults": [{"at": "1s", "do": "kill-client"}])", "/faults/0", "needs a target");
        row("unknown client", R"(, "faults": [{"at": "1s", "do": "kill-client", "target": "D"}])", "/faults/0/target",
            "clients are A to C");
        row("misspelt holder", R"(, "faults": [{"at": "1s", "do": "kill-client", "target": "hodler"}])",
            "/faults/0/target", "did you mean “holder”?");
        row("unknown node", R"(, "faults": [{"at": "1s", "do": "kill-node", "target": "redis-2"}])", "/faults/0/target",
            "did you mean “redis-1”?");
        row("not a link", R"(, "faults": [{"at": "1s", "do": "cut-link", "target": "everything"}])", "/faults/0/target",
            "“holder-redis-1”");
        row("link of nobody", R"(, "faults": [{"at": "1s", "do": "cut-link", "target": "Q-redis-1"}])",
            "/faults/0/target", "no client “Q”");
        row("needless value", R"(, "faults": [{"at": "1s", "do": "kill-client", "target": "A", "value": "1s"}])",
            "/faults/0/value", "only delay-link");
        row("setting without what", R"(, "faults": [{"at": "1s", "do": "set", "to": "1s"}])", "/faults/0",
            "what is to be set");
        row("setting to nonsense", R"(, "faults": [{"at": "1s", "do": "set", "set": "clients", "to": "many"}])",
            "/faults/0/to", "from 1 to 200");
        row("setting to nothing", R"(, "faults": [{"at": "1s", "do": "set", "set": "deadline"}])", "/faults/0",
            "honoured or ignored");
        row("two nodes", R"(, "nodes": [{"id": "n", "kind": "redis"}, {"id": "m", "kind": "redis"}])", "/nodes",
            "no more than one");
        row("not undone", R"(, "faults": [{"at": "1s", "do": "stop-watchdog", "target": "holder", "for": "3s"}])",
            "/faults/0/for", "leave out “for”");
        row("setting for a time", R"(, "faults": [{"at": "1s", "do": "set", "set": "lease", "to": "3s", "for": "9s"}])",
            "/faults/0/for", "leave out “for”");
        row("no latency", R"(, "faults": [{"at": "1s", "do": "delay-link", "target": "A"}])", "/faults/0",
            "needs a “value”");
        row("no jump", R"(, "faults": [{"at": "1s", "do": "jump-clock", "target": "A", "for": "1s"}])", "/faults/0",
            "needs a “value”");
        row("no node", R"(, "nodes": [])", "/nodes", "at least one");
        row("no lease", R"(, "lock": {"lease": "0s"})", "/lock/lease", "at least 1ms");
        row("never still", R"(, "clients": {"hold": "0s", "think": "0s"})", "/clients", "both be 0 s");
        row("title by language", R"(, "summary": {"zh_CN": "锁"})", "/summary", "“en” is missing");
        row("seed beyond all", R"(, "seed": 9223372036854775808)", "/seed",
            "9223372036854775808 should be a whole number from 0 to 9223372036854775807");
        row("seed beyond exact doubles", R"(, "seed": -9223372036854775809)", "/seed",
            "-9223372036854775809 should be a whole number");
        row("behind the end", R"(, "until": "30s", "faults": [{"at": "100s", "do": "kill-client", "target": "A"}])",
            "/faults/0/at", "never strikes: the run ends at 30s");
        row("condition behind the end",
            R"(, "until": "30s", "faults": [{"when": {"on": "granted", "after": "31s"}, "do": "heal-all"}])",
            "/faults/0/when/after", "never strikes: the run ends at 30s");
        row("twice", R"(, "until": "5s", "until": "6s")", "/until", "second time");
        row("contradiction", R"(, "expect": {"*": {"holds": ["progress"], "violates": ["progress"]}})", "/expect/*",
            "both hold and be violated");
    }
    void saysWhatIsWrongAndWhatWouldBeRight() {
        QFETCH(QByteArray, rest);
        QFETCH(QString, path);
        QFETCH(QString, words);
        const auto read = parseScenario(kHead + rest + "}", QStringLiteral("x.json"));
        QVERIFY(!read.has_value());
        const QString all = complaintsOf(kHead + rest + "}");
        QVERIFY2(read.error().size() == 1, qPrintable(all));
        QCOMPARE(read.error()[0].path, path);
        QVERIFY2(read.error()[0].message.contains(words), qPrintable(all));
    }

    /// A complaint is one line, whatever the file has in it, and no longer than somebody reads.
    void aComplaintIsOneLine() {
        const QString torn = complaintsOf(kHead + R"(, "expect": {"*": {"holds": ["pro\ngress"]}}})");
        QCOMPARE(torn.count(u'\n'), 0);
        QVERIFY2(torn.contains(QStringLiteral("did you mean “progress”?")), qPrintable(torn));
        QVERIFY(complaintsOf(kHead + ", \"until\": \"" + QByteArray(5000, 'a') + "\"}").size() < 500);
    }

    void aLockTimeIsJudgedByWhatItMeets() {
        // Its counterpart is changed in time; when a trigger does it, nobody knows.
        for (const char* faults : {R"({"at": "9s", "do": "set", "set": "lease", "to": "1s"},
                 {"at": "8s", "do": "set", "set": "watchdog", "to": "off"})",
                                   R"({"at": "9s", "do": "set", "set": "lease", "to": "1s"},
                 {"when": {"on": "granted"}, "do": "set", "set": "watchdog", "to": "300ms"})"})
            QCOMPARE(
                complaintsOf(kHead + R"(, "lock": {"lease": "5s", "watchdog": "2s"}, "faults": [)" + faults + "]}"),
                QStringLiteral("accepted"));
    }

    /// Counts that say the same, a lease that grows, and a fault that has struck are no mistakes.
    void whatMayStrikeIsNoMistake() {
        for (const char* rest : {R"(, "workload": {"count": 3}, "clients": [{"count": 1}, {"count": 2}])",
                                 R"(, "programs": [{"name": "p", "steps": [{"think": "1s"}]}], "workload": {"count": 3},
                                     "clients": [{"program": "p", "count": 2}])",
                                 R"(, "locks": [{"name": "a", "lease": "5s"}], "faults": [
                                     {"at": "1s", "do": "set", "set": "lease", "to": "9s"},
                                     {"when": {"lease_left": "6s"}, "do": "heal-all"}])",
                                 R"(, "until": "9s", "faults": [{"at": "9s", "do": "heal-all"}])",
                                 R"(, "until": "9s", "faults": [{"at": "10s", "do": "heal-all", "by": "hand"}])"})
            QCOMPARE(complaintsOf(kSecond + rest + "}"), QStringLiteral("accepted"));
    }

    void aRecordingKeepsWhatRan() {
        const QByteArray late =
            kHead + R"(, "until": "30s", "faults": [{"at": "100s", "do": "kill-client", "target": "A"}]})";
        QVERIFY(!parseScenario(late, QStringLiteral("x.json")));
        QVERIFY(recordedScenario(late));
        const QByteArray slow = kHead + R"(, "lock": {"lease": "5s", "watchdog": "10s"}})";
        QVERIFY(!parseScenario(slow, QStringLiteral("x.json")));
        const auto recorded = recordedScenario(slow);
        QVERIFY(recorded);
        QCOMPARE(recorded->lock.watchdog, Nanos(10s));
        QVERIFY(!recordedScenario("{}"));
    }

    void saysSoOfTheSecondVersion_data() {
        QTest::addColumn<QByteArray>("rest");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const char* rest, const char* path, const char* words) {
            QTest::newRow(name) << QByteArray(rest) << QString::fromUtf8(path) << QString::fromUtf8(words);
        };
        row("word of the first version", R"(, "lock": {"lease": "5s"})", "/lock", "there is no field “lock” here");
        row("lock without a name", R"(, "locks": [{"lease": "5s"}])", "/locks/0", "the field “name” is missing");
        row("two locks of one name", R"(, "locks": [{"name": "a"}, {"name": "a"}])", "/locks/1/name",
            "“a” stands here for the second time");
        row("short lease", R"(, "locks": [{"name": "a"}, {"name": "b", "lease": "1us"}])", "/locks/1/lease",
            "a lease is at least 1ms");
        row("slow watchdog", R"(, "locks": [{"name": "a", "lease": "5s", "watchdog": "9s"}])", "/locks/0/watchdog",
            "ends before a watchdog renews it after 9s");
        row("slow watchdog of the second",
            R"(, "locks": [{"name": "a"}, {"name": "b", "lease": "5s", "watchdog": "9s"}])", "/locks/1/watchdog",
            "ends before a watchdog renews it after 9s");
        row("unknown service", R"(, "locks": [{"name": "a", "service": "main"}])", "/locks/0/service",
            "there is no service “main” here: there is “redis”");
        row("unknown service of several",
            R"(, "services": [{"kind": "redis", "id": "a"}, {"kind": "zookeeper"}], "locks": [{"name": "a", "service": "b"}])",
            "/locks/0/service", "there is no service “b” here: there is “a”, “zookeeper”");
        row("two services of one name",
            R"(, "services": [{"kind": "redis", "shape": "single"}, {"kind": "redis", "shape": "masters"}])",
            "/services/1/id", "“redis” stands here for the second time");
        row("another kind's shape", R"(, "services": [{"kind": "zookeeper", "shape": "sentinel"}])",
            "/services/0/shape", "a zookeeper service is not of this shape, but: ensemble");
        row("another kind's option", R"(, "services": [{"kind": "zookeeper", "lag": "1s"}])", "/services/0/lag",
            "a zookeeper service has no such option");
        row("no persistence there", R"(, "services": [{"kind": "zookeeper", "persistence": "always"}])",
            "/services/0/persistence", "a zookeeper service has no such option");
        row("session below two ticks", R"(, "services": [{"kind": "zookeeper", "tick": "2s", "session": "3s"}])",
            "/services/0/session", "from 2 to 20 ticks: from 4s to 40s");
        row("tick of nothing", R"(, "services": [{"kind": "zookeeper", "tick": "0s"}])", "/services/0/tick",
            "at least 10ms");
        row("no shape of redis'", R"(, "services": [{"kind": "redis", "shape": "ensemble"}])", "/services/0/shape",
            "a redis service is not of this shape");
        row("servers twice",
            R"(, "nodes": [{"id": "r", "kind": "redis"}], "services": [{"kind": "redis", "shape": "single"}])",
            "/nodes", "leave out one");
        row("no failover of that one",
            R"(, "services": [{"kind": "redis", "shape": "sentinel"}, {"kind": "zookeeper"}], "faults": [{"at": "1s", "do": "failover", "target": "zookeeper/leader"}])",
            "/faults/0/target", "zookeeper/leader is a ZooKeeper server: the ensemble elects its leader by itself.");
        row("small cluster", R"(, "services": [{"kind": "redis", "shape": "cluster", "nodes": 3}])",
            "/services/0/nodes", "a cluster has at least 6 nodes");
        row("several single nodes", R"(, "services": [{"kind": "redis", "shape": "single", "nodes": 3}])",
            "/services/0/nodes", "a single server is one node");
        row("no steps", R"(, "programs": [{"name": "p", "steps": []}])", "/programs/0/steps", "at least one is needed");
        row("no verb", R"(, "programs": [{"name": "p", "steps": [{"wait": "5s"}]}])", "/programs/0/steps/0",
            "a step does one thing: think, take, work, write, release, await, signal");
        row("two verbs", R"(, "programs": [{"name": "p", "steps": [{"think": "1s", "work": "1s"}]}])",
            "/programs/0/steps/0", "“think”, “work” are steps of their own");
        row("misspelt verb", R"(, "programs": [{"name": "p", "steps": [{"realease": "a"}]}])",
            "/programs/0/steps/0/realease", "did you mean “release”?");
        row("field of another step", R"(, "programs": [{"name": "p", "steps": [{"think": "1s", "mode": "shared"}]}])",
            "/programs/0/steps/0/mode", "“mode” has no place beside “think”");
        row("unknown lock",
            R"(, "locks": [{"name": "orders"}], "programs": [{"name": "p", "steps": [{"think": "1s"}, {"take": "order"}]}])",
            "/programs/0/steps/1/take", "there is no lock “order”; did you mean “orders”?");
        row("one lock twice",
            R"(, "programs": [{"name": "p", "steps": [{"think": "1s"}, {"take": ["orders", "orders"]}]}])",
            "/programs/0/steps/1/take", "a lock stands here twice");
        row("permits of one holder",
            R"(, "programs": [{"name": "p", "steps": [{"think": "1s"}, {"take": true, "permits": 2}]}])",
            "/programs/0/steps/1/permits", "only \"mode\": \"permits\" takes several");
        row("false", R"(, "programs": [{"name": "p", "steps": [{"think": false}]}])", "/programs/0/steps/0/think",
            "false should be true");
        row("time that is none", R"(, "programs": [{"name": "p", "steps": [{"think": "soon"}]}])",
            "/programs/0/steps/0/think", "“soon” should be a time");
        row("no time at all", R"(, "programs": [{"name": "p", "steps": [{"take": true}, {"release": true}]}])",
            "/programs/0/steps", "it needs a “think” or a “work”");
        row("unknown program",
            R"(, "programs": [{"name": "read", "steps": [{"think": "1s"}]}], "clients": [{"program": "reed"}])",
            "/clients/0/program", "there is no program “reed”; did you mean “read”?");
        row("programs for nobody", R"(, "programs": [{"name": "read", "steps": [{"think": "1s"}]}])", "/programs",
            "nobody runs these programs");
        row("clients of two counts", R"(, "workload": {"count": 3}, "clients": [{"count": 1}])", "/clients",
            "these are 1 clients, and “count” in “workload” says 3");
        row("after all is healed",
            R"(, "until": "30s", "liveness": "20s", "faults": [{"at": "20s", "do": "kill-client", "target": "A"}])",
            "/faults/0/at", "from 20s on (“liveness”) everything is healed");
        row("too often",
            R"(, "until": "30s", "faults": [{"at": "1s", "do": "pause-client", "target": "A", "every": "1us"}])",
            "/faults/0/every", "would strike 29000001 times until the run ends, and 100000 are possible");
        row("more than the lease", R"(, "locks": [{"name": "a", "lease": "5s"}, {"name": "b", "lease": "9s"}],
                "faults": [{"when": {"lease_left": "6s", "lock": "b"}, "do": "heal-all"},
                           {"when": {"lease_left": "6s"}, "do": "heal-all"}])",
            "/faults/1/when/lease_left", "never strikes: the lease is 5s");
        row("too many clients", R"(, "clients": [{"count": 150}, {"count": 51}])", "/clients",
            "there are 201 clients; at most 200 fit");
        const auto fault = [&](const char* name, const char* when, const char* rest, const char* path,
                               const char* words) {
            const QByteArray text = R"(, "faults": [{"when": )" + QByteArray(when) + ", " + rest + "}]";
            row(name, text.constData(), path, words);
        };
        const char* const kill = R"("do": "kill-client", "target": "same")";
        fault("no condition", R"({"nth": 2})", kill, "/faults/0/when", "when what? Say so by “on”, “step”");
        fault("two conditions", R"({"step": 2, "lease_left": "1s"})", kill, "/faults/0/when",
              "“step”, “lease_left” cannot stand together");
        fault("client of a leader", R"({"leader": "any", "client": "A"})", R"("do": "kill-node", "target": "same")",
              "/faults/0/when", "leave out “client”");
        fault("lock of a leader", R"({"leader": "any", "lock": "orders"})", R"("do": "kill-node", "target": "same")",
              "/faults/0/when", "leave out “lock”");
        fault("no such lock", R"({"on": "granted", "lock": "stock"})", kill, "/faults/0/when/lock",
              "there is no lock “stock”; locks are orders");
        fault("no disk", R"({"on": "granted"})", R"("do": "stall-disk", "target": "redis-1")", "/faults/0/target",
              "no answer of it waits for a disk");
        fault("no such client", R"({"step": 2, "client": "waitr"})", kill, "/faults/0/when/client",
              "did you mean “waiter”?");
        fault("no such server", R"({"leader": "redis-9"})", R"("do": "kill-node", "target": "same")",
              "/faults/0/when/leader", "there is no server “redis-9”; servers are redis-1");
        fault("a client is no server", R"({"step": 2})", R"("do": "kill-node", "target": "same")", "/faults/0/target",
              "“same” is a client here, and kill-node is done to a server");
        row("same as what", R"(, "faults": [{"at": "1s", "do": "kill-client", "target": "same"}])", "/faults/0/target",
            "there is no “when” here");
    }
    void saysSoOfTheSecondVersion() {
        QFETCH(QByteArray, rest);
        QFETCH(QString, path);
        QFETCH(QString, words);
        const auto read = parseScenario(kSecond + rest + '}', QStringLiteral("x.json"));
        QVERIFY(!read.has_value());
        const QString all = complaintsOf(kSecond + rest + '}');
        const bool found = std::ranges::any_of(read.error(), [&](const Problem& problem) {
            return problem.path == path && problem.line > 0 && problem.message.contains(words);
        });
        QVERIFY2(found, qPrintable(all));
    }

    void otherVersionsAreNotRead() {
        QVERIFY(complaintsOf(R"({"lockscope": 3, "id": "x", "title": "X"})")
                    .contains(QStringLiteral("3 should be 1 or 2")));
        QVERIFY(complaintsOf(R"({"lockscope": "2", "id": "x", "title": "X"})")
                    .contains(QStringLiteral("should be 1 or 2, the versions of such files")));
    }

    void timesOfCenturiesAreNotTakenForNone() {
        QCOMPARE(complaintsOf(kHead + R"(, "clients": {"hold": "1300000h", "think": "1300000h"}})"),
                 QStringLiteral("accepted"));
    }

    void aValueOfNothingIsTakenWhereItUndoes() {
        for (const char* fault : {R"("do": "delay-link", "target": "A", "value": "0s")",
                                  R"("do": "jump-clock", "target": "redis-1", "value": "0s", "for": "1s")",
                                  R"("do": "jump-clock", "target": "A", "by": "hand")"})
            QCOMPARE(complaintsOf(kHead + R"(, "faults": [{"at": "1s", )" + fault + "}]}"), QStringLiteral("accepted"));
    }

    void tellsTheLineOfEveryComplaintAtOnce() {
        const QByteArray json = R"({
  "lockscope": 1,
  "id": "Two Words",
  "title": "X",
  "lock": {
    "lease": "5 parsecs",
    "tokn": true
  },
  "clients": {
    "count": 0
  },
  "faults": [
    { "at": "1s", "do": "heal-all" },
    { "at": "1s",
      "do": "kill-clent" }
  ]
})";
        const auto read = parseScenario(json, QStringLiteral("broken.json"));
        QVERIFY(!read.has_value());
        std::vector<std::pair<int, QString>> found;
        for (const Problem& problem : read.error()) {
            found.emplace_back(problem.line, problem.path);
            QCOMPARE(problem.file, QStringLiteral("broken.json"));
        }
        const std::vector<std::pair<int, QString>> expected{{3, QStringLiteral("/id")},
                                                            {6, QStringLiteral("/lock/lease")},
                                                            {7, QStringLiteral("/lock/tokn")},
                                                            {10, QStringLiteral("/clients/count")},
                                                            {15, QStringLiteral("/faults/1/do")}};
        QVERIFY2(found == expected, qPrintable(complaintsOf(json)));
        QVERIFY(read.error()[1].toString().startsWith(QStringLiteral("broken.json:6: /lock/lease: ")));
    }

    void brokenJsonIsToldWithItsLine() {
        const auto read = parseScenario("{\n\"id\": \"x\"\n\"title\": 3}", QStringLiteral("x.json"));
        QVERIFY(!read.has_value());
        QCOMPARE(read.error()[0].line, 3);
        QVERIFY(read.error()[0].message.startsWith(QStringLiteral("this is not JSON")));
        QVERIFY(complaintsOf("").contains(QStringLiteral("not JSON")));
        QVERIFY(complaintsOf("[]").contains(QStringLiteral("an object")));
        QVERIFY(complaintsOf("{}").contains(QStringLiteral("“lockscope” is missing")));
    }

    void keysWithSlashesAndTildesKeepTheirLine() {
        const auto read =
            parseScenario(kHead + ",\n\"expect\": {\n\"a/b~c\": {\"stalls\": 1}}}", QStringLiteral("x.json"));
        QVERIFY(!read.has_value());
        QCOMPARE(read.error()[0].path, QStringLiteral("/expect/a~1b~0c/stalls"));
        QCOMPARE(read.error()[0].line, 3);
    }

    void namesThatAreNothingGetASuggestion() {
        const auto read = loadScenario(QStringLiteral("gc-puase"));
        QVERIFY(!read.has_value());
        QVERIFY2(read.error()[0].message.contains(QStringLiteral("did you mean “gc-pause”?")),
                 qPrintable(read.error()[0].message));
        const QTemporaryDir folder;
        QVERIFY(!loadScenario(folder.path()).has_value());
    }

    void noTruncationOfAFileIsAccepted() {
        const auto whole = loadScenario(QStringLiteral("gc-pause"));
        QVERIFY(whole.has_value());
        const QByteArray json = toJson(*whole).trimmed();
        for (qsizetype length = 0; length < json.size(); ++length) {
            QVERIFY2(!parseScenario(json.left(length), QStringLiteral("cut.json")).has_value(),
                     qPrintable(QString::number(length)));
        }
    }
};

QTEST_GUILESS_MAIN(tst_scenario_complaints)
#include "tst_scenario_complaints.moc"
