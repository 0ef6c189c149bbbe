// SPDX-License-Identifier: Apache-2.0
// Elections, quorums and faults of a simulated ZooKeeper ensemble, behaviour by behaviour of the real one. A function's
// number is the behaviour's. Times are those of the servers on which they were tried: a tick of half a second, and
// silence of two seconds, unless told otherwise.
#include "sim/probe.h"
#include "zookeeper_probe.h"

using namespace lockscope;
using tests::allServe;
using tests::anotherLeads;
using tests::cut;
using tests::Probe;
using tests::seconds;
using tests::ZooKeeperGroup;
using Kind = zookeeper::Error::Kind;
using Mode = zookeeper::NodeMode;
using State = zookeeper::Session::State;

namespace {
constexpr std::size_t kLeader = 2; ///< the first one
constexpr int kSeeds = 30;
} // namespace

class TestZooKeeperEnsemble : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void Z08_aNewLeaderGivesEverySessionItsWholeTime() {
        for (int seed = 1; seed <= kSeeds; ++seed) {
            ZooKeeperGroup g(3, std::uint64_t(seed));
            auto& a = g.client("A", 3s, "0");
            g.create(a, "/e", Mode::Ephemeral);
            a.runtime->kill(); // silent from here on
            g.run(2400ms);
            QVERIFY(g.has(0, "/e"));
            g.at(kLeader).kill();
            const Nanos writable = g.until([&] { return anotherLeads(g, kLeader); });
            const Nanos gone = g.until([&] { return !g.has(0, "/e"); });
            QVERIFY2(gone > 2990ms && gone <= 3600ms, seconds(gone));
            QVERIFY2(writable + gone > 3300ms && writable + gone < 4400ms, seconds(writable + gone));
        }
    }

    void Z12_aFollowerWithoutItsLeaderWelcomesNobody() {
        ZooKeeperGroup g(3);
        auto& a = g.client("A", 20s, "0");
        QVERIFY(g.open(a));
        cut(g, 0);
        g.run(100ms);
        Probe fresh(g, 0);
        g.run(1s);
        QVERIFY(!fresh.open);
        QVERIFY(!fresh.ended); // it hangs
        g.run(1s);
        QVERIFY(fresh.ended);
    }

    void Z14_thePositionOfTransactionsAndNumbersDecides() {
        auto settings = ZooKeeperGroup::settings(3, ZooKeeperGroup::quick());
        settings.formed = false;
        for (int seed = 1; seed <= kSeeds; ++seed) {
            ZooKeeperGroup g(settings, std::uint64_t(seed));
            QVERIFY(g.until([&] { return allServe(g); }, 5s) != kNever);
            QCOMPARE(g.service->leader(), &g.at(2));
            QCOMPARE(g.at(2).epoch(), 1);
            auto& a = g.client("A", 20s, "0,1");
            g.create(a, "/n");
            QCOMPARE(g.at(2).state().zxid >> 32, 1);
            // Server 1 falls behind: of the others, the one that knows more wins, though its number is less.
            g.at(1).kill();
            g.create(a, "/m");
            g.run(20ms);
            g.at(2).kill();
            g.run(10ms);
            g.at(1).start();
            QVERIFY(g.until([&] { return g.service->leader() != nullptr && g.at(1).serves(); }, 5s) != kNever);
            QCOMPARE(g.service->leader(), &g.at(0));
            QCOMPARE(g.at(0).epoch(), 2);
            QCOMPARE(g.at(0).state().zxid & 0xffffffff, 0);
            QVERIFY(g.has(1, "/m"));
        }
    }

    void Z15_aDeadLeader() {
        for (int seed = 1; seed <= kSeeds; ++seed) {
            ZooKeeperGroup g(3, std::uint64_t(seed));
            auto& a = g.client("A", 6s, "0,1");
            g.create(a, "/e", Mode::Ephemeral);
            const auto session = a.session().id;
            Probe first(g, 0), second(g, 1), third(g, 2);
            g.at(kLeader).kill();
            g.run(40ms);
            QVERIFY(first.ended && second.ended && third.ended);
            QVERIFY(g.create(a, "/w").has_value());
            QCOMPARE(a.session().id, session); // it moved, with what it holds
            QVERIFY(g.has(0, "/e") && g.has(1, "/e"));
        }
    }

    void Z15_anElectionTakesAboutHalfASecond() {
        Nanos shortest = kNever, longest{};
        for (int seed = 1; seed <= 100; ++seed) {
            ZooKeeperGroup g(3, std::uint64_t(seed));
            g.at(kLeader).kill();
            const Nanos took = g.until([&] { return anotherLeads(g, kLeader); });
            QVERIFY2(took > 350ms && took < 700ms, seconds(took));
            shortest = std::min(shortest, took);
            longest = std::max(longest, took);
        }
        QVERIFY2(shortest < 450ms && longest > 530ms, seconds(shortest) + " " + seconds(longest));
    }

    void Z16_whoElectsHangsUp() {
        ZooKeeperGroup g(3);
        g.at(kLeader).kill();
        g.run(100ms);
        const Nanos asked = g.scheduler.now();
        Probe probe(g, 0);
        QVERIFY(probe.ended);
        QVERIFY(!probe.open);
        QVERIFY(probe.endedAt - asked < 5ms);
    }

    void Z17_aDeadFollowerIsItsClientsConcernAlone() {
        ZooKeeperGroup g(3);
        Probe own(g, 0), other(g, 1), leaders(g, 2);
        auto& a = g.client("A", 6s, "1");
        g.open(a);
        g.at(0).kill();
        g.run(20ms);
        QVERIFY(own.ended);
        QVERIFY(g.create(a, "/w").has_value());
        g.run(5s);
        QVERIFY(!other.ended && !leaders.ended);
    }

    void Z18_withoutAQuorumNobodyServes() {
        for (int seed = 1; seed <= kSeeds; ++seed) {
            ZooKeeperGroup g(3, std::uint64_t(seed));
            Probe probe(g, kLeader);
            sim::resetProbes();
            g.at(0).kill();
            g.run(1s);
            QVERIFY(!probe.ended);
            const Nanos killed = g.scheduler.now();
            g.at(1).kill();
            probe.lookUntilTheEnd();
            QVERIFY2(probe.endedAt - killed <= 510ms, seconds(probe.endedAt - killed));
            QVERIFY(!g.service->leader());
            QCOMPARE(sim::probeCounts()[std::size_t(sim::Probe::ZkQuorumLost)], std::uint64_t(1));
        }
    }

    void Z19_aQuorumAgain() {
        ZooKeeperGroup g(3);
        g.at(0).kill();
        g.at(1).kill();
        g.run(5s);
        QVERIFY(!g.service->leader());
        g.at(0).start();
        const Nanos back = g.until([&] { return g.service->leader() != nullptr; });
        QVERIFY2(back > 200ms && back < 1s, seconds(back));
        g.at(1).start(); // a healthy leader is there
        const Nanos follows = g.until([&] { return g.at(1).serves(); });
        QVERIFY2(follows < 1s, seconds(follows));
        QVERIFY(g.at(1).role() == sim::ZkRole::Following);
    }

    void Z20_withoutALeaderNoSessionEnds() {
        ZooKeeperGroup g(3);
        auto& a = g.client("A", 1s, "0");
        g.create(a, "/e", Mode::Ephemeral);
        a.runtime->kill();
        g.at(1).kill();
        g.at(2).kill();
        g.run(6s);
        g.at(1).start();
        QVERIFY(g.until([&] { return g.service->leader() != nullptr; }) != kNever);
        QVERIFY(g.has(0, "/e"));
        const Nanos gone = g.until([&] { return !g.has(0, "/e"); });
        QVERIFY2(gone > 990ms && gone <= 1600ms, seconds(gone));
    }

    void Z21_aCutLeaderAnswersLooksForAWhile() {
        for (int seed = 1; seed <= kSeeds; ++seed) {
            ZooKeeperGroup g(3, std::uint64_t(seed));
            Probe probe(g, kLeader);
            const Nanos begun = g.scheduler.now();
            cut(g, kLeader);
            const Nanos end = probe.lookUntilTheEnd();
            QVERIFY2(end > 1700ms && end < 2600ms, seconds(end));
            QVERIFY(probe.answeredAt - begun > end - 50ms); // up to its end
            const Nanos writable = end + g.until([&] { return anotherLeads(g, kLeader); });
            QVERIFY2(writable > 2000ms && writable < 2800ms, seconds(writable));
        }
    }

    /// At the usual tick, two leaders answer for up to a tick less the election.
    void Z21_staleAnswersAtTheUsualTick() {
        int stale = 0;
        for (int seed = 1; seed <= kSeeds; ++seed) {
            ZooKeeperGroup g(ZooKeeperGroup::settings(3, ZooKeeperGroup::quick(2s, 5)), std::uint64_t(seed));
            auto& a = g.client("A", 40s, "0,1");
            g.create(a, "/n", Mode::Persistent, "old");
            Probe probe(g, kLeader);
            cut(g, kLeader);
            const Nanos writable = g.until([&] { return anotherLeads(g, kLeader); });
            QVERIFY2(writable > 10s && writable < 10800ms, seconds(writable));
            QVERIFY(g.set(a, "/n", "new").has_value());
            probe.seen.clear();
            const Nanos end = probe.lookUntilTheEnd();
            QVERIFY2(writable + end < 12200ms, seconds(writable + end));
            stale += probe.seen == "old" ? 1 : 0;
        }
        QVERIFY2(stale > kSeeds / 4, QByteArray::number(stale));
    }

    void Z22_aWriteAtACutLeaderIsLost() {
        for (int seed = 1; seed <= kSeeds; ++seed) {
            ZooKeeperGroup g(3, std::uint64_t(seed));
            auto& a = g.client("A", 20s, "2");
            QVERIFY(g.open(a));
            cut(g, kLeader);
            const auto lost = g.create(a, "/w");
            QVERIFY(lost.error().kind == Kind::ConnectionLoss);
            QVERIFY(g.until([&] { return anotherLeads(g, kLeader); }) != kNever);
            cut(g, kLeader, false);
            const Nanos follows = g.until([&] { return g.at(kLeader).serves(); });
            QVERIFY2(follows < 3s, seconds(follows));
            g.run(100ms);
            for (std::size_t i = 0; i < 3; ++i)
                QVERIFY(!g.has(i, "/w"));
        }
    }

    /// The other end of "unknown": a follower had logged it, and the new leader carries it out.
    void Z22_aWriteThatAFollowerHasLoggedSurvives() {
        ZooKeeperGroup g(3);
        auto& a = g.client("A", 20s, "2");
        QVERIFY(g.open(a));
        // Nothing comes back to the leader.
        for (const std::size_t i : {0, 1})
            g.network.setCut(g.network.between(g.at(i).entity(), g.at(kLeader).entity()), g.at(i).entity(),
                             sim::Network::Ways::FromFirst, true);
        const auto lost = g.create(a, "/w");
        QVERIFY(lost.error().kind == Kind::ConnectionLoss);
        for (const std::size_t i : {0, 1})
            g.network.between(g.at(i).entity(), g.at(kLeader).entity()).setCut(false);
        QVERIFY(g.until([&] { return allServe(g); }) != kNever);
        QVERIFY(g.has(0, "/w") && g.has(1, "/w") && g.has(2, "/w"));
    }

    void Z23_aCutFollowerAnswersPings() {
        for (int seed = 1; seed <= kSeeds; ++seed) {
            ZooKeeperGroup g(ZooKeeperGroup::settings(3, ZooKeeperGroup::quick(500ms, 12)), std::uint64_t(seed));
            // A client that only pings, as the C client does.
            bool ended = false;
            std::optional<sim::ZkWelcome> welcome;
            const auto entity = g.trace->intern(trace::EntityKind::Client, "A");
            const auto socket = std::make_shared<sim::ZkSocket>(
                g.grounds, g.network.between(entity, g.at(0).entity()), entity, g.at(0),
                sim::ZkSocket::ClientEnd{[&](const sim::ZkWelcome& w) { welcome = w; },
                                         [](std::uint64_t, const sim::ZkReply&) {}, [](const sim::ZkEvent&) {},
                                         [&] { ended = true; }});
            socket->greet({0, 2000, 0, 0});
            g.run(20ms);
            sim::ZkRequest create;
            create.kind = sim::ZkRequest::Kind::Create;
            create.ops.emplace_back();
            create.ops.front().kind = zookeeper::Op::Kind::Create;
            create.ops.front().mode = Mode::Ephemeral;
            create.ops.front().path = "/e";
            socket->ask(1, create);
            const auto pinging = [&](auto until) {
                const Nanos begun = g.scheduler.now();
                while (!until() && g.scheduler.now() - begun < 20s) {
                    socket->ask(0, {});
                    g.run(50ms);
                }
                return g.scheduler.now() - begun;
            };
            pinging([&] { return g.scheduler.now() > 1500ms; });
            cut(g, 0);
            const Nanos gone = pinging([&] { return !g.has(kLeader, "/e"); });
            QVERIFY2(gone > 1700ms && gone <= 2850ms, seconds(gone));
            QVERIFY(g.has(0, "/e")); // its own server still shows it
            const Nanos closed = gone + pinging([&] { return ended; });
            QVERIFY2(closed > 5700ms && closed < 6100ms, seconds(closed));
            Probe healthy(g, 1, {0, 2000, welcome->session, welcome->password});
            QVERIFY(!healthy.open && healthy.ended); // expired
        }
    }

    void Z24_aShortCutIsWaitedOut() {
        ZooKeeperGroup g(3);
        auto &a = g.client("A", 20s, "0"), &b = g.client("B", 20s, "1");
        g.create(a, "/n", Mode::Persistent, "old");
        cut(g, 0);
        const auto written = g.start(a, [](zookeeper::Port& port) { return port.create("/w", {}, Mode::Persistent); });
        g.set(b, "/n", "new");
        g.run(1s);
        QVERIFY(!*written);
        cut(g, 0, false);
        QVERIFY(g.until([&] { return written->has_value(); }, 1s) != kNever);
        QVERIFY((*written)->has_value());
        QCOMPARE(g.get(a, "/n")->data, QByteArray("new"));
        QVERIFY(a.session().state == State::Connected);
    }

    void Z25_aLeaderThatWasPausedForTooLong() {
        int stale = 0, atOnce = 0;
        for (int seed = 1; seed <= 60; ++seed) {
            ZooKeeperGroup g(3, std::uint64_t(seed));
            auto& a = g.client("A", 20s, "0,1");
            g.create(a, "/n", Mode::Persistent, "old");
            Probe probe(g, kLeader);
            g.at(kLeader).pause();
            const Nanos writable = g.until([&] { return anotherLeads(g, kLeader); });
            QVERIFY2(writable > 2s && writable < 2800ms, seconds(writable));
            sim::ZkRequest write;
            write.kind = sim::ZkRequest::Kind::Create;
            write.ops.emplace_back();
            write.ops.front().kind = zookeeper::Op::Kind::Create;
            write.ops.front().path = "/never";
            probe.socket->ask(2, write);
            g.set(a, "/n", "new");
            g.run(200ms);
            probe.seen.clear();
            const Nanos resumed = g.scheduler.now();
            g.at(kLeader).resume();
            Probe look(g, kLeader);
            probe.look();
            g.until([&] { return probe.ended; });
            QVERIFY2(probe.endedAt - resumed <= 300ms, seconds(probe.endedAt - resumed));
            (probe.endedAt - resumed < 20ms ? atOnce : stale) += 1;
            QVERIFY(g.until([&] { return g.at(kLeader).serves(); }) < 2s);
            for (std::size_t i = 0; i < 3; ++i)
                QVERIFY(!g.has(i, "/never"));
        }
        QVERIFY2(stale > 0 && atOnce > 0, QByteArray::number(stale) + ' ' + QByteArray::number(atOnce));
    }

    void Z26_aPausedLeaderEndsSessionsOfClientsThatPinged() {
        ZooKeeperGroup g(ZooKeeperGroup::settings(3, ZooKeeperGroup::quick(500ms, 12)));
        auto& a = g.client("A", 2s, "0");
        g.create(a, "/e", Mode::Ephemeral);
        g.at(kLeader).pause();
        const auto hanging = g.start(a, [](zookeeper::Port& port) { return port.exists("/e"); });
        g.run(4s);
        QVERIFY(g.has(0, "/e"));
        QVERIFY(hanging->has_value());
        g.at(kLeader).resume();
        g.run(200ms);
        QVERIFY(!g.has(0, "/e"));
        QCOMPARE(g.service->leader(), &g.at(kLeader)); // no election
    }

    void Z27_aPausedFollower() {
        for (int seed = 1; seed <= kSeeds; ++seed) {
            ZooKeeperGroup g(3, std::uint64_t(seed));
            auto& b = g.client("B", 20s, "1");
            g.create(b, "/n", Mode::Persistent, "old");
            Probe probe(g, 0, {0, 1500, 0, 0});
            g.at(0).pause();
            probe.seen = "untouched";
            probe.look();
            QVERIFY(g.set(b, "/n", "new").has_value()); // the others go on
            g.run(3s);
            QVERIFY(!probe.ended); // it hangs
            const Nanos resumed = g.scheduler.now();
            g.at(0).resume();
            g.until([&] { return probe.ended; });
            QVERIFY(probe.endedAt - resumed < 5ms);
            QCOMPARE(probe.seen, "untouched"); // no look was answered before
            const Nanos follows = g.until([&] { return g.at(0).serves(); });
            QVERIFY2(follows < 500ms, seconds(follows));
        }
    }

    void Z28_followersLag() {
        ZooKeeperGroup g(3);
        auto &a = g.client("A", 20s, "2"), &b = g.client("B", 20s, "0");
        g.create(a, "/n", Mode::Persistent, "0");
        QVERIFY(g.open(b));
        int stale = 0;
        for (int i = 1; i <= 200; ++i) {
            const QByteArray value = QByteArray::number(i);
            g.set(a, "/n", value);
            if (g.get(b, "/n")->data != value) ++stale;
            g.ask(b, [](zookeeper::Port& port) { return port.sync("/n"); });
            QCOMPARE(g.get(b, "/n")->data, value);
            g.set(b, "/n", value + "b");
            QCOMPARE(g.get(b, "/n")->data, value + "b"); // its own writes it sees
        }
        QVERIFY2(stale > 0 && stale < 200, QByteArray::number(stale));
    }

    void Z46_aWriteIsTwoRoundsOfMessages() {
        ZooKeeperGroup g(3);
        auto& a = g.client("A", 20s, "2");
        g.create(a, "/n");
        const Nanos begun = g.scheduler.now();
        g.set(a, "/n", "x");
        const Nanos write = g.scheduler.now() - begun;
        g.get(a, "/n");
        const Nanos read = g.scheduler.now() - begun - write;
        QVERIFY2(write > 200ms / 1000 && write < 600us, seconds(write));
        QVERIFY2(read < 300us, seconds(read));
    }

    void aMachineThatLosesItsPowerKeepsWhatItAcknowledged() {
        for (int seed = 1; seed <= kSeeds; ++seed) {
            ZooKeeperGroup g(3, std::uint64_t(seed));
            auto& a = g.client("A", 30s);
            std::set<QByteArray> acknowledged;
            for (int i = 0; i < 20; ++i) {
                const auto made = g.create(a, "/n" + QByteArray::number(i));
                if (made) acknowledged.insert(made->path);
                if (i == 7) g.at(std::size_t(seed) % 3).crash();
                if (i == 14) g.at(std::size_t(seed) % 3).start();
            }
            QVERIFY(g.until([&] { return allServe(g); }) != kNever);
            g.run(100ms);
            for (const QByteArray& path : acknowledged)
                for (std::size_t i = 0; i < 3; ++i)
                    QVERIFY(g.has(i, path));
            QVERIFY(acknowledged.size() >= 15);
        }
    }

    void anEmptiedServerGetsEverythingAgain() {
        ZooKeeperGroup g(3);
        auto& a = g.client("A", 20s, "1,2");
        g.create(a, "/n");
        g.at(0).kill();
        g.at(0).startEmpty();
        QVERIFY(!g.has(0, "/n"));
        QVERIFY(g.until([&] { return g.at(0).serves(); }) < 2s);
        QVERIFY(g.has(0, "/n"));
        QCOMPARE(g.service->find(QStringLiteral("leader")), &g.at(2));
        QCOMPARE(g.service->find(QStringLiteral("follower[1]")), &g.at(1));
    }
};

QTEST_GUILESS_MAIN(TestZooKeeperEnsemble)
#include "tst_simulated_zookeeper_ensemble.moc"
