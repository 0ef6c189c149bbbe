// SPDX-License-Identifier: Apache-2.0
#include "operated_redis.h"
#include <lockscope/multi_lock.h>
#include <lockscope/mutex.h>
#include <lockscope/semaphore.h>
#include <lockscope/shared_mutex.h>

#include <future>
#include <mutex>
#include <thread>

using namespace lockscope;
using namespace lockscope::test;
using namespace std::chrono_literals;

/// Holds of blocking locks that no thread is bound to, and those that a thread left behind.
class TestBlockingHolds : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    OperatedRedis m_redis{m_runtime};

    std::string url() const { return m_redis.url().toStdString(); }
    bool there(const char* key) { return m_redis.ask({"EXISTS", key}).integer == 1; }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(m_redis.start()); }
    void init() { m_redis.empty(); }
    void cleanupTestCase() { m_redis.stop(); }

    void aHoldIsGivenBackByAnyThread() {
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders");
        blocking::Hold hold = orders.acquire();
        QVERIFY(hold && hold.stillMine() && hold.remaining() > 20s);
        QVERIFY(hold.token() > 0);
        QCOMPARE(hold.tokens(), std::vector{hold.token()});
        QVERIFY(!orders.stillMine()); // it is not this thread's, …
        QVERIFY(!orders.try_lock());  // … which does not re-enter it
        QVERIFY(!orders.tryAcquireFor(50ms));
        std::jthread([moved = std::move(hold)]() mutable { const blocking::Hold mine = std::move(moved); }).join();
        QVERIFY(!there("orders"));
        QVERIFY(orders.try_lock());
        orders.unlock();
    }

    void aHoldOutlivesItsLockObject() {
        blocking::Client client(url());
        blocking::Hold hold = blocking::Mutex(client, "orders").acquire();
        QVERIFY(hold.stillMine() && there("orders"));
        hold.unlock();
        QVERIFY(!hold && !there("orders"));
        blocking::Hold lost = blocking::Mutex(client, "orders").acquire();
        QVERIFY(blocking::Mutex(client, "orders").forceUnlock());
        QVERIFY_THROWS_EXCEPTION(NotOwnerException, lost.unlock());
        QVERIFY(!lost);
    }

    void severalLocksAndReadersHaveHoldsToo() {
        blocking::Client client(url());
        blocking::MultiLock both({{client, "a"}, {client, "b"}});
        {
            const blocking::Hold hold = both.acquire();
            QCOMPARE(hold.tokens().size(), std::size_t(2));
            QVERIFY(hold.tokens()[0] > 0 && hold.tokens()[1] > 0);
            QVERIFY(there("a") && there("b"));
        }
        QVERIFY(!there("a") && !there("b"));
        blocking::SharedMutex prices(client, "prices");
        const blocking::Hold one = prices.acquireShared(), other = prices.tryAcquireSharedFor(5s);
        QVERIFY(one && other && !prices.tryAcquire());
        const blocking::Hold third = prices.tryAcquireShared(), fourth = prices.tryAcquireSharedWithLease(1s, 10s);
        QVERIFY(third && fourth);
    }

    void whatAnEndedThreadHeldIsGivenBack() {
        blocking::Client client(url()), another(url());
        blocking::Mutex orders(client, "orders"), theirs(another, "orders");
        std::jthread([&] {
            orders.lock();
            orders.lock();
        }).join();
        QVERIFY(!theirs.try_lock());
        orders.unlock(); // not this thread's
        QVERIFY(!theirs.try_lock());
        QCOMPARE(orders.giveBack(blocking::HoldsOf::EndedThreads), 2);
        QVERIFY(theirs.try_lock());
        theirs.unlock();
        QCOMPARE(orders.giveBack(blocking::HoldsOf::EndedThreads), 0);
    }

    void whatALivingThreadHoldsIsGivenBackOnlyWhenAskedFor() {
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders");
        std::string told;
        orders.onUnlockFailed([&](const LockException& problem) { told = problem.what(); });
        std::promise<void> end;
        std::promise<std::unique_lock<blocking::Mutex>> given;
        std::jthread pool([&, ending = end.get_future()] {
            given.set_value(std::unique_lock(orders));
            ending.wait_for(20s);
        });
        {
            const auto guard = given.get_future().get(); // destroyed by this thread, which does not hold it
        }
        QVERIFY2(told.find("giveBack()") != std::string::npos, told.c_str());
        QVERIFY(there("orders"));
        QCOMPARE(orders.giveBack(blocking::HoldsOf::EndedThreads), 0);
        QVERIFY(there("orders"));
        QCOMPARE(orders.giveBack(blocking::HoldsOf::AllThreads), 1);
        QVERIFY(!there("orders"));
        end.set_value();
    }

    void aTimedWaitThatEndsInAnOutageIsFalseAndSaysWhy() {
        sandbox::RedisServer server(m_runtime);
        VERIFY_STARTED(server);
        blocking::Client client(server.url().toStdString() + "?timeout=300ms&connect=300ms");
        blocking::Mutex orders(client, "orders");
        blocking::Semaphore seats(client, "seats", 2);
        std::mutex guard;
        std::vector<std::string> reasons;
        const auto note = [&](HoldEvent event, const std::string& reason) {
            const std::lock_guard held(guard);
            if (event == HoldEvent::WaitFailed) reasons.push_back(reason);
        };
        orders.onEvent(note);
        seats.onEvent(note);
        server.kill();
        QVERIFY(!orders.try_lock_for(700ms));
        QVERIFY(!orders.tryAcquireFor(700ms));
        QVERIFY(!seats.tryAcquireFor(700ms));
        const std::lock_guard held(guard);
        QCOMPARE(reasons.size(), std::size_t(3));
        for (const std::string& reason : reasons)
            QVERIFY2(reason.find("127.0.0.1") != std::string::npos, reason.c_str());
        QVERIFY_THROWS_EXCEPTION(LockException, orders.try_lock()); // one try asks, and has no answer
    }
};

QTEST_GUILESS_MAIN(TestBlockingHolds)
#include "tst_blocking_holds.moc"
