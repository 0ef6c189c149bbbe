// SPDX-License-Identifier: Apache-2.0
// A guard gives its hold back in the background: also when its lock and its connection go right after it.
#include "live_connection.h"
#include "lock/named_lock.h"
#include "recipes/multi.h"
#include "sandbox/memcached_server.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {
/// One client process: connections to some servers, and one lock that is made of all of them.
struct Party {
    Party(Runtime& runtime, const QStringList& urls, LockOptions options = {}) {
        for (const QString& url : urls) {
            connections.push_back(connectionTo(runtime, url));
            prepared = prepared && connections.back() && run(connections.back()->prepare());
        }
        if (!prepared) return;
        if (urls.size() == 1) {
            lock = *makeLock(*connections[0], "orders", recipes::Mode::Exclusive, options);
            return;
        }
        std::vector<std::unique_ptr<recipes::Recipe>> parts;
        for (const auto& connection : connections)
            parts.push_back(std::move(*connection->makeRecipe(connection->defaultRecipe(), {"orders"})));
        auto all =
            std::make_unique<recipes::MultiRecipe>(runtime, *recipes::findRecipe("redis-multi"), std::move(parts));
        lock = std::make_unique<DistributedLock>(connections[0]->lockClient(), std::move(all), options);
    }
    bool takes(Nanos wait) {
        LockRequest request;
        request.wait = wait;
        const auto taken = run(lock->take(request));
        return taken && *taken;
    }
    void goAway() {
        lock.reset();
        connections.clear();
    }
    std::vector<std::unique_ptr<Connection>> connections;
    bool prepared = true;
    std::unique_ptr<DistributedLock> lock; ///< goes before the connections
};
} // namespace

class TestReleaseInBackground : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_redis{m_runtime};
    sandbox::MemcachedServer m_memcached{m_runtime};
    sandbox::Workspace m_files;

    void everyKind() {
        QTest::addColumn<QStringList>("urls");
        const QString sqlite = QStringLiteral("sqlite://") + m_files.file(QStringLiteral("locks.db"));
        QTest::newRow("redis") << QStringList{m_redis.url()};
        QTest::newRow("memcached") << QStringList{m_memcached.url()};
        QTest::newRow("sqlite") << QStringList{sqlite};
        QTest::newRow("all as one") << QStringList{m_redis.url(), m_memcached.url(), sqlite};
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_redis);
        VERIFY_STARTED(m_memcached);
    }

    void aGuardThatGoesRightBeforeItsConnection_data() { everyKind(); }
    void aGuardThatGoesRightBeforeItsConnection() {
        QFETCH(QStringList, urls);
        Party first(m_runtime, urls), rival(m_runtime, urls);
        QVERIFY(first.prepared && rival.prepared);
        {
            auto guard = run(first.lock->acquire({}));
            QVERIFY(guard.has_value() && *guard);
            QVERIFY(!rival.takes(Nanos(0)));
        }
        first.goAway();
        QVERIFY(rival.takes(5s)); // the lease is longer than that
        QCOMPARE(run(rival.lock->unlock()).value(), 0);
    }

    void aRuntimeThatEndsMeanwhileLeavesItToTheLease_data() { everyKind(); }
    void aRuntimeThatEndsMeanwhileLeavesItToTheLease() {
        QFETCH(QStringList, urls);
        LockOptions options;
        options.lease = 1s;
        {
            EventLoopRuntime runtime;
            Party first(runtime, urls, options);
            QVERIFY(first.prepared);
            auto guard = run(first.lock->acquire({}));
            QVERIFY(guard.has_value() && *guard);
        } // the guard, its lock, its connection and the runtime, in this order
        Party rival(m_runtime, urls);
        QVERIFY(rival.prepared && rival.takes(10s));
        QCOMPARE(run(rival.lock->unlock()).value(), 0);
    }

    /// A listener that is told of a loss may destroy everything while the other parts are still given back.
    void partsAreGivenBackAlthoughAllIsGone_data() {
        QTest::addColumn<bool>("silent");
        QTest::newRow("a part is taken away") << false;
        QTest::newRow("the server is silent for longer than the lease") << true;
    }
    void partsAreGivenBackAlthoughAllIsGone() {
        QFETCH(bool, silent);
        sandbox::RedisServer server(m_runtime);
        VERIFY_STARTED(server);
        LockOptions options;
        options.recipe = "redis-multi";
        options.lease = silent ? Nanos(1s) : Nanos(30s);
        options.watchdog = 100ms;
        auto connection = connectionTo(m_runtime, server.url());
        const auto rival = connectionTo(m_runtime, server.url());
        QVERIFY(connection && rival);
        auto lock = makeLock(*connection, "a,b,c", recipes::Mode::Exclusive, options).value();
        const auto alone = makeLock(*rival, "c", recipes::Mode::Exclusive, {}).value();
        bool lost = false;
        lock->listen([&](HoldEvent event, const QByteArray&, const QString&) {
            if (event != HoldEvent::Lost) return;
            lost = true;
            lock.reset();
            connection.reset();
        });
        QVERIFY(run(lock->take({})).value_or(false));
        if (silent) {
            server.pause();
        } else {
            const auto part = makeLock(*rival, "a", recipes::Mode::Exclusive, {}).value();
            QVERIFY(run(part->forceUnlock()).value_or(false));
        }
        QVERIFY(soon([&] { return lost; }));
        QVERIFY(!connection);
        if (silent) server.resume();
        LockRequest request;
        request.wait = 10s; // less than the lease
        QVERIFY(run(alone->take(request)).value_or(false));
        QCOMPARE(run(alone->unlock()).value(), 0);
    }

    void aReleaseThatFailsIsTold_data() {
        QTest::addColumn<bool>("rests");
        QTest::addColumn<bool>("listens");
        QTest::newRow("of a guard, to a listener") << false << true;
        QTest::newRow("of a guard, on stderr") << false << false;
        QTest::newRow("after its rest, to a listener") << true << true;
        QTest::newRow("after its rest, on stderr") << true << false;
    }
    void aReleaseThatFailsIsTold() {
        QFETCH(bool, rests);
        QFETCH(bool, listens);
        sandbox::RedisServer server(m_runtime);
        VERIFY_STARTED(server);
        LockOptions options;
        if (rests) options.minHold = 2s;
        Party first(m_runtime, {server.url() + QStringLiteral("?timeout=500ms&connect=500ms")}, options);
        QVERIFY(first.prepared);
        QStringList reasons;
        if (listens) {
            first.lock->listen([&](HoldEvent event, const QByteArray& thread, const QString& reason) {
                if (event == HoldEvent::ReleaseFailed) reasons += QString::fromUtf8(thread) + QLatin1Char(' ') + reason;
            });
        }
        static QStringList warnings;
        warnings.clear();
        const auto before = qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& text) {
            if (type == QtWarningMsg) warnings += text;
        });
        bool rested = false;
        {
            auto guard = run(first.lock->acquire({}));
            const bool taken = guard && *guard;
            rested = taken && (!rests || run(guard->unlock()).has_value());
            server.kill();
        }
        const bool told = soon([&] { return !reasons.isEmpty() || !warnings.isEmpty(); });
        qInstallMessageHandler(before);
        QVERIFY(rested && told);
        QCOMPARE(reasons.size(), listens ? 1 : 0);
        QCOMPARE(warnings.size(), listens ? 0 : 1);
        const QString said = listens ? reasons.front() : warnings.front();
        const QString where = QStringLiteral("127.0.0.1:%1").arg(server.port());
        QVERIFY2(said.startsWith(listens ? QStringLiteral("1 ") : QStringLiteral("Lockscope: ")), qPrintable(said));
        QVERIFY2(said.contains(where), qPrintable(said));
        QVERIFY(!first.lock->isHeld());
    }

    void aHoldThatIsToRestEndsAlthoughItsLockIsGone_data() { everyKind(); }
    void aHoldThatIsToRestEndsAlthoughItsLockIsGone() {
        QFETCH(QStringList, urls);
        LockOptions options;
        options.minHold = 500ms;
        Party first(m_runtime, urls, options), rival(m_runtime, urls);
        QVERIFY(first.prepared && rival.prepared);
        const auto begun = std::chrono::steady_clock::now();
        QVERIFY(first.takes(5s));
        QCOMPARE(run(first.lock->unlock()).value(), 0);
        first.goAway();
        QVERIFY(rival.takes(10s));
        const Nanos after = std::chrono::steady_clock::now() - begun;
        QVERIFY(after >= 500ms && after < 10s);
        QCOMPARE(run(rival.lock->unlock()).value(), 0);
    }
};

QTEST_GUILESS_MAIN(TestReleaseInBackground)
#include "tst_release_in_background.moc"
