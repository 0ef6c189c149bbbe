// SPDX-License-Identifier: Apache-2.0
// The queue of redis-fair in virtual time: what the dead in it cost, and that the living keep their places.
#include "lock_bench_world.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::recipes;
using tests::LockWorld;

namespace {

const QByteArray kName = "orders", kQueue = "redisson_lock_queue:{orders}",
                 kDeadlines = "redisson_lock_timeout:{orders}";

/// A process with a recipe of its own, in the patience that RedisLock has by itself.
struct Client {
    Client(LockWorld& w, const QByteArray& name)
        : world(w),
          process(std::make_unique<LockWorld::Process>(w, name)),
          recipe(makeRedisRecipe("redis-fair", {process->wire, kName, process->uuid})) {}
    QByteArray field() const { return process->uuid + ":1"; }
    /// Asks, and once it has it works for so long (kNever: for ever).
    void ask(std::vector<Client*>* order = nullptr, Nanos work = kNever, Nanos wait = kNever) {
        process->runtime.spawn([this, order, work, wait] { return lock(order, work, wait); });
    }
    void die() { process->runtime.kill(); }
    bool got() const { return gotAt != kNever; }

    LockWorld& world;
    std::unique_ptr<LockWorld::Process> process;
    std::unique_ptr<Recipe> recipe;
    std::optional<Grant> grant;
    Nanos gotAt = kNever;

private:
    QCoro::Task<> lock(std::vector<Client*>* order, Nanos work, Nanos wait) {
        Request request;
        request.wait = wait;
        auto taken = co_await recipe->acquire(request, {});
        if (!taken || !*taken) co_return;
        gotAt = world.scheduler.now();
        grant = **taken;
        if (order) order->push_back(this);
        if (work == kNever) co_return;
        co_await process->runtime.sleep(work);
        co_await recipe->release(*grant, {});
    }
};

struct Queue : LockWorld {
    Queue() : LockWorld(kName) {}
    /// One behind the other.
    std::vector<std::unique_ptr<Client>> clients(int count) {
        std::vector<std::unique_ptr<Client>> all;
        for (int i = 0; i < count; ++i)
            all.push_back(std::make_unique<Client>(*this, "client " + QByteArray::number(i)));
        return all;
    }
    std::int64_t length() { return ask({"LLEN", kQueue}).integer; }
};

} // namespace

class TestRedisFairQueue : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theDeadTimeOutTogether() {
        constexpr int kDead = 6;
        Queue queue;
        Client holder(queue, "holder"), living(queue, "living");
        holder.ask(nullptr, 25s);
        queue.run(1s);
        auto dead = queue.clients(kDead);
        for (const auto& client : dead) {
            client->ask();
            queue.run(100ms);
        }
        living.ask();
        queue.run(1s);
        QCOMPARE(queue.length(), kDead + 1);
        queue.run(20s);
        for (const auto& client : dead)
            client->die();
        const Nanos died = queue.scheduler.now();
        queue.run(60s);
        QVERIFY(living.got());
        QVERIFY2(living.gotAt - died <= 11s, qPrintable(QString::number((living.gotAt - died) / 1ms)));
        QCOMPARE(queue.length(), 0);
    }

    /// They die one by one, each when it is its turn: none of them may cost what those before it have paid already.
    void norDoTheyCostMoreWhenTheyDieInTheirTurn() {
        constexpr int kDead = 5;
        Queue queue;
        Client holder(queue, "holder"), living(queue, "living");
        holder.ask(nullptr, 20s);
        queue.run(1s);
        auto dead = queue.clients(kDead);
        for (const auto& client : dead) {
            client->ask();
            queue.run(100ms);
        }
        living.ask();
        for (const auto& client : dead) {
            queue.run(3s);
            client->die();
        }
        const Nanos died = queue.scheduler.now();
        queue.run(60s);
        QVERIFY(living.got());
        QVERIFY2(living.gotAt - died <= 11s, qPrintable(QString::number((living.gotAt - died) / 1ms)));
    }

    /// A waiter that waits longer than a waiter may be silent keeps its place all the same, also behind dead ones.
    void theLivingKeepTheirPlaces() {
        constexpr int kClients = 8;
        Queue queue;
        std::vector<Client*> order;
        Client holder(queue, "holder");
        holder.ask(nullptr, 25s);
        queue.run(1s);
        auto all = queue.clients(kClients);
        std::vector<Client*> expected;
        for (int i = 0; i < kClients; ++i) {
            Client& client = *all[std::size_t(i)];
            client.ask(&order, 8s);
            queue.run(100ms);
            if (i % 3 == 1)
                client.die();
            else
                expected.push_back(&client);
        }
        queue.run(150s);
        QCOMPARE(order.size(), expected.size());
        QVERIFY(order == expected);
        QCOMPARE(queue.length(), 0);
    }

    /// A client of Redisson that takes the lock moves every deadline by what it would have waited itself: ours do not
    /// go by theirs.
    void anothersArithmeticCostsTheLivingNothing() {
        Queue queue;
        std::vector<Client*> order;
        Client holder(queue, "holder"), first(queue, "first"), second(queue, "second");
        holder.ask(nullptr, 5s);
        queue.run(1s);
        first.ask(&order, 1s);
        queue.run(100ms);
        second.ask(&order, 1s);
        queue.run(100ms);
        queue.ask({"ZINCRBY", kDeadlines, "-300000", first.field()});
        queue.run(10s);
        QVERIFY((order == std::vector<Client*>{&first, &second}));
    }

    /// A dead Redisson client leaves an entry that has a deadline and nothing else: the deadline counts.
    void aDeadWaiterOfRedissonCountsByItsDeadline() {
        Queue queue;
        Client holder(queue, "holder"), living(queue, "living");
        holder.ask(nullptr, 5s);
        queue.run(1s);
        const redis::Reply time = queue.ask({"TIME"});
        const qlonglong now = time.items[0].text.toLongLong() * 1000;
        queue.ask({"RPUSH", kQueue, "0123abcd-0000-4000-8000-000000000000:1"});
        queue.ask({"ZADD", kDeadlines, QByteArray::number(now + 7000), "0123abcd-0000-4000-8000-000000000000:1"});
        living.ask();
        const Nanos begun = queue.scheduler.now();
        queue.run(60s);
        QVERIFY(living.got());
        const Nanos took = living.gotAt - begun;
        QVERIFY2(took > 5s && took < 9s, qPrintable(QString::number(took / 1ms)));
    }

    void nothingStaysOnTheServer() {
        Queue queue;
        std::vector<Client*> order;
        auto all = queue.clients(4);
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i]->ask(&order, 500ms, i == 3 ? Nanos(600ms) : kNever); // the last one gives up
            queue.run(100ms);
        }
        queue.run(20s);
        QCOMPARE(order.size(), std::size_t(3));
        QCOMPARE(queue.ask({"DBSIZE"}).integer, 0);
    }
};

QTEST_GUILESS_MAIN(TestRedisFairQueue)
#include "tst_redis_fair_queue.moc"
