// SPDX-License-Identifier: Apache-2.0
// The record of locks on a simulated ZooKeeper: who holds, who waits in which order, and a copy per server.
#include "lock_users.h"
#include "zookeeper_group.h"

#include <array>

using namespace lockscope;
using tests::ZooKeeperGroup;
using trace::EventKind;

using tests::lastFreedBy;
using tests::queueOf;
using tests::recordOf;
using tests::stateOf;
using Holder = tests::Holder<ZooKeeperGroup>;

class TestSimulatedZooKeeperRecord : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void holdersAndQueueAreNamed_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<bool>("queues");
        QTest::addRow("zk-mutex") << QByteArray("zk-mutex") << true;
        QTest::addRow("zk-sequential") << QByteArray("zk-sequential") << true;
        QTest::addRow("zk-rw") << QByteArray("zk-rw") << true;
        QTest::addRow("zk-ephemeral") << QByteArray("zk-ephemeral") << false;
    }
    void holdersAndQueueAreNamed() {
        QFETCH(QByteArray, recipe);
        QFETCH(bool, queues);
        ZooKeeperGroup g(3);
        g.service->watch("orders", "zk-mutex");
        Holder a(g, "A", recipe), b(g, "B", recipe), c(g, "C", recipe);
        QVERIFY(a.taken && !b.taken && !c.taken);
        const trace::Record held = recordOf(g);
        QCOMPARE(held.owner, a.thread);
        QVERIFY(held.deadline < 0); // what a session holds has no end of its own
        QVERIFY(held.token > 0);
        if (queues) QCOMPARE(queueOf(held), (std::vector{b.thread, c.thread}));
        a.release();
        QVERIFY(a.freed);
        QVERIFY(lastFreedBy(g) == trace::FreedBy::Release);
        const trace::Record next = recordOf(g);
        QCOMPARE(next.owner, b.taken ? b.thread : c.thread);
        if (queues) QCOMPARE(queueOf(next), (std::vector{c.thread}));
    }

    void aDeadHoldersEndIsAnExpiry() {
        ZooKeeperGroup g(3);
        g.service->watch("orders", "zk-mutex");
        Holder a(g, "A", "zk-mutex");
        a.die();
        g.run(3500ms);
        QCOMPARE(recordOf(g).owner, a.thread);
        g.run(2s);
        QCOMPARE(recordOf(g).owner, trace::kNoEntity);
        QVERIFY(lastFreedBy(g) == trace::FreedBy::Expiry);
    }

    /// A client that asks anew in another session has two places: the first one is nobody's, and blocks the others
    /// until the server ends the session that it belongs to.
    void aPlaceOfAFormerSessionStandsFirst() {
        ZooKeeperGroup g(3);
        g.service->watch("orders", "zk-mutex");
        Holder a(g, "A", "zk-mutex"), former(g, "B", "zk-mutex"), c(g, "C", "zk-mutex");
        const auto deadPlaces = [&g] {
            std::vector<trace::EntityId> dead;
            for (const trace::QueuedWaiter& place : recordOf(g).queue)
                if (place.dead) dead.push_back(place.thread);
            return dead;
        };
        QCOMPARE(queueOf(recordOf(g)), (std::vector{former.thread, c.thread}));
        QVERIFY(deadPlaces().empty());
        former.die();
        Holder b(g, "B", "zk-mutex");
        QCOMPARE(b.thread, former.thread);
        QCOMPARE(queueOf(recordOf(g)), (std::vector{b.thread, c.thread}));
        QCOMPARE(deadPlaces(), std::vector{b.thread});
        QCOMPARE(recordOf(g).waiters, 2);
        g.run(6s);
        QCOMPARE(queueOf(recordOf(g)), (std::vector{c.thread, b.thread}));
        QVERIFY(deadPlaces().empty());
    }

    void anOperatorFreesByForce() {
        ZooKeeperGroup g(3);
        g.service->watch("orders", "zk-mutex");
        Holder a(g, "A", "zk-mutex");
        g.service->forceRelease("orders");
        g.run(100ms);
        QCOMPARE(recordOf(g).owner, trace::kNoEntity);
        QVERIFY(lastFreedBy(g) == trace::FreedBy::Force);
    }

    void theRecordOutlivesLeaders() {
        ZooKeeperGroup g(3);
        g.service->watch("orders", "zk-mutex");
        Holder a(g, "A", "zk-mutex");
        g.at(2).kill();
        g.run(2s);
        QCOMPARE(recordOf(g).owner, a.thread);
        QVERIFY(a.lock->stillMine());
        a.release();
        QCOMPARE(recordOf(g).owner, trace::kNoEntity);
    }

    /// A follower that is cut off still has the lock with the former holder.
    void eachServerHasACopy() {
        ZooKeeperGroup g(ZooKeeperGroup::settings(3, ZooKeeperGroup::quick(500ms, 20)));
        g.service->watch("orders", "zk-mutex");
        Holder a(g, "A", "zk-mutex");
        for (const std::size_t i : {1, 2})
            g.network.between(g.at(0).entity(), g.at(i).entity()).setCut(true);
        a.die();
        Holder b(g, "B", "zk-mutex");
        g.run(6s);
        QCOMPARE(recordOf(g).owner, b.thread);
        const trace::State state = stateOf(g);
        std::array<trace::EntityId, 3> owners{};
        int copies = 0;
        for (const auto& [lock, record] : state.records) {
            if (record.copyOf == trace::kNoEntity) continue;
            QCOMPARE(record.copyOf, g.service->lockEntity("orders"));
            ++copies;
            for (std::size_t i = 0; i < 3; ++i)
                if (g.trace->entity(lock).parent == g.at(i).entity()) owners[i] = record.owner;
        }
        QCOMPARE(copies, 3);
        QCOMPARE(owners, (std::array{a.thread, b.thread, b.thread}));
    }
};

QTEST_GUILESS_MAIN(TestSimulatedZooKeeperRecord)
#include "tst_simulated_zookeeper_record.moc"
