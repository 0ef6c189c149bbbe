// SPDX-License-Identifier: Apache-2.0
#include "lock/distributed_mutex.h"
#include "redis_of_two.h"

using namespace lockscope;
using namespace lockscope::test;

/// Locks by name over a connection, on a real Redis.
class TestNamedLocks : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    RedisOfTwo m_redis{m_runtime};

    redis::Reply ask(redis::Args args) { return m_redis.ask(std::move(args)); }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(m_redis.start()); }
    void init() { m_redis.empty(); }
    void cleanupTestCase() { m_redis.stop(); }

    void aReplicaSaysThatItGrantsNoLock() {
        sandbox::RedisServer replica(m_runtime);
        VERIFY_STARTED(replica);
        const auto connection = connectionTo(m_runtime, replica.url());
        QVERIFY(run(connection->ping()).has_value());
        redis::RedisDriver driver(m_runtime, urlOf(replica));
        QVERIFY(call(driver, {"REPLICAOF", "127.0.0.1", QByteArray::number(urlOf(m_redis.url()).endpoints[0].port)}));
        const auto alive = run(connection->ping());
        QVERIFY(!alive && alive.error().kind == LockError::Kind::Refused);
        QVERIFY2(alive.error().message.contains(QStringLiteral("replica")), qPrintable(alive.error().message));
    }

    void aLeaseThatNoServerCanGrantIsRefused() {
        LockOptions none;
        none.lease = Nanos(0);
        DistributedMutex mutex(m_redis.a(), "orders", none);
        const auto guard = run(mutex.lock());
        QVERIFY(!guard && guard.error().kind == LockError::Kind::Refused);
    }

    void aGuardHoldsUntilItGoes() {
        DistributedMutex mutex(m_redis.a(), "orders"), rival(m_redis.b(), "orders");
        {
            auto guard = run(mutex.lock());
            QVERIFY(guard.has_value() && *guard && guard->stillMine());
            QVERIFY(mutex.stillMine() && mutex.holdCount() == 1);
            QVERIFY(guard->remaining() > 25s);
            auto refused = run(rival.tryLock());
            QVERIFY(refused.has_value() && !*refused);
        }
        QVERIFY(!mutex.stillMine() || soon([&] { return !mutex.stillMine(); }));
        const auto next = run(rival.tryLockFor(5s));
        QVERIFY(next.has_value() && *next);
    }

    void unlockSaysHowItWent() {
        DistributedMutex mutex(m_redis.a(), "orders");
        auto outer = run(mutex.lock());
        QVERIFY(outer.has_value());
        auto inner = run(mutex.lock());
        QVERIFY(inner.has_value());
        QCOMPARE(run(inner->unlock()).value(), 1);
        QVERIFY(!*inner && *outer && outer->stillMine());
        ask({"DEL", "orders"});
        const auto left = run(outer->unlock());
        QVERIFY(!left.has_value() && left.error().kind == LockError::Kind::NotOwner);
        QVERIFY(!outer->stillMine());
        const auto never = run(LockGuard().unlock());
        QVERIFY(!never.has_value() && never.error().kind == LockError::Kind::NotOwner);
    }

    void anUnknownRecipeIsAnErrorOfTheFirstUse() {
        LockOptions options;
        options.recipe = "zk-mutex-of-nobody";
        DistributedMutex mutex(m_redis.a(), "orders", options);
        const auto guard = run(mutex.tryLock());
        QVERIFY(!guard.has_value() && guard.error().kind == LockError::Kind::NotSupported);
        QVERIFY(guard.error().message.contains(QStringLiteral("redis-reentrant")));
    }

    void anEpochThatDoesNotFitIsRefused() {
        HoldOptions options;
        options.epoch = kMostEpochs + 1;
        const auto lock = makeLock(m_redis.a(), "orders", recipes::Mode::Exclusive, options);
        QVERIFY(!lock.has_value() && lock.error().kind == LockError::Kind::Refused);
    }

    void listenersHearOfEveryEvent() {
        DistributedMutex mutex(m_redis.a(), "orders");
        std::vector<DistributedLock::Event> events;
        mutex.listen([&](DistributedLock::Event event, const QByteArray&, const QString&) { events.push_back(event); });
        auto guard = run(mutex.lock());
        QVERIFY(guard.has_value());
        auto again = run(mutex.lock());
        QVERIFY(again.has_value());
        run(again->unlock());
        run(guard->unlock());
        using enum DistributedLock::Event;
        QCOMPARE(events, (std::vector{Acquired, Reentered, Released, Released}));
    }

    void aLeaseOfItsOwnIsNotRenewed_data() {
        QTest::addColumn<int>("what");
        QTest::newRow("mutex") << 0;
        QTest::newRow("writer") << 1;
        QTest::newRow("reader") << 2;
        QTest::newRow("permits") << 3;
    }
    void aLeaseOfItsOwnIsNotRenewed() {
        QFETCH(int, what);
        LockOptions options;
        options.lease = 600ms;
        options.watchdog = 100ms;
        DistributedMutex mutex(m_redis.a(), "orders", options);
        DistributedSharedMutex prices(m_redis.a(), "prices", options);
        DistributedSemaphore seats(m_redis.a(), "seats", 2, options);
        const auto take = [&](Nanos lease) {
            switch (what) {
            case 0:
                return run(mutex.tryLockWithLease(0s, lease));
            case 1:
                return run(prices.tryLockWithLease(0s, lease));
            case 2:
                return run(prices.tryLockSharedWithLease(0s, lease));
            default:
                return run(seats.tryAcquireWithLease(0s, lease, 2));
            }
        };
        const auto tooShort = take(Nanos(0));
        QVERIFY(!tooShort && tooShort.error().kind == LockError::Kind::Refused);
        auto guard = take(900ms);
        QVERIFY(guard && *guard);
        QVERIFY(soon([&] { return !guard->stillMine(); }));
        // The server has ended it as well: others get it. With the watchdog it would go on for ever.
        QVERIFY(soon([&] {
            const auto next = take(900ms);
            return next && *next;
        }));
    }

    void holdsAreCountedByTheirKind() {
        DistributedSharedMutex prices(m_redis.a(), "prices");
        auto one = run(prices.lockShared()), two = run(prices.lockShared());
        QVERIFY(one && *one && two && *two);
        QCOMPARE(prices.sharedHoldCount(), 2);
        QCOMPARE(prices.holdCount(), 0);
        QCOMPARE(prices.sharedHoldCount("2"), 0);
        QVERIFY(run(two->unlock()).has_value() && run(one->unlock()).has_value());
        QCOMPARE(prices.sharedHoldCount(), 0);
        auto writer = run(prices.lock());
        QVERIFY(writer.has_value());
        QCOMPARE(prices.holdCount(), 1);
        QCOMPARE(prices.sharedHoldCount(), 0);
        QVERIFY(run(writer->unlock()).has_value());
    }

    void theRecipeFollowsFromWhatIsWanted() {
        DistributedSharedMutex mine(m_redis.a(), "prices"), theirs(m_redis.b(), "prices");
        auto reader = run(mine.lockShared());
        QVERIFY(reader.has_value());
        auto another = run(theirs.tryLockShared());
        QVERIFY(another.has_value());
        QVERIFY(*reader && *another && mine.stillShared() && !mine.stillMine());
        QCOMPARE((*mine.lockObject())->recipe().id, QByteArray("redis-rw"));
        QVERIFY(run(theirs.isLocked()).value()); // by readers
        QVERIFY(!run(theirs.tryLock("2")).value());
        run(reader->unlock());
        run(another->unlock());
        QVERIFY(run(theirs.tryLockFor(2s)).value());

        DistributedSemaphore seats(m_redis.a(), "seats", 2), others(m_redis.b(), "seats", 2);
        auto one = run(seats.acquire());
        QVERIFY(one.has_value());
        auto two = run(others.acquire());
        QVERIFY(two.has_value());
        QVERIFY(*one && *two && !run(seats.tryAcquire()).value());
        QVERIFY(run(others.isLocked()).value());
        QCOMPARE((*seats.lockObject())->recipe().id, QByteArray("redis-semaphore"));
        run(one->unlock());
        QVERIFY(run(others.tryAcquireFor(2s)).value());
    }

    void aForcedUnlockFreesItForOthers() {
        DistributedMutex mutex(m_redis.a(), "orders"), rival(m_redis.b(), "orders");
        QVERIFY(!run(rival.isLocked()).value());
        auto guard = run(mutex.lock());
        QVERIFY(run(rival.isLocked()).value());
        QVERIFY(run(rival.forceUnlock()).value());
        QVERIFY(!run(rival.isLocked()).value());
        QVERIFY(!run(rival.forceUnlock()).value());
        const auto next = run(rival.tryLock());
        QVERIFY(next.has_value() && *next);
    }

    void whatIsLockedStandsInTheTrace() {
        const auto trace = std::make_shared<trace::Trace>();
        trace::Recorder recorder(trace, [this] { return m_runtime.monotonic(); });
        const auto client = trace->intern(trace::EntityKind::Client, "A");
        m_redis.a().record(&recorder, client);
        {
            DistributedMutex mutex(m_redis.a(), "orders");
            auto guard = run(mutex.lock());
            QVERIFY(guard.has_value());
            QCOMPARE(run(guard->unlock()).value(), 0);
        }
        m_redis.a().record(nullptr, trace::kNoEntity);
        std::vector<trace::EventKind> kinds;
        for (std::size_t i = 0; i < trace->size(); ++i) {
            if (trace::isBelief(trace->kindAt(i))) kinds.push_back(trace->kindAt(i));
        }
        using enum trace::EventKind;
        QCOMPARE(kinds, (std::vector{Requested, Granted, BelievedUntil, ReleaseSent, Released}));
    }
};

QTEST_GUILESS_MAIN(TestNamedLocks)
#include "tst_named_locks.moc"
