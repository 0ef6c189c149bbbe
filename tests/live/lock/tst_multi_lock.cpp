// SPDX-License-Identifier: Apache-2.0
// Several locks as one, on a Redis, a ZooKeeper and an SQLite file at once.
#include "live_connection.h"
#include "lock/distributed_multi_lock.h"
#include "lock/distributed_mutex.h"
#include "sandbox/workspace.h"
#include "sandbox/zookeeper_server.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {
LockOptions leaseOf(Nanos lease) {
    LockOptions options;
    options.lease = lease;
    options.watchdog = lease / 3;
    options.token = true;
    return options;
}

/// One client process with a connection to each server, and the locks of the parts alone.
struct Party {
    Party(Runtime& runtime, const QStringList& urls) {
        for (const QString& url : urls) {
            connections.push_back(connectionTo(runtime, url));
            ready = ready && connections.back() && run(connections.back()->prepare());
            if (!ready) return;
            alone.push_back(std::make_unique<DistributedMutex>(*connections.back(), "orders"));
        }
    }
    /// `turned`: in the opposite order.
    std::vector<LockPart> parts(bool turned = false) const {
        std::vector<LockPart> all;
        for (const auto& connection : connections)
            all.push_back({*connection, "orders"});
        if (turned) std::ranges::reverse(all);
        return all;
    }
    /// How many of the parts anybody holds.
    int locked() const {
        int count = 0;
        for (const auto& mutex : alone)
            count += run(mutex->isLocked()).value_or(false) ? 1 : 0;
        return count;
    }
    std::vector<std::unique_ptr<Connection>> connections;
    std::vector<std::unique_ptr<DistributedMutex>> alone;
    bool ready = true;
};

struct Tally {
    int inside = 0, most = 0, taken = 0, done = 0;
    QStringList wrong;
    std::vector<std::vector<std::int64_t>> tokens; ///< in the order of the first party's parts
};

QCoro::Task<> takeTurns(Runtime& runtime, DistributedMultiLock& lock, QByteArray thread, bool turned, Tally& tally) {
    for (int round = 0; round < 4; ++round) {
        auto guard = co_await lock.lock(thread);
        if (!guard || !*guard) {
            tally.wrong += guard ? QStringLiteral("not taken") : guard.error().message;
            break;
        }
        tally.most = std::max(tally.most, ++tally.inside);
        ++tally.taken;
        std::vector<std::int64_t> tokens = guard->tokens();
        if (turned) std::ranges::reverse(tokens);
        tally.tokens.push_back(tokens);
        const Nanos work = 5ms;
        co_await runtime.sleep(work);
        --tally.inside;
        const auto left = co_await guard->unlock();
        if (!left) tally.wrong += left.error().message;
    }
    ++tally.done;
}
} // namespace

class TestMultiLock : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_redis{m_runtime};
    sandbox::ZooKeeperServer m_zooKeeper{m_runtime};
    sandbox::Workspace m_files;

    QStringList urls() const {
        return {m_redis.url(), m_zooKeeper.url(),
                QStringLiteral("sqlite://") + m_files.file(QStringLiteral("locks.db"))};
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_redis);
        VERIFY_STARTED(m_zooKeeper);
    }

    void allOfThemOrNone() {
        const Party a(m_runtime, urls()), b(m_runtime, urls());
        QVERIFY(a.ready && b.ready);
        DistributedMultiLock lock(a.parts(), leaseOf(30s));
        {
            auto guard = run(lock.tryLock());
            QVERIFY2(guard && *guard, guard ? "not taken" : qPrintable(guard.error().message));
            QVERIFY(guard->stillMine() && lock.stillMine());
            QVERIFY(guard->remaining() > 1s);
            const auto tokens = guard->tokens();
            QCOMPARE(tokens.size(), std::size_t(3));
            QVERIFY(std::ranges::all_of(tokens, [](std::int64_t token) { return token > 0; }));
            QCOMPARE(guard->token(), 0);
            QCOMPARE(b.locked(), 3);
            for (const auto& part : b.alone)
                QVERIFY(!run(part->tryLock()).value());
            // Again: all parts are reentrant.
            auto inner = run(lock.tryLock());
            QVERIFY(inner && *inner);
            QCOMPARE(lock.holdCount(), 2);
            QCOMPARE(run(inner->unlock()).value(), 1);
            QCOMPARE(b.locked(), 3);
            QCOMPARE(run(guard->unlock()).value(), 0);
        }
        QCOMPARE(b.locked(), 0);
        for (const auto& part : b.alone) {
            auto theirs = run(part->tryLock());
            QVERIFY(theirs && *theirs);
            const auto tried = run(lock.tryLock());
            QVERIFY(tried && !*tried);
            QCOMPARE(b.locked(), 1); // nothing stays of ours
            QVERIFY(run(theirs->unlock()).has_value());
        }
    }

    void oppositeOrdersGetThrough() {
        const Party a(m_runtime, urls()), b(m_runtime, urls());
        QVERIFY(a.ready && b.ready);
        DistributedMultiLock forth(a.parts(), leaseOf(2s)), back(b.parts(true), leaseOf(2s));
        Tally tally;
        for (const char* thread : {"1", "2"}) {
            m_runtime.spawn([&, thread] { return takeTurns(m_runtime, forth, thread, false, tally); });
            m_runtime.spawn([&, thread] { return takeTurns(m_runtime, back, thread, true, tally); });
        }
        QVERIFY(soon([&] { return tally.done == 4; }, 100'000));
        QCOMPARE(tally.wrong, QStringList());
        QCOMPARE(tally.most, 1);
        QCOMPARE(tally.taken, 16);
        QCOMPARE(a.locked(), 0);
        // Each resource can tell a late holder by its own token.
        for (std::size_t part = 0; part < 3; ++part) {
            const auto late = std::ranges::adjacent_find(tally.tokens, std::ranges::greater_equal(),
                                                         [part](const auto& tokens) { return tokens[part]; });
            QVERIFY(late == tally.tokens.end());
        }
    }

    void whoLosesAPartLosesAll_data() {
        QTest::addColumn<int>("part");
        QTest::newRow("redis") << 0;
        QTest::newRow("zookeeper") << 1;
        QTest::newRow("sqlite") << 2;
    }
    void whoLosesAPartLosesAll() {
        QFETCH(int, part);
        const Party a(m_runtime, urls()), b(m_runtime, urls());
        QVERIFY(a.ready && b.ready);
        DistributedMultiLock lock(a.parts(), leaseOf(2s));
        QString lost;
        lock.listen([&](HoldEvent event, const QByteArray&, const QString& reason) {
            if (event == HoldEvent::Lost) lost = reason;
        });
        auto guard = run(lock.lock());
        QVERIFY(guard && *guard);
        const std::stop_token told = guard->lost();
        QVERIFY(run(b.alone[static_cast<std::size_t>(part)]->forceUnlock()).value_or(false));
        QVERIFY(soon([&] { return told.stop_requested(); }));
        QVERIFY(!lost.isEmpty());
        QVERIFY(!guard->stillMine());
        QVERIFY(soon([&] { return b.locked() == 0; }));
        QCOMPARE(run(guard->unlock()).error().kind, LockError::Kind::NotOwner);
    }

    void aPartsServerThatIsAway_data() {
        QTest::addColumn<bool>("first");
        QTest::newRow("the one that is taken first") << true;
        QTest::newRow("the one that is taken last") << false;
    }
    void aPartsServerThatIsAway() {
        QFETCH(bool, first);
        sandbox::RedisServer redis(m_runtime);
        sandbox::ZooKeeperServer zooKeeper(m_runtime);
        VERIFY_STARTED(redis);
        VERIFY_STARTED(zooKeeper);
        const QStringList servers{zooKeeper.url() + QStringLiteral("?session=2s"), redis.url()};
        const Party a(m_runtime, servers), b(m_runtime, {first ? servers[0] : servers[1]});
        QVERIFY(a.ready && b.ready);
        DistributedMultiLock lock(a.parts(), leaseOf(1500ms));
        std::vector<HoldEvent> heard;
        lock.listen([&](HoldEvent event, const QByteArray&, const QString&) { heard.push_back(event); });
        auto guard = run(lock.lock());
        QVERIFY(guard && *guard);
        QCOMPARE(b.locked(), 1);
        if (first)
            redis.kill();
        else
            zooKeeper.kill();
        QVERIFY(soon([&] { return !guard->stillMine(); }));
        QVERIFY(std::ranges::find(heard, HoldEvent::Suspended) != heard.end());
        QVERIFY(soon([&] { return std::ranges::find(heard, HoldEvent::Lost) != heard.end(); }));
        QVERIFY(soon([&] { return b.locked() == 0; })); // long before it would end by itself, if ever

        // A client that tries meanwhile gets an error; a waiter goes on when the server is back. Neither keeps the
        // other part.
        const auto tried = run(lock.tryLock());
        QVERIFY(!tried);
        QVERIFY(!tried.error().message.isEmpty());
        QCOMPARE(b.locked(), 0);
        auto waiting = lock.tryLockFor(60s);
        if (first)
            VERIFY_STARTED(redis);
        else
            VERIFY_STARTED(zooKeeper);
        auto again = run(std::move(waiting));
        QVERIFY2(again && *again, again ? "not taken" : qPrintable(again.error().message));
        QCOMPARE(b.locked(), 1);
        QVERIFY(run(again->unlock()).has_value());
        QCOMPARE(b.locked(), 0);
    }

    void aStopRequestLeavesNothing() {
        const Party a(m_runtime, urls()), b(m_runtime, urls());
        QVERIFY(a.ready && b.ready);
        auto theirs = run(b.alone[1]->lock()); // that of the ZooKeeper is taken last
        QVERIFY(theirs && *theirs);
        DistributedMultiLock lock(a.parts(), leaseOf(30s));
        std::stop_source stop;
        auto ended = howCancelled(lock.lock("1", stop.get_token()));
        QVERIFY(soon([&] { return b.locked() == 3; }));
        stop.request_stop();
        QCOMPARE(run(std::move(ended)), std::optional(Cancelled::Why::Stopped));
        QVERIFY(soon([&] { return b.locked() == 1; }));
        QVERIFY(run(theirs->unlock()).has_value());
    }

    void aLeaseOfItsOwnEnds() {
        const Party a(m_runtime, urls()), b(m_runtime, urls());
        QVERIFY(a.ready && b.ready);
        DistributedMultiLock lock(a.parts(), leaseOf(30s));
        auto guard = run(lock.tryLockWithLease(10s, 700ms));
        QVERIFY(guard && *guard);
        QVERIFY(guard->remaining() <= 700ms);
        QVERIFY(soon([&] { return !guard->stillMine(); }));
        QVERIFY(soon([&] { return b.locked() == 0; }));
        QCOMPARE(run(lock.tryLockWithLease(0s, 0s)).error().kind, LockError::Kind::Refused);
    }

    void whatMakesNoSenseIsRefused() {
        const Party a(m_runtime, urls());
        QVERIFY(a.ready);
        const auto kindOf = [](std::vector<LockPart> parts) {
            DistributedMultiLock lock(std::move(parts));
            const auto tried = run(lock.tryLock());
            return tried ? -1 : int(tried.error().kind);
        };
        const int refused = int(LockError::Kind::Refused);
        Connection& redis = *a.connections[0];
        QCOMPARE(kindOf({}), refused);
        QCOMPARE(kindOf({{redis, "a"}, {*a.connections[1], "a"}, {redis, "a"}}), refused);
        QCOMPARE(kindOf({{redis, "a"}, {redis, "b", "zk-mutex"}}), int(LockError::Kind::NotSupported));
        QCOMPARE(kindOf({{redis, "a"}, {redis, "b", "redis-semaphore"}}), int(LockError::Kind::NotSupported));
        EventLoopRuntime another;
        const auto elsewhere = connectionTo(another, m_redis.url());
        QVERIFY(elsewhere);
        QCOMPARE(kindOf({{redis, "a"}, {*elsewhere, "b"}}), refused);
        QCOMPARE(kindOf({{redis, "a"}, {redis, "b", "redis-set"}}), -1);
    }
};

QTEST_GUILESS_MAIN(TestMultiLock)
#include "tst_multi_lock.moc"
