// SPDX-License-Identifier: Apache-2.0
// The library's own connection and recipes over a simulated ZooKeeper, in virtual time.
#include "connections/connection.h"
#include "lock/distributed_lock.h"
#include "zookeeper_group.h"

using namespace lockscope;
using tests::ZooKeeperGroup;

namespace {

constexpr Nanos kHold = 50ms, kThink = 20ms;

/// Clients that take one lock again and again, and what they see.
struct Contention {
    ZooKeeperGroup& group;
    QByteArray recipe;
    int inside = 0, most = 0, takings = 0, losses = 0;
    QByteArray trouble;
    struct Contender {
        std::unique_ptr<VirtualRuntime> runtime;
        std::unique_ptr<Connection> connection;
        int takings = 0;
    };
    std::vector<std::unique_ptr<Contender>> contenders;

    Contention(ZooKeeperGroup& g, QByteArray id) : group(g), recipe(std::move(id)) {}
    ~Contention() {
        for (const auto& contender : contenders)
            contender->runtime->kill();
    }
    recipes::Mode mode() const { return recipe == "zk-semaphore" ? recipes::Mode::Permit : recipes::Mode::Exclusive; }
    void add(const QByteArray& name) {
        contenders.push_back(std::make_unique<Contender>());
        Contender& own = *contenders.back();
        const auto entity = group.trace->intern(trace::EntityKind::Client, name);
        own.runtime = std::make_unique<VirtualRuntime>(group.scheduler, 500 + contenders.size());
        const auto url = parseConnectionUrl(group.service->url() + QStringLiteral("?session=4s"));
        if (!url) qFatal("%s", qPrintable(url.error()));
        own.connection = makeConnectionOver(*own.runtime, group.service->diallers({entity}), *url);
        own.runtime->spawn([this, &own] { return take(own); });
    }
    QCoro::Task<> take(Contender& own) {
        for (;;) {
            auto made = own.connection->makeRecipe(recipe, {"orders"});
            if (!made) {
                trouble = made.error().message.toUtf8();
                co_return;
            }
            DistributedLock lock(LockClient{*own.runtime, own.connection->client(), nullptr, trace::kNoEntity},
                                 std::move(*made), {});
            LockRequest request;
            request.mode = mode();
            const auto taken = co_await lock.take(request);
            if (!taken) {
                trouble = taken.error().message.toUtf8();
            } else if (*taken) {
                most = std::max(most, ++inside);
                ++takings;
                ++own.takings;
                co_await own.runtime->sleep(kHold);
                --inside;
                if (!lock.stillMine("1", mode())) ++losses;
                (void)co_await lock.unlock("1", mode());
            }
            co_await own.runtime->sleep(own.runtime->random(Nanos(0), kThink));
        }
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
        for (const char* name : {"A", "B", "C", "D"})
            contention.add(name);
        g.run(10s);
        QCOMPARE(contention.trouble, QByteArray());
        QCOMPARE(contention.most, 1);
        QCOMPARE(contention.losses, 0);
        QVERIFY2(contention.takings > 100, QByteArray::number(contention.takings));
        for (const auto& contender : contention.contenders) // a herd is not fair
            QVERIFY2(contender->takings > 5 || recipe == "zk-ephemeral", QByteArray::number(contender->takings));
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

    void oneRunIsLikeTheOther() {
        const auto digest = [](std::uint64_t seed) {
            ZooKeeperGroup g(3, seed);
            Contention contention(g, "zk-mutex");
            for (const char* name : {"A", "B", "C"})
                contention.add(name);
            g.run(1s);
            g.at(2).kill();
            g.run(3s);
            return g.trace->digest();
        };
        QCOMPARE(digest(5), digest(5));
        QVERIFY(digest(5) != digest(6));
    }
};

QTEST_GUILESS_MAIN(TestZooKeeperRecipes)
#include "tst_simulated_zookeeper_recipes.moc"
