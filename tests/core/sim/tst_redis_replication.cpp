// SPDX-License-Identifier: Apache-2.0
// Simulated replication, behaviour by behaviour of the real one. A function's number is the behaviour's.
#include "simulated_group.h"

using namespace lockscope;
using redis::Args;
using redis::Reply;
using tests::SimulatedGroup;

namespace {

const QByteArray kReadOnly = "READONLY You can't write against a read only replica.";
constexpr std::int64_t kNowMs = 1'767'225'600'000;

QByteArray shown(const std::vector<sim::RedisEngine::Effect>& effects) {
    QByteArrayList all;
    for (const auto& effect : effects) {
        QByteArray one;
        for (const QByteArray& word : effect.args)
            one += (one.isEmpty() ? "" : " ") + word;
        all += one;
    }
    return all.join("; ");
}

} // namespace

class TestRedisReplication : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void R5_aCommandOfAClientThatHasGoneStillRuns() {
        SimulatedGroup g(SimulatedGroup::settings(0));
        auto& session = g.connect(g.at(0));
        g.at(0).pause();
        g.send(session, {"SET", "k", "v", "NX", "PX", "1000"});
        session.server->disconnect(session.id);
        g.run(5s);
        g.at(0).resume();
        QCOMPARE(g.ask(g.at(0), {"PTTL", "k"}).integer, 1000); // counted from when it ran
    }

    void R2_aKeyIsThereInItsLastMillisecondAndGoneInTheNext() {
        std::int64_t ms = kNowMs;
        sim::RedisEngine engine([&ms] { return ms * 1000; });
        const auto session = engine.connect();
        engine.execute(session, {"SET", "k", "v", "PXAT", QByteArray::number(qlonglong(kNowMs + 10))});
        ms = kNowMs + 10;
        QVERIFY(!engine.execute(session, {"GET", "k"}).isNil());
        ms = kNowMs + 11;
        QVERIFY(engine.execute(session, {"GET", "k"}).isNil());
    }

    void R7_whatIsReplicated_data() {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("effects");
        const QByteArray deadline = QByteArray::number(qlonglong(kNowMs + 30000));
        const auto row = [](const char* name, const char* before, const char* command, const QByteArray& effects) {
            QTest::newRow(name) << QString::fromLatin1(before) << QString::fromLatin1(command)
                                << QString::fromLatin1(effects);
        };
        row("set", "", "SET k v NX PX 30000", "SET k v PXAT " + deadline);
        row("setex", "", "SETEX k 30 v", "SET k v PXAT " + deadline);
        row("refused set", "SET k v", "SET k w NX", "");
        row("refused setnx", "SET k v", "SETNX k w", "");
        row("del of nothing", "", "DEL k", "");
        row("pexpire of nothing", "", "PEXPIRE k 5", "");
        row("pexpire", "SET k v", "PEXPIRE k 30000", "PEXPIREAT k " + deadline);
        row("expire 0", "SET k v", "EXPIRE k 0", "DEL k");
        row("getex", "SET k v", "GETEX k PX 30000", "PEXPIREAT k " + deadline);
        row("getex persist", "SET k v PX 5", "GETEX k PERSIST", "PERSIST k");
        row("getdel", "SET k v", "GETDEL k", "DEL k");
        row("getset", "SET k v", "GETSET k w", "SET k w");
        row("keepttl", "SET k v PX 5", "SET k w KEEPTTL", "SET k w KEEPTTL");
        row("hincrby", "", "HINCRBY h f 1", "HINCRBY h f 1");
        row("publish", "", "PUBLISH c m", "PUBLISH c m");
        row("script that reads", "SET k v", "EVAL return(redis.call('GET','k')) 0", "");
        row("script", "", "EVAL redis.call('SET','k','v');redis.call('PEXPIRE','k',30000) 0",
            "SET k v; PEXPIREAT k " + deadline);
        row("script that fails later", "", "EVAL redis.call('SET','k','v');redis.call('NONSENSE') 0", "SET k v");
        row("script load", "", "SCRIPT LOAD return(1)", "");
    }
    void R7_whatIsReplicated() {
        QFETCH(QString, before);
        QFETCH(QString, command);
        QFETCH(QString, effects);
        sim::RedisEngine engine([] { return kNowMs * 1000; });
        const auto session = engine.connect();
        const auto words = [](const QString& text) {
            Args args;
            for (const QString& word : text.split(u' '))
                args.push_back(word.toUtf8());
            return args;
        };
        if (!before.isEmpty()) engine.execute(session, words(before));
        QByteArray seen;
        engine.onEffects = [&seen](const auto& all) { seen += shown(all); };
        engine.execute(session, words(command));
        QCOMPARE(QString::fromUtf8(seen), effects);
    }

    void R7_aWriteOverAnExpiredKeyDeletesItFirst() {
        std::int64_t ms = kNowMs;
        sim::RedisEngine engine([&ms] { return ms * 1000; });
        const auto session = engine.connect();
        engine.execute(session, {"SET", "k", "v", "PX", "10"});
        ms += 11;
        QByteArray seen;
        engine.onEffects = [&seen](const auto& all) { seen += shown(all); };
        engine.execute(session, {"SET", "k", "w", "NX", "PX", "10"});
        QCOMPARE(seen, "DEL k; SET k w PXAT " + QByteArray::number(qlonglong(ms + 10)));
    }

    void R8_aReplicaHasAWriteAfterAFlight() {
        SimulatedGroup g(SimulatedGroup::settings(2));
        g.ask(g.at(0), {"SET", "k", "v"});
        QVERIFY(g.ask(g.at(1), {"GET", "k"}).isNil());
        g.run(1ms);
        QCOMPARE(g.ask(g.at(1), {"GET", "k"}).text, "v");
        QCOMPARE(g.ask(g.at(2), {"GET", "k"}).text, "v");
    }

    /// A replica acknowledges once a second, so an idle link is never further behind than that, and a cut one is.
    void R10_acknowledgementsComeOnceASecond() {
        SimulatedGroup g(SimulatedGroup::settings(1));
        const auto lag = [&g] {
            const QByteArray info = g.ask(g.at(0), {"INFO", "replication"}).text;
            const qsizetype at = info.indexOf("lag=");
            return at < 0 ? -1 : info.mid(at + 4, info.indexOf('\r', at) - at - 4).toInt();
        };
        for (int i = 0; i < 20; ++i) {
            g.run(700ms);
            QVERIFY2(lag() == 0 || lag() == 1, QByteArray::number(lag()));
        }
        g.network.partition({g.at(0).entity()}, {g.at(1).entity()});
        g.run(5s);
        QVERIFY2(lag() >= 4, QByteArray::number(lag()));
    }

    void R11_waitCountsAcknowledgements() {
        SimulatedGroup g(SimulatedGroup::settings(2));
        auto& session = g.connect(g.at(0));
        g.ask(session, {"SET", "k", "v"});
        auto answer = g.send(session, {"WAIT", "2", "100"});
        QVERIFY(!*answer);
        g.run(2ms);
        QVERIFY(*answer);
        QCOMPARE((*answer)->integer, 2);
        g.at(1).pause();
        g.ask(session, {"SET", "k", "w"});
        answer = g.send(session, {"WAIT", "2", "100"});
        g.run(50ms);
        QVERIFY(!*answer);
        g.run(60ms);
        QVERIFY(*answer);
        QCOMPARE((*answer)->integer, 1);
        QCOMPARE(g.ask(g.at(0), {"WAIT", "2", "0"}).integer, 2); // a fresh connection waits for nothing
        QVERIFY(g.ask(g.at(2), {"WAIT", "1", "0"}).text.startsWith("ERR WAIT cannot be used with replica instances."));
    }

    void R12_tooFewGoodReplicas() {
        auto settings = SimulatedGroup::settings(1);
        settings.replication.minReplicas = 1;
        settings.replication.minReplicasLag = 2s;
        SimulatedGroup g(settings);
        g.run(2s);
        QCOMPARE(g.ask(g.at(0), {"SET", "k", "v"}).text, "OK");
        g.at(1).pause();
        g.run(5s);
        const QByteArray refused = "NOREPLICAS Not enough good replicas to write.";
        QCOMPARE(g.ask(g.at(0), {"SET", "k", "v"}).text, refused);
        QCOMPARE(g.ask(g.at(0), {"DEL", "k"}).text, refused);
        QCOMPARE(g.ask(g.at(0), {"PEXPIRE", "k", "1"}).text, refused);
        QVERIFY(g.ask(g.at(0), {"EVAL", "return redis.call('DEL','k')", "0"}).text.startsWith(refused));
        QCOMPARE(g.ask(g.at(0), {"GET", "k"}).text, "v");
        g.at(1).resume();
        g.run(2s);
        QCOMPARE(g.ask(g.at(0), {"SET", "k", "v"}).text, "OK");
        g.at(1).kill();
        g.run(10ms);
        QCOMPARE(g.ask(g.at(0), {"SET", "k", "v"}).text, refused);
    }

    void R13_replicasRefuseWrites() {
        SimulatedGroup g(SimulatedGroup::settings(1));
        auto& session = g.connect(g.at(1));
        QCOMPARE(g.ask(session, {"SET", "k", "v"}).text, kReadOnly);
        QCOMPARE(g.ask(session, {"DEL", "nokey"}).text, kReadOnly);
        QCOMPARE(g.ask(session, {"EVAL", "return redis.call('EXISTS','k')", "0"}).integer, 0);
        const Reply script = g.ask(session, {"EVAL", "return redis.call('SET','k','v')", "0"});
        QVERIFY2(script.text.startsWith(kReadOnly + " script: "), script.text);
        QVERIFY2(script.text.endsWith(", on @user_script:1."), script.text);
        QCOMPARE(g.ask(session, {"EVAL", "#!lua\nreturn 1", "0"}).text, kReadOnly);
        g.ask(session, {"MULTI"});
        QCOMPARE(g.ask(session, {"SET", "k", "v"}).text, kReadOnly);
        QCOMPARE(g.ask(session, {"EXEC"}).text, "EXECABORT Transaction discarded because of previous errors.");
        auto& subscriber = g.connect(g.at(1));
        g.ask(subscriber, {"SUBSCRIBE", "c"});
        QCOMPARE(g.ask(session, {"PUBLISH", "c", "own"}).integer, 1);
        QCOMPARE(g.ask(g.at(0), {"PUBLISH", "c", "masters"}).integer, 0);
        g.run(1ms);
        QCOMPARE(subscriber.heard, (std::vector<QByteArray>{"c own", "c masters"}));
    }

    void R14_aReplicaWithoutItsMasterAnswersStale() {
        SimulatedGroup g(SimulatedGroup::settings(1));
        g.ask(g.at(0), {"SET", "k", "v"});
        g.run(1ms);
        g.at(0).kill();
        g.run(5s);
        QCOMPARE(g.ask(g.at(1), {"GET", "k"}).text, "v");
        const Reply role = g.ask(g.at(1), {"ROLE"});
        QCOMPARE(role.items[0].text, "slave");
        QCOMPARE(role.items[3].text, "connect");
        QCOMPARE(role.items[4].integer, -1);
    }

    void R15_R16_aReplicaDoesNotExpireByItself() {
        SimulatedGroup g(SimulatedGroup::settings(1));
        g.ask(g.at(0), {"SET", "k", "v", "PX", "1000"});
        g.run(1ms);
        g.at(0).kill();
        g.run(2s);
        QVERIFY(g.ask(g.at(1), {"GET", "k"}).isNil());
        QCOMPARE(g.ask(g.at(1), {"EXISTS", "k"}).integer, 0);
        QCOMPARE(g.ask(g.at(1), {"PTTL", "k"}).integer, -2);
        QCOMPARE(g.ask(g.at(1), {"TYPE", "k"}).text, "none");
        QCOMPARE(g.ask(g.at(1), {"KEYS", "*"}).items.size(), std::size_t(0));
        QCOMPARE(g.ask(g.at(1), {"DBSIZE"}).integer, 1);
        g.at(1).configure(nullptr);
        QCOMPARE(g.ask(g.at(1), {"SET", "k", "w", "NX"}).text, "OK");
        g.run(1ms);
        QCOMPARE(g.ask(g.at(1), {"DBSIZE"}).integer, 1);
    }

    void R17_clocksDiffer() {
        SimulatedGroup g(SimulatedGroup::settings(1));
        g.at(0).setClock(-5s);
        g.ask(g.at(0), {"SET", "k", "v", "PX", "3000"});
        g.run(1ms);
        QCOMPARE(g.ask(g.at(0), {"GET", "k"}).text, "v");
        QVERIFY(g.ask(g.at(1), {"GET", "k"}).isNil()); // gone by its own clock
        QCOMPARE(g.ask(g.at(1), {"DBSIZE"}).integer, 1);
        g.ask(g.at(0), {"PEXPIRE", "k", "10000"}); // the master's stream treats it as there
        g.run(1ms);
        const auto left = g.ask(g.at(1), {"PTTL", "k"}).integer;
        QVERIFY2(left > 4900 && left <= 5000, qPrintable(QString::number(left)));
    }

    void R19_R20_aLinkThatWasCutGoesOnWhereItWas() {
        SimulatedGroup g(SimulatedGroup::settings(1));
        auto& link = g.network.between(g.at(0).entity(), g.at(1).entity());
        link.setCut(true);
        g.ask(g.at(0), {"SET", "k", "v"});
        g.run(5s);
        QVERIFY(g.ask(g.at(1), {"GET", "k"}).isNil());
        QVERIFY(g.at(1).replication().linkUp()); // it looks up until repl-timeout
        link.setCut(false);
        g.run(1s);
        QCOMPARE(g.ask(g.at(1), {"GET", "k"}).text, "v");
    }

    void R20_R27_theOtherReplicaGoesOnPartially() {
        auto settings = SimulatedGroup::settings(2);
        settings.replication.fullSync = 5s;
        SimulatedGroup g(settings);
        g.run(10s);
        g.ask(g.at(0), {"SET", "k", "v"});
        g.run(10ms);
        g.at(0).kill();
        g.run(10ms);
        g.at(1).configure(nullptr);
        g.ask(g.at(1), {"SET", "new", "v"});
        g.at(2).configure(&g.at(1));
        g.run(20ms); // no full copy: that would take five seconds
        QVERIFY(g.at(2).replication().linkUp());
        QCOMPARE(g.ask(g.at(2), {"GET", "new"}).text, "v");
    }

    void R20_R21_R26_anOldMasterThatWroteOnLosesItAfterAFullCopy() {
        auto settings = SimulatedGroup::settings(1);
        settings.replication.fullSync = 5s;
        SimulatedGroup g(settings);
        g.run(10s);
        auto& session = g.connect(g.at(0));
        g.at(1).configure(nullptr);
        g.ask(session, {"SET", "own", "v"});
        auto waiting = g.send(session, {"WAIT", "1", "0"});
        g.at(0).configure(&g.at(1));
        QVERIFY(*waiting);
        QVERIFY((*waiting)->text.startsWith("UNBLOCKED force unblock"));
        QVERIFY(!session.cut);
        QCOMPARE(g.ask(session, {"SET", "k", "v"}).text, kReadOnly);
        g.run(3s);
        QCOMPARE(g.ask(session, {"GET", "own"}).text, "v"); // stale until the copy loads
        g.run(3s);
        QVERIFY(g.ask(session, {"GET", "own"}).isNil());
        QVERIFY(g.at(0).replication().linkUp());
    }

    void R22_aReplicaRestartsWithItsLastCopy() {
        SimulatedGroup g(SimulatedGroup::settings(1));
        g.at(1).kill();
        g.ask(g.at(0), {"SET", "before", "v"});
        g.at(1).startEmpty();
        g.run(2s);
        g.ask(g.at(0), {"SET", "after", "v"});
        g.run(10ms);
        g.at(1).kill();
        g.at(1).start();
        QCOMPARE(g.ask(g.at(1), {"GET", "before"}).text, "v");
        QVERIFY(g.ask(g.at(1), {"GET", "after"}).isNil());
        g.run(10ms);
        QCOMPARE(g.ask(g.at(1), {"GET", "after"}).text, "v");
    }

    void R23_aMasterThatRestartsEmptyEmptiesItsReplicas() {
        SimulatedGroup g(SimulatedGroup::settings(2));
        g.ask(g.at(0), {"SET", "k", "v"});
        g.run(10ms);
        g.at(0).kill();
        g.at(0).start();
        g.run(2s);
        QVERIFY(g.ask(g.at(1), {"GET", "k"}).isNil());
        QVERIFY(g.ask(g.at(2), {"GET", "k"}).isNil());
    }

    void R24_aKilledProcessLosesNothingACrashedMachineDoes_data() {
        QTest::addColumn<bool>("crash");
        QTest::newRow("killed") << false;
        QTest::newRow("crashed") << true;
    }
    void R24_aKilledProcessLosesNothingACrashedMachineDoes() {
        QFETCH(bool, crash);
        auto settings = SimulatedGroup::settings(1);
        settings.replication.lag = 200ms;
        SimulatedGroup g(settings);
        g.run(2s);
        g.ask(g.at(0), {"SET", "k", "v"});
        g.run(50ms);
        crash ? g.at(0).crash() : g.at(0).kill();
        g.run(1s);
        QCOMPARE(g.ask(g.at(1), {"GET", "k"}).isNil(), crash);
    }

    void R57_R58_R60_whatADiskKeeps_data() {
        QTest::addColumn<int>("persistence");
        QTest::addColumn<bool>("crash");
        QTest::addColumn<bool>("early"); ///< the write before the last flush
        QTest::addColumn<bool>("late");
        using enum scenario::ServiceSpec::Persistence;
        QTest::newRow("none, killed") << int(None) << false << false << false;
        QTest::newRow("everysec, killed") << int(EverySecond) << false << true << true;
        QTest::newRow("everysec, crashed") << int(EverySecond) << true << true << false;
        QTest::newRow("always, killed") << int(Always) << false << true << true;
        QTest::newRow("always, crashed") << int(Always) << true << true << true;
    }
    void R57_R58_R60_whatADiskKeeps() {
        QFETCH(int, persistence);
        QFETCH(bool, crash);
        QFETCH(bool, early);
        QFETCH(bool, late);
        auto settings = SimulatedGroup::settings(0);
        settings.persistence = sim::RedisServer::Persistence(persistence);
        SimulatedGroup g(settings);
        g.ask(g.at(0), {"SET", "early", "v", "PX", "60000"});
        const auto deadline = g.ask(g.at(0), {"PEXPIRETIME", "early"}).integer;
        g.run(1300ms);
        g.ask(g.at(0), {"SET", "late", "v"});
        g.run(10ms);
        crash ? g.at(0).crash() : g.at(0).kill();
        g.run(5s);
        g.at(0).start();
        QCOMPARE(!g.ask(g.at(0), {"GET", "early"}).isNil(), early);
        QCOMPARE(!g.ask(g.at(0), {"GET", "late"}).isNil(), late);
        // Deadlines are absolute: the time without the server counts.
        if (early) QCOMPARE(g.ask(g.at(0), {"PEXPIRETIME", "early"}).integer, deadline);
    }

    /// Independent masters share nothing: neither data, nor clocks, nor death.
    void R67_mastersOfARedlockShareNothing() {
        auto settings = SimulatedGroup::settings(2);
        settings.shape = sim::RedisShape::Masters;
        SimulatedGroup g(settings);
        for (std::size_t i = 0; i < 3; ++i)
            g.ask(g.at(i), {"SET", "k", QByteArray::number(qulonglong(i)), "PX", "5000"});
        g.run(1s);
        for (std::size_t i = 0; i < 3; ++i)
            QCOMPARE(g.ask(g.at(i), {"GET", "k"}).text, QByteArray::number(qulonglong(i)));
        g.at(0).kill();
        g.at(0).start();
        g.at(1).setClock(10s);
        QVERIFY(g.ask(g.at(0), {"GET", "k"}).isNil()); // its vote is forgotten at once
        QVERIFY(g.ask(g.at(1), {"GET", "k"}).isNil()); // its clock has passed the end
        QCOMPARE(g.ask(g.at(2), {"GET", "k"}).text, "2");
        for (std::size_t i = 0; i < 3; ++i)
            QVERIFY(!g.at(i).isReplica());
    }

    void R62_aRestartForgetsScripts() {
        auto settings = SimulatedGroup::settings(0);
        settings.persistence = sim::RedisServer::Persistence::Always;
        SimulatedGroup g(settings);
        const QByteArray sha = g.ask(g.at(0), {"SCRIPT", "LOAD", "return 1"}).text;
        g.at(0).kill();
        g.at(0).start();
        QVERIFY(g.ask(g.at(0), {"EVALSHA", sha, "0"}).text.startsWith("NOSCRIPT"));
    }

    void R63_withoutMemoryHoldersCanRenewAndReleaseOnly() {
        SimulatedGroup g(SimulatedGroup::settings(0));
        g.ask(g.at(0), {"SET", "k", "v"});
        g.at(0).setFull(true);
        const QByteArray oom = "OOM command not allowed when used memory > 'maxmemory'.";
        QCOMPARE(g.ask(g.at(0), {"SET", "k", "w", "NX"}).text, oom);
        QCOMPARE(g.ask(g.at(0), {"HINCRBY", "h", "f", "1"}).text, oom);
        QVERIFY(g.ask(g.at(0), {"EVAL", "return redis.call('SET','k','w')", "0"}).text.startsWith(oom + " script: "));
        QCOMPARE(g.ask(g.at(0), {"EVAL", "#!lua\nreturn 1", "0"}).text, oom);
        QCOMPARE(g.ask(g.at(0), {"EVAL", "#!lua flags=allow-oom\nreturn 1", "0"}).integer, 1);
        QCOMPARE(g.ask(g.at(0), {"PEXPIRE", "k", "1000"}).integer, 1);
        QCOMPARE(g.ask(g.at(0), {"EVAL", "return redis.call('DEL','k')", "0"}).integer, 1);
    }

    void R64_anEvictedKeyIsGoneEverywhere() {
        SimulatedGroup g(SimulatedGroup::settings(1));
        g.ask(g.at(0), {"SET", "old", "v"});
        g.ask(g.at(0), {"SET", "lock", "v", "PX", "5000"});
        g.ask(g.at(0), {"SET", "other", "v", "PX", "9000"});
        g.ask(g.at(0), {"PEXPIRE", "lock", "8000"}); // any lookup refreshes
        using Evict = sim::RedisEngine::Evict;
        QCOMPARE(g.at(0).engine().victim(0, Evict::LeastUsed), QByteArray("old"));
        QCOMPARE(g.at(0).engine().victim(0, Evict::LeastUsedVolatile), QByteArray("other"));
        QCOMPARE(g.at(0).engine().victim(0, Evict::SoonestDeadline), QByteArray("lock"));
        g.run(1ms);
        g.at(0).evict("lock");
        g.run(1ms);
        QVERIFY(g.ask(g.at(0), {"GET", "lock"}).isNil());
        QCOMPARE(g.ask(g.at(1), {"DBSIZE"}).integer, 2);
        QVERIFY(!g.at(1).engine().evict(0, "other")); // replicas do not evict
    }

    /// A lease ends while its server is stopped, and the answer that comes late knows that.
    void R65_aStoppedMasterAnswersLate() {
        SimulatedGroup g(SimulatedGroup::settings(0));
        g.ask(g.at(0), {"SET", "k", "v", "PX", "2000"});
        g.ask(g.at(0), {"SET", "kept", "v", "PX", "20000"});
        auto& session = g.connect(g.at(0));
        g.at(0).pause();
        const auto first = g.send(session, {"GET", "k"}), second = g.send(session, {"PTTL", "kept"});
        g.run(5s);
        QVERIFY(!*first && !*second);
        g.at(0).resume();
        g.run(1ms);
        QVERIFY(*first && (*first)->isNil());
        QVERIFY(*second && (*second)->integer <= 15'000 && (*second)->integer > 14'000);
    }
    void R65_aStoppedReplicaCatchesUp() {
        SimulatedGroup g(SimulatedGroup::settings(1));
        g.at(1).pause();
        g.ask(g.at(0), {"SET", "k", "v"});
        g.run(5s);
        g.at(1).resume();
        QCOMPARE(g.ask(g.at(1), {"GET", "k"}).text, "v");
    }

    void R66_aJumpOfTheClock() {
        SimulatedGroup g(SimulatedGroup::settings(0));
        g.ask(g.at(0), {"SET", "k", "v", "PX", "30000"});
        auto& session = g.connect(g.at(0));
        g.ask(session, {"SET", "other", "v"});
        const auto waiting = g.send(session, {"WAIT", "1", "3000"});
        QVERIFY(!*waiting);
        g.at(0).setClock(31s);
        QVERIFY(g.ask(g.at(0), {"GET", "k"}).isNil());
        QVERIFY(*waiting); // its end is an instant of the wall clock
        g.ask(g.at(0), {"SET", "k", "v", "PX", "1000"});
        g.at(0).setClock(21s);
        QCOMPARE(g.ask(g.at(0), {"PTTL", "k"}).integer, 11000);
    }

    void aClockThatDriftsShowsItsDeadlinesInTime() {
        SimulatedGroup g(SimulatedGroup::settings(0));
        g.at(0).setClock(Nanos(0), 100'000); // a tenth faster
        g.ask(g.at(0), {"SET", "k", "v", "PX", "1100"});
        g.run(990ms);
        QCOMPARE(g.ask(g.at(0), {"DBSIZE"}).integer, 1);
        g.run(15ms);
        QCOMPARE(g.ask(g.at(0), {"DBSIZE"}).integer, 0);
    }
};

QTEST_GUILESS_MAIN(TestRedisReplication)
#include "tst_redis_replication.moc"
