// SPDX-License-Identifier: Apache-2.0
// The library's own connection and recipe over a simulated etcd, and the record of its locks.
#include "etcd_group.h"
#include "lock_users.h"

using namespace lockscope;
using tests::EtcdGroup;
using Contention = tests::Contention<EtcdGroup>;
using Holder = tests::Holder<EtcdGroup>;

class TestSimulatedEtcdRecipes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theLockIsTakenInTurns_data() {
        QTest::addColumn<int>("members");
        for (const int members : {1, 3, 5})
            QTest::addRow("%d members", members) << members;
    }
    void theLockIsTakenInTurns() {
        QFETCH(int, members);
        EtcdGroup g(members);
        Contention contention(g, "etcd-lease");
        tests::expectTurns(contention, 10s, 100, 5);
    }

    void holdersAndQueueAreNamed() {
        EtcdGroup g(3);
        g.service->watch("orders", "etcd-lease");
        Holder a(g, "A", "etcd-lease"), b(g, "B", "etcd-lease"), c(g, "C", "etcd-lease");
        QVERIFY(a.taken && !b.taken && !c.taken);
        const trace::Record held = recordOf(g);
        QCOMPARE(held.owner, a.thread);
        QVERIFY(held.deadline > g.scheduler.now().count());
        QVERIFY(held.token > 0);
        QCOMPARE(tests::queueOf(held), (std::vector{b.thread, c.thread}));
        a.release();
        QVERIFY(a.freed);
        QVERIFY(tests::lastFreedBy(g) == trace::FreedBy::Release);
        QCOMPARE(recordOf(g).owner, b.thread);
        QCOMPARE(tests::queueOf(recordOf(g)), (std::vector{c.thread}));
    }
    void aDeadHoldersEndIsAnExpiry() {
        EtcdGroup g(3);
        g.service->watch("orders", "etcd-lease");
        Holder a(g, "A", "etcd-lease");
        QVERIFY(a.taken);
        g.run(60s);
        QCOMPARE(recordOf(g).owner, a.thread); // kept alive
        a.die();
        const std::int64_t deadline = recordOf(g).deadline;
        QVERIFY(g.until([&] { return tests::lastFreedBy(g).has_value(); }, 60s) != kNever);
        QVERIFY(tests::lastFreedBy(g) == trace::FreedBy::Expiry);
        const std::int64_t after = g.scheduler.now().count() - deadline;
        QVERIFY2(after >= -1'000'000 && after <= 520'000'000, QByteArray::number(qint64(after)));
    }
    void anOperatorFreesByForce() {
        EtcdGroup g(3);
        g.service->watch("orders", "etcd-lease");
        Holder a(g, "A", "etcd-lease");
        g.service->forceRelease("orders");
        g.run(100ms);
        QCOMPARE(recordOf(g).owner, trace::kNoEntity);
        QVERIFY(tests::lastFreedBy(g) == trace::FreedBy::Force);
    }

    /// The lock outlives its leader: nobody gets in twice, and the holder keeps it.
    void theHolderOutlivesALeader() {
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            EtcdGroup g(3, seed);
            g.service->watch("orders", "etcd-lease");
            Holder a(g, "A", "etcd-lease"), b(g, "B", "etcd-lease");
            QVERIFY(a.taken && !b.taken);
            g.leader().kill();
            g.run(20s);
            QVERIFY(a.lock->stillMine("1", recipes::Mode::Exclusive));
            QVERIFY(!b.taken);
            QCOMPARE(recordOf(g).owner, a.thread);
            a.release();
            g.run(5s);
            QVERIFY(b.taken);
        }
    }
    /// etcd-lease-lost: a holder whose keep-alives do not arrive notices by its own clock before another gets in.
    void aHolderThatIsCutOffNoticesInTime() {
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            EtcdGroup g(3, seed);
            Holder a(g, "A", "etcd-lease"), b(g, "B", "etcd-lease");
            QVERIFY(a.taken && !b.taken);
            const auto client = g.trace->intern(trace::EntityKind::Client, "A");
            for (std::size_t i = 0; i < 3; ++i)
                g.network.setCut(g.network.between(client, g.at(i).entity()), client, sim::Network::Ways::Both, true);
            bool both = false;
            QVERIFY(g.until(
                        [&] {
                            both = both || (b.taken && a.lock->stillMine("1", recipes::Mode::Exclusive));
                            return b.taken;
                        },
                        90s) != kNever);
            QVERIFY(!both);
        }
    }
    void contentionSurvivesLeadersThatDie() {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            EtcdGroup g(3, seed);
            Contention contention(g, "etcd-lease");
            for (const char* name : {"A", "B", "C"})
                contention.add(name);
            for (int round = 0; round < 4; ++round) {
                g.run(2s);
                sim::EtcdServer& old = g.leader();
                old.kill();
                g.run(4s);
                old.start();
            }
            g.run(4s);
            QCOMPARE(contention.most, 1);
            const int before = contention.takings;
            g.run(40s);
            QVERIFY2(contention.takings > before + 20, contention.trouble);
            QCOMPARE(contention.most, 1);
        }
    }

    void everyMemberHasACopy() {
        EtcdGroup g(3);
        g.service->watch("orders", "etcd-lease");
        Holder a(g, "A", "etcd-lease");
        g.run(500ms);
        int copies = 0;
        for (const auto& [lock, record] : stateOf(g).records)
            copies += lock != g.service->lockEntity("orders") && record.owner == a.thread ? 1 : 0;
        QCOMPARE(copies, 3);
    }
    void rolesAreTold() {
        EtcdGroup g(3);
        const auto roleOf = [&g](const sim::EtcdServer& server) {
            QByteArray role;
            for (std::size_t i = 0; i < g.trace->size(); ++i) {
                const trace::Event event = g.trace->at(i);
                if (event.kind == trace::EventKind::NodeRole && event.actor == server.entity())
                    role = g.trace->entity(event.aux).name;
            }
            return role;
        };
        g.run(300ms);
        sim::EtcdServer& old = g.leader();
        QCOMPARE(roleOf(old), QByteArray("leader"));
        QCOMPARE(roleOf(g.follower()), QByteArray("follower"));
        QCOMPARE(g.service->find(QStringLiteral("leader")), &old);
        QCOMPARE(g.service->find(QStringLiteral("follower[1]")), &g.follower(1));
        old.kill();
        g.untilLeader();
        QCOMPARE(roleOf(g.leader()), QByteArray("leader"));
    }

    void oneRunIsLikeTheOther() {
        const auto make = [](std::uint64_t seed) { return std::make_unique<EtcdGroup>(3, seed); };
        tests::expectEqualRuns<EtcdGroup>("etcd-lease", make, [](EtcdGroup& g) { g.leader().kill(); });
    }
};

QTEST_GUILESS_MAIN(TestSimulatedEtcdRecipes)
#include "tst_simulated_etcd_recipes.moc"
