// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/access.h"
#include "client/blocking/service.h"
#include "operated_redis.h"
#include <lockscope/mutex.h>
#include <lockscope/semaphore.h>
#include <lockscope/shared_mutex.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace lockscope;
using namespace lockscope::test;
using namespace std::chrono_literals;

/// Threads that block, on a real Redis.
class TestBlockingLocks : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    OperatedRedis m_redis{m_runtime};

    std::string url() const { return m_redis.url().toStdString(); }
    redis::Reply ask(redis::Args args) { return m_redis.ask(std::move(args)); }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(m_redis.start()); }
    void init() { m_redis.empty(); }
    void cleanupTestCase() { m_redis.stop(); }

    void theStandardsGuardsWork() {
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders"), stock(client, "stock");
        {
            const std::lock_guard guard(orders);
            QVERIFY(orders.stillMine());
            QCOMPARE(ask({"EXISTS", "orders"}).integer, 1);
        }
        QCOMPARE(ask({"EXISTS", "orders"}).integer, 0);
        {
            const std::scoped_lock both(orders, stock);
            QVERIFY(orders.stillMine() && stock.stillMine());
        }
        QCOMPARE(ask({"EXISTS", "orders", "stock"}).integer, 0);
        std::unique_lock<blocking::Mutex> later(orders, std::defer_lock);
        QVERIFY(later.try_lock_for(1s));
        later.unlock();
        QVERIFY(later.try_lock_until(std::chrono::system_clock::now() + 1s));
        later = {};
        QVERIFY(!orders.stillMine());
        QCOMPARE(ask({"EXISTS", "orders"}).integer, 0);
    }

    void anyoneMayAskWhetherItIsHeld() {
        blocking::Client client(url()), another(url());
        blocking::Mutex orders(client, "orders"), theirs(another, "orders");
        blocking::Semaphore seats(client, "seats", 2), others(another, "seats", 2);
        QVERIFY(!theirs.isLocked() && !others.isLocked());
        {
            const std::lock_guard guard(orders);
            const blocking::Permit permit = seats.acquire();
            QVERIFY(theirs.isLocked() && others.isLocked());
            QVERIFY(orders.isLocked()); // also who holds it
        }
        QVERIFY(!theirs.isLocked());
        QVERIFY(soon([&] { return !others.isLocked(); }));
        orders.lock();
        QVERIFY(theirs.forceUnlock() && !theirs.isLocked());
        QVERIFY_THROWS_EXCEPTION(NotOwnerException, orders.unlockOrThrow());
        another.close();
        QVERIFY_THROWS_EXCEPTION(LockException, theirs.isLocked());
    }

    void aThreadReentersAndAnotherWaits() {
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders");
        orders.lock();
        QVERIFY(orders.try_lock());
        QCOMPARE(orders.holdCount(), 2);
        const auto other = [&](auto wait) {
            return std::async(std::launch::async,
                              [&orders, wait] {
                                  const bool taken = orders.try_lock_for(wait);
                                  if (taken) orders.unlock();
                                  return taken;
                              })
                .get();
        };
        QVERIFY(!other(0ms));
        QCOMPARE(orders.unlockOrThrow(), 1);
        QVERIFY(!other(50ms));
        QCOMPARE(orders.unlockOrThrow(), 0);
        QVERIFY(other(0ms));
    }

    void twoObjectsOfOneNameAreOneLock() {
        blocking::Client client(url());
        blocking::Mutex one(client, "orders"), same(client, "orders");
        one.lock();
        QVERIFY(same.stillMine() && same.try_lock());
        QCOMPARE(one.holdCount(), 2);
        same.unlock();
        one.unlock();
        QCOMPARE(ask({"EXISTS", "orders"}).integer, 0);
    }

    void anUnguardedCounterEndsExact() {
        constexpr int kThreads = 8, kRounds = 60;
        blocking::Client first(url()), second(url());
        int counter = 0; // no atomic, no mutex of the process: the distributed one has to do
        std::atomic<int> inside = 0, clashes = 0;
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&, i] {
                blocking::Mutex mutex(i % 2 == 0 ? first : second, "counter");
                for (int round = 0; round < kRounds; ++round) {
                    const std::lock_guard guard(mutex);
                    if (inside.fetch_add(1) != 0) ++clashes;
                    ++counter;
                    inside.fetch_sub(1);
                }
            });
        }
        threads.clear();
        QCOMPARE(clashes.load(), 0);
        QCOMPARE(counter, kThreads * kRounds);
    }

    void aStopRequestEndsAWaitAndLeavesNothing() {
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders");
        orders.lock();
        std::atomic<bool> interrupted = false;
        std::jthread waiter([&](std::stop_token stop) {
            try {
                orders.lock(stop);
            } catch (const InterruptedException&) {
                interrupted = true;
            }
        });
        QVERIFY(soon([&] { return ask({"PUBSUB", "CHANNELS"}).items.size() == 1; }));
        waiter.request_stop();
        waiter.join();
        QVERIFY(interrupted);
        QVERIFY(soon([&] { return ask({"PUBSUB", "CHANNELS"}).items.empty(); }));
        orders.unlock();
        QCOMPARE(ask({"EXISTS", "orders"}).integer, 0);
        std::stop_source already;
        already.request_stop();
        QVERIFY_THROWS_EXCEPTION(InterruptedException, orders.lock(already.get_token()));
        QCOMPARE(ask({"EXISTS", "orders"}).integer, 0);
    }

    void aRecipeByItsNameIsTheSameLockAsTheUsualOne() {
        blocking::Client client(url());
        LockOptions named;
        named.recipe = "redis-reentrant";
        blocking::Mutex usual(client, "orders"), byName(client, "orders", named);
        usual.lock();
        byName.lock();
        QCOMPARE(usual.holdCount(), 2);
        byName.unlock();
        QVERIFY(usual.stillMine());
        usual.unlock();
        QVERIFY(!usual.stillMine() && !byName.stillMine());
        QCOMPARE(ask({"EXISTS", "orders"}).integer, 0);
    }

    void aLossIsTold() {
        LockOptions options;
        options.lease = 600ms;
        options.watchdog = 200ms;
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders", options);
        std::promise<std::string> told;
        std::promise<ErrorKind> within;
        orders.onLost([&](const std::string& reason) {
            told.set_value(reason);
            try {
                orders.try_lock(); // would wait for itself
            } catch (const LockException& refused) {
                within.set_value(refused.kind());
            }
        });
        std::optional<ErrorKind> problem;
        orders.onUnlockFailed([&](const LockException& failed) { problem = failed.kind(); });
        orders.lock();
        QVERIFY(orders.stillMine());
        ask({"DEL", "orders"});
        QVERIFY(!told.get_future().get().empty());
        QVERIFY(within.get_future().get() == ErrorKind::Deadlock);
        QVERIFY(!orders.stillMine());
        QVERIFY_THROWS_EXCEPTION(NotOwnerException, orders.unlockOrThrow());
        orders.unlock(); // as a guard's destructor does
        QVERIFY(problem == ErrorKind::NotOwner);
    }

    void aLossIsNotToldToALockThatIsGone() {
        LockOptions options;
        options.lease = 600ms;
        options.watchdog = 100ms;
        blocking::Client client(url());
        blocking::Mutex first(client, "orders", options);
        auto second = std::make_unique<blocking::Mutex>(client, "orders", options); // the same lock
        std::atomic<bool> toldFirst = false, toldSecond = false;
        first.onLost([&](const std::string&) {
            second.reset();
            toldFirst = true;
        });
        second->onLost([&](const std::string&) { toldSecond = true; });
        first.lock();
        ask({"DEL", "orders"});
        QVERIFY(soon([&] { return toldFirst.load(); }));
        client.ping(); // after everybody was told
        QVERIFY(!toldSecond);
    }

    void namesOfLocksThatAreGoneAreForgotten() {
        constexpr int kNames = 10'000;
        blocking::Client client(url());
        const auto known = [&] {
            blocking::detail::Service& service = *blocking::detail::Access::service(client);
            return service.call<std::size_t>(
                [&](std::stop_token) -> recipes::Outcome<std::size_t> { co_return service.namesKnown(); });
        };
        LockOptions named;
        named.recipe = "redis-reentrant";
        for (int i = 0; i < kNames; ++i) {
            const std::string name = "order-" + std::to_string(i);
            const blocking::Mutex usual(client, name), byName(client, name, named);
        }
        QCOMPARE(known(), std::size_t(0));
        LockOptions wrong;
        wrong.recipe = "redis-no-such";
        QVERIFY_THROWS_EXCEPTION(NotSupportedException, blocking::Mutex(client, "orders", wrong));
        QCOMPARE(known(), std::size_t(0));
        const blocking::Mutex one(client, "orders");
        const blocking::Mutex same(client, "orders");
        QCOMPARE(known(), std::size_t(2)); // as it was asked for, and as it came to be
    }

    void instantsFarAwayAreWhereTheyAre() {
        using blocking::detail::waitUntil;
        using Steady = std::chrono::steady_clock;
        using Days = std::chrono::time_point<std::chrono::system_clock, std::chrono::days>;
        QCOMPARE(waitUntil(Steady::time_point::min()), Nanos(0));
        QCOMPARE(waitUntil(Steady::now() - 1s), Nanos(0));
        QVERIFY(waitUntil(Steady::time_point::max()) > std::chrono::hours(24 * 365 * 100));
        QCOMPARE(waitUntil(Days::min()), Nanos(0)); // whole numbers of ns know no such day
        QCOMPARE(waitUntil(Days::max()), kNever);
        const Nanos soon = waitUntil(std::chrono::system_clock::now() + 1h);
        QVERIFY(soon > 50min && soon <= 1h);

        blocking::Client client(url()), other(url());
        blocking::Mutex held(other, "orders"), wanted(client, "orders");
        held.lock();
        QVERIFY(!wanted.try_lock_until(Steady::time_point::min()));
        held.unlock();
    }

    void nothingIsLeftOfAClientThatIsGone() {
        std::weak_ptr<blocking::detail::Service> service;
        {
            blocking::Client client(url());
            service = blocking::detail::Access::service(client);
            blocking::Mutex orders(client, "orders");
            orders.lock();
            orders.unlock();
        }
        QVERIFY(service.expired()); // nor of its thread
    }

    void aLockMayBeTheLastOfItsServiceInACallback() {
        LockOptions options;
        options.lease = 600ms;
        options.watchdog = 100ms;
        blocking::Client client(url());
        const std::weak_ptr<blocking::detail::Service> service = blocking::detail::Access::service(client);
        auto orders = std::make_shared<blocking::Mutex>(client, "orders", options);
        std::atomic<bool> told = false;
        std::promise<void> mine;
        orders->onLost(
            [&told, wait = std::make_shared<std::future<void>>(mine.get_future()), orders](const std::string&) {
                wait->get();
                orders->onLost({}); // what runs is now the last that has it
                told = true;
            });
        orders->lock();
        ask({"DEL", "orders"});
        client = blocking::Client(url()); // closes nothing: the first one's locks go on
        orders.reset();
        mine.set_value();
        QVERIFY(soon([&] { return told && service.expired(); }));
    }

    void aClientMayLoseItsLastOwnerInACallback() {
        LockOptions options;
        options.lease = 600ms;
        options.watchdog = 100ms;
        auto client = std::make_shared<blocking::Client>(url());
        auto orders = std::make_shared<blocking::Mutex>(*client, "orders", options);
        const std::weak_ptr<blocking::detail::Service> service = blocking::detail::Access::service(*client);
        std::promise<void> mine;
        std::atomic<bool> told = false;
        orders->onLost(
            [&told, wait = std::make_shared<std::future<void>>(mine.get_future()), client, orders](const std::string&) {
                wait->get();
                orders->onLost({}); // what runs is now the last that has them
                told = true;
            });
        orders->lock();
        ask({"DEL", "orders"});
        client.reset();
        orders.reset();
        mine.set_value();
        QVERIFY(soon([&] { return told && service.expired(); }));
    }

    void theOwnClockCountsWhenTheServerIsSilent() {
        LockOptions options;
        options.lease = 1s;
        options.watchdog = 300ms;
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders", options);
        std::atomic<bool> lost = false;
        orders.onLost([&](const std::string&) { lost = true; });
        orders.lock();
        QTest::qWait(1500); // longer than its lease: renewed meanwhile
        QVERIFY(orders.stillMine());
        m_redis->pause();
        QVERIFY(soon([&] { return !orders.stillMine(); }));
        QVERIFY(soon([&] { return lost.load(); }));
        m_redis->resume();
    }

    void whatGoesWrongIsToldApartByType() {
        QVERIFY_THROWS_EXCEPTION(InvalidArgumentException, (void)blocking::Client("redsi://127.0.0.1"));
        QVERIFY_THROWS_EXCEPTION(UnreachableException, (void)blocking::Client("redis://127.0.0.1:1"));
        try {
            blocking::Client refused("redis://nobody:sesame@127.0.0.1:" + std::to_string(m_redis->port()));
            QFAIL("logged in with a wrong password");
        } catch (const LockException& error) {
            QVERIFY(std::string(error.what()).find("sesame") == std::string::npos);
        }
        blocking::Client client(url());
        ask({"SET", "orders", "precious"});
        blocking::Mutex orders(client, "orders");
        QVERIFY_THROWS_EXCEPTION(ForeignFormatException, orders.lock());
        QVERIFY_THROWS_EXCEPTION(NotOwnerException, orders.unlockOrThrow());
        LockOptions options;
        options.recipe = "redis-no-such";
        QVERIFY_THROWS_EXCEPTION(NotSupportedException, blocking::Mutex(client, "orders", options));
    }

    void closingEndsWaitsAndWhatComesLater() {
        auto client = std::make_unique<blocking::Client>(url());
        blocking::Client other(url());
        blocking::Mutex held(other, "orders"), wanted(*client, "orders");
        held.lock();
        auto waiter = std::async(std::launch::async, [&] {
            try {
                wanted.lock();
            } catch (const InterruptedException&) {
                return true;
            }
            return false;
        });
        QVERIFY(soon([&] { return ask({"PUBSUB", "CHANNELS"}).items.size() == 1; }));
        client.reset();
        QVERIFY(waiter.get());
        QVERIFY_THROWS_EXCEPTION(UnreachableException, wanted.lock());
        held.unlock();
        QCOMPARE(ask({"EXISTS", "orders"}).integer, 0);
    }

    void closingIsALossForWhoHolds() {
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders");
        blocking::Semaphore places(client, "places", 3);
        std::atomic<int> told = 0;
        orders.onLost([&](const std::string&) { ++told; });
        orders.lock();
        const blocking::Permit place = places.acquire();
        QVERIFY(orders.stillMine() && place.stillMine());
        client.close();
        QVERIFY(!orders.stillMine() && !place.stillMine());
        QCOMPARE(told.load(), 1);
    }

    void readersShareAndAWriterDoesNot() {
        blocking::Client first(url()), second(url());
        blocking::SharedMutex mine(first, "prices"), theirs(second, "prices");
        {
            const std::shared_lock reader(mine);
            const std::shared_lock another(theirs, std::try_to_lock);
            QVERIFY(another.owns_lock() && mine.stillShared() && theirs.stillShared());
            QVERIFY(!mine.stillMine());
            const std::unique_lock writer(theirs, 50ms);
            QVERIFY(!writer.owns_lock());
        }
        const std::unique_lock writer(theirs, 2s);
        QVERIFY(writer.owns_lock() && theirs.stillMine());
        QVERIFY(!mine.try_lock_shared_for(50ms));
    }

    void permitsAreAsManyAsSaid() {
        constexpr int kPermits = 3;
        blocking::Client first(url()), second(url());
        std::atomic<int> inside = 0, most = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 8; ++i) {
                threads.emplace_back([&, i] {
                    blocking::Semaphore seats(i % 2 == 0 ? first : second, "seats", kPermits);
                    for (int round = 0; round < 10; ++round) {
                        const blocking::Permit seat = seats.acquire();
                        const int now = ++inside;
                        for (int known = most; known < now && !most.compare_exchange_weak(known, now);) {
                        }
                        second.ping(); // stays for a while
                        --inside;
                    }
                });
            }
        }
        QVERIFY2(most <= kPermits && most > 1, qPrintable(QString::number(most)));
        blocking::Semaphore seats(first, "seats", kPermits);
        blocking::Permit two = seats.acquire(2);
        QVERIFY(two && two.stillMine());
        QVERIFY(!seats.tryAcquire(2));
        blocking::Permit one = seats.tryAcquire();
        QVERIFY(one);
        std::jthread elsewhere([moved = std::move(two)]() mutable { moved.unlock(); }); // from another thread
        elsewhere.join();
        QVERIFY(!two);
        QVERIFY(seats.tryAcquireFor(2s, 2));
        one.unlock();
        QVERIFY(!one.stillMine());
    }

    void tokensGrow() {
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders");
        std::int64_t last = 0;
        for (int i = 0; i < 5; ++i) {
            const std::lock_guard guard(orders);
            QVERIFY(orders.token() > last);
            last = orders.token();
        }
        QCOMPARE(orders.token(), std::int64_t(0));
    }

    void aReleaseIsHeardAtOnce() {
        blocking::Client first(url()), second(url());
        blocking::Mutex mine(first, "orders"), theirs(second, "orders");
        std::vector<double> delays;
        for (int i = 0; i < 40; ++i) {
            mine.lock();
            std::atomic<std::chrono::steady_clock::rep> got = 0;
            std::jthread waiter([&] {
                const std::lock_guard guard(theirs);
                got = std::chrono::steady_clock::now().time_since_epoch().count();
            });
            while (ask({"PUBSUB", "NUMSUB", "redisson_lock__channel:{orders}"}).items.at(1).integer == 0) {
            }
            const auto released = std::chrono::steady_clock::now().time_since_epoch().count();
            mine.unlock();
            waiter.join();
            delays.push_back(double(got - released) / 1e6);
        }
        std::ranges::sort(delays);
        qInfo("hand-over to a blocked thread: median %.3f ms, worst %.3f ms", delays[delays.size() / 2], delays.back());
        QVERIFY2(delays[delays.size() / 2] < 20, qPrintable(QString::number(delays[delays.size() / 2])));
    }
};

QTEST_GUILESS_MAIN(TestBlockingLocks)
#include "tst_blocking_locks.moc"
