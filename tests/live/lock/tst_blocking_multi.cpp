// SPDX-License-Identifier: Apache-2.0
// Several locks as one for threads that block, on a Redis and a ZooKeeper at once.
#include "live_redis.h"
#include "sandbox/zookeeper_server.h"
#include <lockscope/condition.h>
#include <lockscope/multi_lock.h>
#include <lockscope/mutex.h>

#include <atomic>
#include <mutex>
#include <thread>

using namespace lockscope;
using namespace lockscope::test;

namespace {
/// One program: a client for each server, beside each other, and the parts alone.
struct Program {
    Program(const QString& redisUrl, const QString& zooKeeperUrl)
        : redis(redisUrl.toStdString()), zooKeeper(zooKeeperUrl.toStdString(), {.beside = &redis}) {}
    blocking::Client redis, zooKeeper;
    blocking::Mutex orders{redis, "orders"}, stock{zooKeeper, "stock"};
    int locked() { return int(orders.isLocked()) + int(stock.isLocked()); }
};

LockOptions leaseOf(Nanos lease) {
    LockOptions options;
    options.lease = lease;
    options.watchdog = lease / 3;
    options.token = true;
    return options;
}
} // namespace

class TestBlockingMulti : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_redis{m_runtime};
    sandbox::ZooKeeperServer m_zooKeeper{m_runtime};

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_redis);
        VERIFY_STARTED(m_zooKeeper);
    }

    void theStandardsGuardsWork() {
        Program a(m_redis.url(), m_zooKeeper.url()), b(m_redis.url(), m_zooKeeper.url());
        blocking::MultiLock both({{a.redis, "orders"}, {a.zooKeeper, "stock"}}, leaseOf(30s));
        QVERIFY(both.tokens().empty());
        {
            const std::unique_lock lock(both, 5s);
            QVERIFY(lock.owns_lock() && both.stillMine());
            QCOMPARE(both.tokens().size(), std::size_t(2));
            QVERIFY(both.tokens()[0] > 0 && both.tokens()[1] > 0);
            QVERIFY(both.remaining() > 1s);
            QCOMPARE(b.locked(), 2);
            QVERIFY(!b.orders.try_lock() && !b.stock.try_lock());
        }
        QCOMPARE(b.locked(), 0);
        const std::lock_guard theirs(b.stock);
        QVERIFY(!both.try_lock());
        QVERIFY(!both.try_lock_for(50ms));
        QVERIFY(!b.orders.isLocked());
    }

    /// Two programs, two threads each, which take the parts in opposite orders.
    void threadsOfTwoProgramsTakeTurns() {
        Program a(m_redis.url(), m_zooKeeper.url()), b(m_redis.url(), m_zooKeeper.url());
        blocking::MultiLock forth({{a.redis, "orders"}, {a.zooKeeper, "stock"}}, leaseOf(2s));
        blocking::MultiLock back({{b.zooKeeper, "stock"}, {b.redis, "orders"}}, leaseOf(2s));
        std::atomic<int> inside = 0, clashes = 0, done = 0;
        int written = 0; // guarded by nothing else
        {
            std::vector<std::jthread> threads;
            for (blocking::MultiLock* lock : {&forth, &back, &forth, &back}) {
                threads.emplace_back([&, lock] {
                    for (int round = 0; round < 4; ++round) {
                        const std::lock_guard guard(*lock);
                        if (++inside > 1) ++clashes;
                        ++written;
                        --inside;
                    }
                    ++done;
                });
            }
            QVERIFY(QTest::qWaitFor([&] { return done == 4; }, 100'000));
        }
        QCOMPARE(clashes.load(), 0);
        QCOMPARE(written, 16);
        QCOMPARE(a.locked(), 0);
    }

    void whoLosesAPartLosesAll() {
        Program a(m_redis.url(), m_zooKeeper.url()), b(m_redis.url(), m_zooKeeper.url());
        blocking::MultiLock both({{a.redis, "orders"}, {a.zooKeeper, "stock"}}, leaseOf(30s));
        std::atomic<int> lost = 0;
        both.onLost([&](const std::string& reason) { lost += reason.empty() ? 100 : 1; });
        both.lock();
        QVERIFY(b.stock.forceUnlock());
        QVERIFY(soon([&] { return lost == 1; }));
        QVERIFY(!both.stillMine());
        QVERIFY(soon([&] { return !b.orders.isLocked(); })); // long before its lease
        QVERIFY_THROWS_EXCEPTION(NotOwnerException, both.unlockOrThrow());
    }

    void anErrorNamesTheLocks() {
        Program a(m_redis.url(), m_zooKeeper.url());
        blocking::MultiLock both({{a.zooKeeper, "stock"}, {a.redis, "orders"}}, leaseOf(5s));
        const auto messageOf = [](const auto& call) -> QByteArray {
            try {
                call();
            } catch (const NotSupportedException& refused) {
                return refused.what();
            }
            return "none";
        };
        both.lock();
        for (const QByteArray& message :
             {messageOf([&] { both.extend(60s); }), messageOf([&] { (void)both.holder(); })}) {
            QVERIFY2(message.contains("(orders, stock)") && !message.contains("multi"), message.constData());
        }
        both.unlock();
    }

    void aPartsServerThatIsAway() {
        sandbox::RedisServer redis(m_runtime);
        VERIFY_STARTED(redis);
        Program a(redis.url(), m_zooKeeper.url());
        blocking::Client another(m_zooKeeper.url().toStdString());
        blocking::Mutex stock(another, "stock");
        blocking::MultiLock both({{a.zooKeeper, "stock"}, {a.redis, "orders"}}, leaseOf(1500ms));
        both.lock();
        redis.kill();
        QVERIFY(soon([&] { return !both.stillMine(); }));
        QVERIFY(soon([&] { return !stock.isLocked(); }));
        QVERIFY_THROWS_EXCEPTION(LockException, both.try_lock());
        QVERIFY(!stock.isLocked());
        VERIFY_STARTED(redis);
        QVERIFY(both.try_lock_for(60s));
        QVERIFY(stock.isLocked());
        both.unlock();
    }

    void aStopRequestEndsTheWait() {
        Program a(m_redis.url(), m_zooKeeper.url()), b(m_redis.url(), m_zooKeeper.url());
        blocking::MultiLock both({{a.redis, "orders"}, {a.zooKeeper, "stock"}}, leaseOf(30s));
        const std::lock_guard theirs(b.stock);
        std::atomic<bool> interrupted = false;
        std::jthread waiting([&](std::stop_token stop) {
            try {
                both.lock(stop);
            } catch (const InterruptedException&) {
                interrupted = true;
            }
        });
        QVERIFY(soon([&] { return b.orders.isLocked(); }));
        waiting.request_stop();
        waiting.join();
        QVERIFY(interrupted);
        QVERIFY(!b.orders.isLocked());
    }

    void clientsBesideEachOther() {
        auto redis = std::make_unique<blocking::Client>(m_redis.url().toStdString());
        blocking::Client alone(m_redis.url().toStdString());
        blocking::Client zooKeeper(m_zooKeeper.url().toStdString(), {.beside = redis.get()});
        QVERIFY(redis->identity() != zooKeeper.identity());
        QCOMPARE(zooKeeper.identity().size(), std::size_t(36));
        zooKeeper.ping();
        using Parts = std::vector<blocking::LockPart>;
        QVERIFY_THROWS_EXCEPTION(RefusedException, blocking::MultiLock(Parts{}));
        QVERIFY_THROWS_EXCEPTION(RefusedException, blocking::MultiLock(Parts{{*redis, "a"}, {alone, "b"}}));
        QVERIFY_THROWS_EXCEPTION(RefusedException, blocking::MultiLock(Parts{{*redis, "a"}, {*redis, "a"}}));
        QVERIFY_THROWS_EXCEPTION(NotSupportedException,
                                 blocking::MultiLock(Parts{{*redis, "a"}, {zooKeeper, "b", "redis-set"}}));
        // A server that is not there is nobody's else's trouble.
        QVERIFY_THROWS_EXCEPTION(LockException,
                                 blocking::Client("redis://127.0.0.1:1?connect=100ms", {.beside = redis.get()}));
        blocking::MultiLock both(Parts{{*redis, "orders"}, {zooKeeper, "stock"}});
        blocking::Mutex orders(*redis, "orders"), sameName(zooKeeper, "orders");
        // A condition is on its mutex's server.
        blocking::Condition changed(sameName);
        {
            std::unique_lock lock(sameName);
            QVERIFY(!changed.wait_for(lock, 50ms));
            QVERIFY(sameName.stillMine() && !orders.isLocked());
            QCOMPARE(changed.notify_one(), 0);
        }
        // The first of them goes; it is closed with the last.
        redis.reset();
        both.lock();
        QVERIFY(orders.isLocked() && !sameName.isLocked());
        both.unlock();
        zooKeeper.close();
        QVERIFY_THROWS_EXCEPTION(UnreachableException, both.lock());
        QVERIFY_THROWS_EXCEPTION(UnreachableException, orders.lock());
        alone.ping();
    }
};

QTEST_GUILESS_MAIN(TestBlockingMulti)
#include "tst_blocking_multi.moc"
