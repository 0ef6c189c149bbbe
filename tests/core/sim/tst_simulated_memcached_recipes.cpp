// SPDX-License-Identifier: Apache-2.0
// The library's own connection and recipes over simulated memcached servers, and the record of their locks.
#include "lock_users.h"
#include "memcached_group.h"

using namespace lockscope;
using tests::MemcachedGroup;
using Contention = tests::Contention<MemcachedGroup>;
using Holder = tests::Holder<MemcachedGroup>;

class TestSimulatedMemcachedRecipes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRecipeIsTakenInTurns_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<int>("servers");
        for (const char* recipe : {"memcached-add", "memcached-lease"}) {
            for (const int servers : {1, 3})
                QTest::addRow("%s, %d servers", recipe, servers) << QByteArray(recipe) << servers;
        }
    }
    void everyRecipeIsTakenInTurns() {
        QFETCH(QByteArray, recipe);
        QFETCH(int, servers);
        MemcachedGroup g(servers);
        Contention contention(g, recipe);
        tests::expectTurns(contention, 20s, 50, 0);
        // The item is on the ring's server only.
        for (std::size_t i = 0; i < std::size_t(servers); ++i)
            QCOMPARE(g.at(i).steps() > 20, g.at(i).id() == g.service->serverOf("orders").id());
    }

    void theWatchdogKeepsALease() {
        MemcachedGroup g;
        g.service->watch("orders", "memcached-lease");
        Holder a(g, "A", "memcached-lease");
        QVERIFY(a.taken);
        g.run(120s);
        QVERIFY(a.lock->stillMine("1", recipes::Mode::Exclusive));
        QCOMPARE(recordOf(g).owner, a.thread);
        QVERIFY(recordOf(g).deadline > g.scheduler.now().count());
        a.release();
        QVERIFY(a.freed);
        QVERIFY(tests::lastFreedBy(g) == trace::FreedBy::Release);
        QCOMPARE(recordOf(g).owner, trace::kNoEntity);
    }

    void aDeadHoldersEndIsAnExpiry() {
        MemcachedGroup g;
        g.service->watch("orders", "memcached-lease");
        Holder a(g, "A", "memcached-lease");
        QVERIFY(a.taken);
        a.die();
        const std::int64_t deadline = recordOf(g).deadline;
        g.run(29s);
        QCOMPARE(recordOf(g).owner, a.thread);
        g.run(3s);
        QCOMPARE(recordOf(g).owner, trace::kNoEntity);
        QVERIFY(tests::lastFreedBy(g) == trace::FreedBy::Expiry);
        for (std::size_t i = 0; i < g.trace->size(); ++i) {
            const trace::Event event = g.trace->at(i);
            if (event.kind != trace::EventKind::RecordFreed) continue;
            QVERIFY(std::abs(event.at - deadline) <= 1'000'000); // deadlines are written in whole ms
        }
    }

    void anOperatorFreesByForce() {
        MemcachedGroup g(3);
        g.service->watch("orders", "memcached-lease");
        Holder a(g, "A", "memcached-lease");
        g.service->forceRelease("orders");
        QCOMPARE(recordOf(g).owner, trace::kNoEntity);
        QVERIFY(tests::lastFreedBy(g) == trace::FreedBy::Force);
    }

    /// memcached-restart: a restart gives the lock to another client while the first believes, but not for long.
    void aRestartLosesTheLock_data() {
        QTest::addColumn<bool>("evicted");
        QTest::addRow("restart") << false;
        QTest::addRow("eviction") << true;
    }
    void aRestartLosesTheLock() {
        QFETCH(bool, evicted);
        MemcachedGroup g;
        g.service->watch("orders", "memcached-lease");
        Holder a(g, "A", "memcached-lease");
        Holder b(g, "B", "memcached-lease");
        QVERIFY(a.taken && !b.taken);
        if (evicted) {
            g.at().evict("orders");
        } else {
            g.at().kill();
            g.run(100ms);
            g.at().start();
        }
        QVERIFY(tests::lastFreedBy(g) == (evicted ? trace::FreedBy::Evicted : trace::FreedBy::NodeLoss));
        const auto believes = [&a] { return a.lock->stillMine("1", recipes::Mode::Exclusive); };
        QVERIFY(believes());
        bool both = false;
        const Nanos noticed = g.until(
            [&] {
                both = both || (b.taken && believes());
                return !believes();
            },
            30s);
        QVERIFY(noticed != kNever);
        // A broken connection makes the holder ask; of an eviction it hears at its next renewal.
        QCOMPARE(noticed > 1s, evicted);
        g.run(1s);
        QVERIFY(b.taken);
        QVERIFY(both || !evicted);
        QCOMPARE(recordOf(g).owner, b.thread);
    }

    void oneRunIsLikeTheOther() {
        const auto make = [](std::uint64_t seed) {
            return std::make_unique<MemcachedGroup>(3, sim::MemcachedStore::Settings(), seed);
        };
        tests::expectEqualRuns<MemcachedGroup>("memcached-lease", make, [](MemcachedGroup& g) {
            g.service->serverOf("orders").kill();
            g.run(100ms);
            g.service->serverOf("orders").start();
        });
    }
};

QTEST_GUILESS_MAIN(TestSimulatedMemcachedRecipes)
#include "tst_simulated_memcached_recipes.moc"
