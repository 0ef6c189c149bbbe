// SPDX-License-Identifier: Apache-2.0
// The library's own connection and recipes over a simulated ZooKeeper, in virtual time.
#include "lock_users.h"
#include "zookeeper_group.h"

using namespace lockscope;
using tests::ZooKeeperGroup;

namespace {
struct Contention : tests::Contention<ZooKeeperGroup> {
    Contention(ZooKeeperGroup& g, const QByteArray& id) : tests::Contention<ZooKeeperGroup>(g, id) {
        if (id == "zk-semaphore") request.mode = recipes::Mode::Permit;
    }
};
} // namespace

class TestZooKeeperRecipes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRecipeIsTakenInTurns_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<int>("servers");
        for (const char* recipe : {"zk-ephemeral", "zk-sequential", "zk-mutex", "zk-rw", "zk-semaphore"}) {
            for (const int servers : {1, 3, 5})
                QTest::addRow("%s, %d servers", recipe, servers) << QByteArray(recipe) << servers;
        }
    }
    void everyRecipeIsTakenInTurns() {
        QFETCH(QByteArray, recipe);
        QFETCH(int, servers);
        ZooKeeperGroup g(servers);
        Contention contention(g, recipe);
        tests::expectTurns(contention, 10s, 100, recipe == "zk-ephemeral" ? -1 : 5); // a herd is not fair
    }

    /// The dead holder's node goes with its session.
    void aDeadHolderIsWaitedOut_data() { everyRecipeIsTakenInTurns_data(); }
    void aDeadHolderIsWaitedOut() {
        QFETCH(QByteArray, recipe);
        QFETCH(int, servers);
        ZooKeeperGroup g(servers);
        Contention contention(g, recipe);
        contention.add("A");
        QVERIFY(g.until([&] { return contention.inside == 1; }, 2s) != kNever);
        contention.contenders.front()->runtime->kill();
        contention.contenders.front()->connection.reset();
        contention.inside = 0;
        contention.add("B");
        const Nanos waited = g.until([&] { return contention.inside == 1; }, 10s);
        QVERIFY2(waited > 3s && waited < 5500ms, QByteArray::number(double(waited.count()) / 1e9));
    }

    void aSemaphoreHasAPermit() {
        ZooKeeperGroup g;
        const auto process = g.client("A").entity;
        VirtualRuntime runtime(g.scheduler, 7);
        const auto connection = tests::connectionTo(g, runtime, process);
        const auto refused = connection->makeRecipe("zk-semaphore", {"seats", 0});
        QVERIFY(!refused && refused.error().kind == LockError::Kind::Refused);
        QVERIFY(connection->makeRecipe("zk-semaphore", {"seats", 1}).has_value());
        runtime.kill();
    }

    void oneRunIsLikeTheOther() {
        const auto make = [](std::uint64_t seed) { return std::make_unique<ZooKeeperGroup>(3, seed); };
        tests::expectEqualRuns<ZooKeeperGroup>("zk-mutex", make, [](ZooKeeperGroup& g) { g.at(2).kill(); });
    }
};

QTEST_GUILESS_MAIN(TestZooKeeperRecipes)
#include "tst_simulated_zookeeper_recipes.moc"
