// SPDX-License-Identifier: Apache-2.0
// A hundred clients wait for one lock: whom a release wakes, and that each gets its turn.
#include "lock_bench_world.h"

#include <QTest>

using namespace lockscope;
using tests::LockWorld;
using trace::EventKind;

namespace {
const QByteArray kName = "orders";
constexpr int kWaiters = 100;

/// One who waits, and how it went.
struct Client {
    Client(LockWorld& world, const QByteArray& recipe, int number)
        : process(world, "W" + QByteArray::number(number)), lock(world.lock(process, recipe, kName)) {}
    LockWorld::Process process;
    std::unique_ptr<DistributedLock> lock;
};
} // namespace

class TestManyWaiters : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aReleaseWakesWhomItsRecipeSays_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<int>("woken");
        QTest::newRow("one channel for all") << QByteArray("redis-reentrant") << kWaiters;
        QTest::newRow("a channel for each") << QByteArray("redis-fair") << 1;
    }
    void aReleaseWakesWhomItsRecipeSays() {
        QFETCH(QByteArray, recipe);
        QFETCH(int, woken);
        LockWorld world(kName);
        LockWorld::Process holder(world, "A");
        const auto held = world.lock(holder, recipe, kName);
        holder.runtime.spawn([&]() -> QCoro::Task<> {
            co_await held->lock();
            co_await held->unlock(); // so that the scripts are known to the server
            co_await held->lock();
        });
        world.run(100ms);

        std::vector<std::unique_ptr<Client>> waiters;
        std::vector<int> served;
        bool goOn = false;
        for (int i = 0; i < kWaiters; ++i) {
            Client& waiter = *waiters.emplace_back(std::make_unique<Client>(world, recipe, i));
            waiter.process.runtime.spawn([&waiter, &served, &goOn, i]() -> QCoro::Task<> {
                co_await waiter.lock->lock();
                served.push_back(i);
                while (!goOn)
                    co_await waiter.process.runtime.sleep(1ms);
                co_await waiter.lock->unlock();
            });
            world.run(1ms); // so that they come one after the other
        }
        world.run(100ms);
        QVERIFY(served.empty());

        const int before = world.count(EventKind::Request);
        holder.runtime.spawn([&]() -> QCoro::Task<> { co_await held->unlock(); });
        world.run(5ms);
        QCOMPARE(served.size(), std::size_t(1));
        const int asked = world.count(EventKind::Request) - before - 1; // without the release
        // The new holder ends its subscription, too.
        QVERIFY2(asked >= woken && asked <= woken + 1, QByteArray::number(asked));

        goOn = true;
        world.run(5s);
        QCOMPARE(served.size(), std::size_t(kWaiters));
        QCOMPARE(world.count(EventKind::Lost), 0);
        QCOMPARE(world.ask({"EXISTS", kName}).integer, 0);
        if (woken == 1) QVERIFY(std::ranges::is_sorted(served)); // first come, first served
        std::ranges::sort(served);
        QVERIFY(std::ranges::adjacent_find(served) == served.end());
    }
};

QTEST_GUILESS_MAIN(TestManyWaiters)
#include "tst_many_waiters.moc"
