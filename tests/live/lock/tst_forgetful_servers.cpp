// SPDX-License-Identifier: Apache-2.0
// Servers that come back without what they knew, and locks that somebody frees by force: the holder is told long before
// its next renewal, which here is a minute away.
#include "lock/recipe_choice.h"
#include "sandbox/etcd_server.h"
#include "sandbox/mariadb_server.h"
#include "sandbox/postgres_server.h"
#include "sandbox/redis_masters.h"
#include "told_holder.h"

using namespace lockscope;
using namespace lockscope::test;
using recipes::Mode;

namespace {
using Holder = ToldHolder;
const QByteArray kName = Holder::kName;

/// A resource that is guarded by tokens.
struct Store {
    bool write(std::int64_t token) {
        if (token < highest) return false;
        highest = token;
        return true;
    }
    std::int64_t highest = 0;
};

// Far below a renewal, far above what a busy machine needs.
constexpr auto kSoon = 3s;
} // namespace

class TestForgetfulServers : public QObject {
    Q_OBJECT

    static void redisRows() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<Mode>("mode");
        for (const recipes::RecipeInfo& info : recipes::allRecipes()) {
            if (info.backend != "redis" || !info.watchdog) continue;
            for (const Mode mode : {Mode::Exclusive, Mode::Shared, Mode::Permit})
                if (offers(info, mode)) QTest::addRow("%s %d", info.id.constData(), int(mode)) << info.id << mode;
        }
    }
    QString urlFor(const QByteArray& id) { return id == "redis-redlock" ? m_masters.url() : m_server.url(); }
    void forget(const QByteArray& id) {
        if (id == "redis-redlock") {
            for (int i = 0; i < m_masters.count(); ++i)
                m_masters.at(i).kill();
            const auto again = run(m_masters.start());
            QVERIFY2(again, again ? "" : qPrintable(again.error()));
        } else {
            m_server.kill();
            VERIFY_STARTED(m_server);
        }
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_server);
        VERIFY_STARTED(m_masters);
    }

    void cleanup() {
        m_server.resume();
        redis::RedisDriver driver(m_runtime, urlOf(m_server));
        QVERIFY(call(driver, {"FLUSHALL"})); // a semaphore's counter would be in the next lock's way
    }

    void redisComesBackEmpty_data() { redisRows(); }
    void redisComesBackEmpty() {
        QFETCH(QByteArray, id);
        QFETCH(Mode, mode);
        Holder holder(urlFor(id), id);
        VERIFY_OPEN(holder.user);
        QVERIFY(holder.take(mode));
        forget(id);
        QVERIFY(holder.msUntilLost(kSoon));
        QVERIFY(!holder.user.lock->stillMine("1", mode));
    }

    void redisComesBackEmptyUnderALeaseThatNobodyRenews() {
        LockOptions options = seldomRenewed();
        options.watchdog = Nanos(0);
        Holder holder(m_server.url(), "redis-set", options);
        VERIFY_OPEN(holder.user);
        QVERIFY(holder.take());
        forget("redis-set");
        QVERIFY(holder.msUntilLost(kSoon));
    }

    void aBrokenConnectionToAServerThatRemembersIsNoLoss() {
        Holder holder(m_server.url(), "redis-set");
        VERIFY_OPEN(holder.user);
        QVERIFY(holder.take());
        redis::RedisDriver other(m_runtime, urlOf(m_server));
        QVERIFY(call(other, {"PEXPIRE", kName, "100000"}));
        QVERIFY(call(other, {"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}));
        // Asked for at once, by its renewal.
        QVERIFY(comesTrue([&] { return call(other, {"PTTL", kName}).value().integer > 170'000; }, kSoon));
        QCOMPARE(holder.lost, 0);
        VERIFY_OK(run(holder.user.lock->unlock()));
    }

    /// The holder that a server has forgotten is refused by whoever checks tokens: those of the next one are greater.
    void tokensGrowAcrossALossOfData_data() {
        QTest::addColumn<QByteArray>("id");
        for (const char* id : {"redis-set", "redis-reentrant", "redis-fenced"})
            QTest::newRow(id) << QByteArray(id);
    }
    void tokensGrowAcrossALossOfData() {
        QFETCH(QByteArray, id);
        Holder stale(m_server.url(), id), next(m_server.url(), id);
        VERIFY_OPEN(stale.user);
        VERIFY_OPEN(next.user);
        std::int64_t token = 0;
        for (int i = 0; i < 20; ++i) { // its counter is not at its beginning
            QVERIFY(stale.take());
            token = stale.user.lock->token();
            if (i < 19) VERIFY_OK(run(stale.user.lock->unlock()));
        }
        forget(id);
        QVERIFY(next.take());
        Store store;
        QVERIFY(store.write(next.user.lock->token()));
        QVERIFY2(!store.write(token), "a write of the holder that lost the lock");
        VERIFY_OK(run(next.user.lock->unlock()));
    }

    /// A server that stood still runs what it finds in its sockets, also of clients that have given up and gone.
    void whatAStoppedRedisRunsLateIsUndone_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<Mode>("mode");
        for (const char* id : {"redis-set", "redis-reentrant", "redis-fair"})
            QTest::newRow(id) << QByteArray(id) << Mode::Exclusive;
        QTest::newRow("redis-semaphore") << QByteArray("redis-semaphore") << Mode::Permit;
    }
    void whatAStoppedRedisRunsLateIsUndone() {
        QFETCH(QByteArray, id);
        QFETCH(Mode, mode);
        Holder next(m_server.url(), id);
        VERIFY_OPEN(next.user);
        QVERIFY(next.take(mode)); // the server knows how to take it from now on
        VERIFY_OK(run(next.user.lock->unlock("1", mode)));
        {
            Holder hasty(m_server.url() + QStringLiteral("?timeout=300ms"), id);
            VERIFY_OPEN(hasty.user);
            m_server.pause();
            letPass(m_runtime, 20ms); // until it stands still
            LockRequest request;
            request.mode = mode;
            request.wait = Nanos(0);
            const auto none = run(hasty.user.lock->take(request));
            QVERIFY(!none && none.error().kind == LockError::Kind::OutcomeUnknown);
        } // and its connections are closed
        m_server.resume();
        // Its lease is three minutes.
        QVERIFY2(next.take(mode), "a client that is gone has the lock");
        VERIFY_OK(run(next.user.lock->unlock("1", mode)));
    }

    void redisFreedByForce_data() { redisRows(); }
    void redisFreedByForce() {
        QFETCH(QByteArray, id);
        QFETCH(Mode, mode);
        for (const bool longHeld : {true, false}) {
            Holder holder(urlFor(id), id), other(urlFor(id), id);
            VERIFY_OPEN(holder.user);
            VERIFY_OPEN(other.user);
            QVERIFY(holder.take(mode));
            if (longHeld) letPass(m_runtime, 800ms); // it listens by now
            QCOMPARE(run(other.user.lock->forceUnlock()).value_or(false), true);
            const auto told = holder.msUntilLost(kSoon);
            QVERIFY(told);
            if (longHeld) QVERIFY2(*told < 1000, "a message tells of it");
        }
    }

    void etcdFreedByForce() {
        sandbox::EtcdServer server(m_runtime);
        VERIFY_STARTED(server);
        Holder holder(server.url(), "etcd-lease"), other(server.url(), "etcd-lease");
        VERIFY_OPEN(holder.user);
        VERIFY_OPEN(other.user);
        QVERIFY(holder.take());
        letPass(m_runtime, 1s);
        QCOMPARE(run(other.user.lock->forceUnlock()).value_or(false), true);
        const auto told = holder.msUntilLost(kSoon);
        QVERIFY(told && *told < 1000);
    }

    void etcdComesBackEmpty() {
        sandbox::EtcdServerOptions options;
        options.port = sandbox::freePort(m_runtime).value();
        options.peerPort = sandbox::freePort(m_runtime).value();
        auto server = std::make_unique<sandbox::EtcdServer>(m_runtime, options);
        VERIFY_STARTED(*server);
        Holder holder(server->url(), "etcd-lease");
        VERIFY_OPEN(holder.user);
        QVERIFY(holder.take());
        letPass(m_runtime, 1s); // its watch stands
        server.reset();         // and with it its data
        server = std::make_unique<sandbox::EtcdServer>(m_runtime, options);
        VERIFY_STARTED(*server);
        QVERIFY(holder.msUntilLost(kSoon));
    }

    void databaseComesBackWithoutTheRow_data() {
        QTest::addColumn<bool>("postgres");
        QTest::newRow("mariadb") << false;
        QTest::newRow("postgresql") << true;
    }
    void databaseComesBackWithoutTheRow() {
        QFETCH(bool, postgres);
        std::unique_ptr<sandbox::SqlServer> server;
        if (postgres)
            server = std::make_unique<sandbox::PostgresServer>(m_runtime);
        else
            server = std::make_unique<sandbox::MariaDbServer>(m_runtime);
        VERIFY_STARTED(*server);
        Holder holder(server->url(), "sql-lease"), other(server->url(), "sql-lease");
        VERIFY_OPEN(holder.user);
        VERIFY_OPEN(other.user);
        VERIFY_OK(run(holder.user.connection->prepare()));
        QVERIFY(holder.take());
        letPass(m_runtime, 1500ms); // a connection is watched by now
        // The row is lost with a database's data. Nobody tells of that.
        QCOMPARE(run(other.user.lock->forceUnlock()).value_or(false), true);
        letPass(m_runtime, 500ms);
        QCOMPARE(holder.lost, 0);
        server->kill();
        QVERIFY(comesTrue([&] { return !server->running(); }));
        VERIFY_STARTED(*server);
        QVERIFY(holder.msUntilLost(kSoon));
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_server{m_runtime};
    sandbox::RedisMasters m_masters{m_runtime, 3};
};

QTEST_GUILESS_MAIN(TestForgetfulServers)
#include "tst_forgetful_servers.moc"
