// SPDX-License-Identifier: Apache-2.0
// Redis locks that keep no queue, and that several always want: nobody is kept out by those who ask again at once.
#include "lock_bench_world.h"

#include <QTest>
#include <algorithm>

using namespace lockscope;
using namespace lockscope::recipes;
using tests::LockWorld;

namespace {

const QByteArray kName = "orders";

struct Client {
    Client(LockWorld& world, const QByteArray& recipeId, const QByteArray& name)
        : process(world, name), recipe(makeRedisRecipe(recipeId, {process.wire, kName, process.uuid})) {}
    LockWorld::Process process;
    std::unique_ptr<Recipe> recipe;
};

/// Takes it and gives it back so many times, without a pause.
QCoro::Task<> goRound(Client& client, int number, int rounds, std::vector<int>& order) {
    for (int i = 0; i < rounds; ++i) {
        Request request;
        auto taken = co_await client.recipe->acquire(request, {});
        if (!taken || !*taken) co_return;
        order.push_back(number);
        const auto left = co_await client.recipe->release(**taken, {});
        if (!left) co_return;
    }
}

} // namespace

class TestRedisTurns : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whoAsksAgainAtOnceLinesUp_data() {
        QTest::addColumn<QByteArray>("id");
        for (const char* id : {"redis-set", "redis-reentrant", "redis-fenced"})
            QTest::newRow(id) << QByteArray(id);
    }
    void whoAsksAgainAtOnceLinesUp() {
        QFETCH(QByteArray, id);
        constexpr int kClients = 6, kRounds = 100;
        LockWorld world(kName);
        std::vector<std::unique_ptr<Client>> clients;
        std::vector<int> order;
        for (int i = 0; i < kClients; ++i) {
            clients.push_back(std::make_unique<Client>(world, id, "client " + QByteArray::number(i)));
            Client& client = *clients.back();
            client.process.runtime.spawn([&client, &order, i] { return goRound(client, i, kRounds, order); });
        }
        world.run(60s);
        QCOMPARE(order.size(), std::size_t(kClients * kRounds));
        // Until the first of them has done: after that there are fewer.
        std::vector<int> last(kClients, 0), had(kClients, 0);
        int longest = 0;
        for (int turn = 0; turn < int(order.size()); ++turn) {
            const auto who = std::size_t(order[std::size_t(turn)]);
            longest = std::max(longest, turn - last[who]);
            last[who] = turn;
            if (++had[who] == kRounds) break;
        }
        QVERIFY2(longest <= 3 * kClients, qPrintable(QString::number(longest)));
        QVERIFY2(*std::ranges::min_element(had) >= kRounds / 2,
                 qPrintable(QString::number(*std::ranges::min_element(had))));
    }

    /// Politeness is towards those who wait: without any, nothing is waited for.
    void aloneItIsTakenAgainAtOnce() {
        LockWorld world(kName);
        Client client(world, "redis-set", "client");
        std::vector<int> order;
        client.process.runtime.spawn([&client, &order] { return goRound(client, 0, 100, order); });
        world.run(100ms); // four ways of at most 0.2 ms each time
        QCOMPARE(order.size(), std::size_t(100));
        QCOMPARE(world.ask({"PUBSUB", "CHANNELS"}).items.size(), std::size_t(0));
    }
};

QTEST_GUILESS_MAIN(TestRedisTurns)
#include "tst_redis_turns.moc"
