// SPDX-License-Identifier: Apache-2.0
// One lock made of a Redis and an SQLite file, or a ZooKeeper: all of it or none. And what a Redis URL says about
// locks.
#include "client/connect.h"
#include "lock/distributed_lock.h"
#include "recipe_bench.h"
#include "recipes/multi.h"
#include "sandbox/zookeeper_server.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {
/// One client process with a connection to either.
struct Both {
    Both(Runtime& runtime, const QString& redisUrl, const QString& sqlUrl)
        : redis(makeConnection(runtime, parseConnectionUrl(redisUrl).value())),
          sql(makeConnection(runtime, parseConnectionUrl(sqlUrl).value())) {}
    std::unique_ptr<recipes::Recipe> multi() {
        std::vector<std::unique_ptr<recipes::Recipe>> parts;
        parts.push_back(std::move(redis->makeRecipe("redis-reentrant", {"orders"}).value()));
        parts.push_back(std::move(sql->makeRecipe("sql-lease", {"orders"}).value()));
        return std::make_unique<recipes::MultiRecipe>(redis->runtime(), *recipes::findRecipe("redis-multi"),
                                                      std::move(parts));
    }
    std::unique_ptr<Connection> redis, sql;
};

struct Tally {
    int done = 0, inside = 0, most = 0, taken = 0;
    QStringList wrong;
};

QCoro::Task<> takeTurns(Runtime& runtime, recipes::Recipe& recipe, int rounds, Tally& tally) {
    for (int i = 0; i < rounds; ++i) {
        const Request request = requestFor(recipe);
        const auto grant = co_await recipe.acquire(request, {});
        if (!grant || !*grant) {
            tally.wrong += grant ? QStringLiteral("not taken") : grant.error().message;
            break;
        }
        tally.most = std::max(tally.most, ++tally.inside);
        ++tally.taken;
        co_await runtime.sleep(3ms);
        --tally.inside;
        const auto left = co_await recipe.release(**grant, {});
        if (!left) tally.wrong += left.error().message;
    }
    ++tally.done;
}
} // namespace

class TestMultiBackends : public QObject {
    Q_OBJECT

    std::unique_ptr<Both> client() {
        const QString file = QStringLiteral("sqlite://") + m_server.workspace().file(QStringLiteral("locks.db"));
        auto both = std::make_unique<Both>(m_runtime, m_server.url(), file);
        const auto redis = run(both->redis->open());
        const auto sql = run(both->sql->open());
        const auto tables = run(both->sql->prepare());
        if (!redis || !sql || !tables) QTest::qFail("no connection", __FILE__, __LINE__);
        return both;
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }

    void allOfItOrNone() {
        const auto a = client(), b = client();
        redis::RedisDriver driver(m_runtime, urlOf(m_server));
        const auto whole = a->multi();
        QVERIFY(whole->info().watchdog);

        // The second part is another's: nothing stays of the first.
        const auto part = b->sql->makeRecipe("sql-lease", {"orders"});
        QVERIFY(part.has_value());
        const auto theirs = run((*part)->acquire(requestFor(**part, 0s), {}));
        QVERIFY(theirs && *theirs);
        const auto tried = run(whole->acquire(requestFor(*whole, 0s), {}));
        QVERIFY2(tried && !*tried, tried ? "taken" : qPrintable(tried.error().message));
        QCOMPARE(call(driver, {"EXISTS", "orders"}).value().integer, 0);
        auto waiting = whole->acquire(requestFor(*whole, 20s), {});
        QTest::qWait(100);
        QVERIFY(run((*part)->release(**theirs, {})).has_value());
        const auto grant = run(std::move(waiting));
        QVERIFY2(grant && *grant, grant ? "not taken" : qPrintable(grant.error().message));
        QCOMPARE(call(driver, {"EXISTS", "orders"}).value().integer, 1);
        QVERIFY(!run((*part)->acquire(requestFor(**part, 0s), {})).value_or(std::nullopt));
        QVERIFY(run(whole->renew(**grant, {})).value_or(false));

        // One part is taken away: all of it is lost, and the rest is given back for others, beside the answer.
        QVERIFY(call(driver, {"DEL", "orders"}));
        QCOMPARE(run(whole->renew(**grant, {})).value_or(true), false);
        const auto again = run((*part)->acquire(requestFor(**part, 20s), {}));
        QVERIFY(again && *again);
        QVERIFY(run((*part)->release(**again, {})).has_value());
    }

    void twoTakeTurns() {
        const auto a = client(), b = client();
        const auto one = a->multi(), two = b->multi();
        Tally tally;
        m_runtime.spawn([&] { return takeTurns(m_runtime, *one, 10, tally); });
        m_runtime.spawn([&] { return takeTurns(m_runtime, *two, 10, tally); });
        QTRY_COMPARE_WITH_TIMEOUT(tally.done, 2, 60'000);
        QCOMPARE(tally.wrong, QStringList());
        QCOMPARE(tally.most, 1);
        QCOMPARE(tally.taken, 20);
    }

    void aSessionThatIsShorterThanTheLeaseIsKept() {
        constexpr Nanos kSession = 800ms;
        sandbox::ZooKeeperServer server(m_runtime);
        VERIFY_STARTED(server);
        const auto redis = makeConnection(m_runtime, parseConnectionUrl(m_server.url()).value());
        const auto zooKeeper =
            makeConnection(m_runtime, parseConnectionUrl(server.url() + QStringLiteral("?session=800ms")).value());
        QVERIFY(run(redis->open()).has_value());
        QVERIFY(run(zooKeeper->open()).has_value());
        std::vector<std::unique_ptr<recipes::Recipe>> parts;
        parts.push_back(std::move(redis->makeRecipe("redis-reentrant", {"kept"}).value()));
        parts.push_back(std::move(zooKeeper->makeRecipe("zk-mutex", {"kept"}).value()));
        auto all =
            std::make_unique<recipes::MultiRecipe>(m_runtime, *recipes::findRecipe("redis-multi"), std::move(parts));
        LockOptions options;
        options.lease = 30s;
        options.watchdog = 10s;
        DistributedLock lock(redis->lockClient(), std::move(all), options);
        QString lost;
        lock.listen([&](DistributedLock::Event event, const QByteArray&, const QString& reason) {
            if (event == DistributedLock::Event::Lost) lost = reason;
        });
        QVERIFY(run(lock.lock()).has_value());
        const Nanos grantedAt = m_runtime.monotonic();
        const auto outlived = [&] { return !lost.isEmpty() || m_runtime.monotonic() > grantedAt + 3 * kSession; };
        QVERIFY(QTest::qWaitFor(outlived, 10'000));
        QCOMPARE(lost, QString());
        QVERIFY(lock.stillMine());
        QVERIFY2(lock.remaining() <= kSession, "the lease is longer than the session is known to last");

        // Its node is taken away: heard of long before the next renewal.
        const auto freed = run((*zooKeeper->makeRecipe("zk-mutex", {"kept"}))->forceRelease({}));
        QVERIFY(freed && *freed);
        QVERIFY(QTest::qWaitFor([&] { return !lost.isEmpty(); }, 2000));
        QVERIFY(!lock.stillMine());
        redis::RedisDriver driver(m_runtime, urlOf(m_server));
        QVERIFY(QTest::qWaitFor([&] { return call(driver, {"EXISTS", "kept"}).value().integer == 0; }, 2000));
    }

    void whatTheUrlSaysCounts() {
        const auto open = [&](const QString& options) {
            return makeConnection(m_runtime, parseConnectionUrl(m_server.url() + options).value());
        };
        const auto plain = open({});
        QVERIFY(plain->makeRecipe("redis-semaphore", {"pool", 3}).has_value());
        const auto semaphore = plain->makeRecipe("redis-semaphore", {"pool", 3});
        QVERIFY(semaphore.has_value());
        const auto grant = run((*semaphore)->acquire(requestFor(**semaphore, 0s), {}));
        QVERIFY(grant && *grant);
        redis::RedisDriver driver(m_runtime, urlOf(m_server));
        QCOMPARE(call(driver, {"GET", "pool"}).value().text, QByteArray("2")); // of three
        QVERIFY(run((*semaphore)->release(**grant, {})).has_value());

        // There is no replica: what one has to confirm is given back, and the server is asked for no longer than an
        // answer may take.
        for (const char* options : {"?wait=1", "?wait=1&timeout=800ms"}) {
            const auto confirmed = open(QString::fromLatin1(options));
            for (const char* id : {"redis-set", "redis-multi"}) {
                const auto lock = confirmed->makeRecipe(id, {"confirmed"});
                QVERIFY(lock.has_value());
                const auto alone = run((*lock)->acquire(requestFor(**lock, 0s), {}));
                QVERIFY(!alone);
                QVERIFY2(alone.error().message.contains(QStringLiteral("0 of 1")), qPrintable(alone.error().message));
                QCOMPARE(call(driver, {"EXISTS", "confirmed"}).value().integer, 0);
            }
        }
    }

    void whatMakesNoSenseIsRefused_data() {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("permits");
        QTest::addColumn<int>("kind");
        const int refused = int(LockError::Kind::Refused), unknown = int(LockError::Kind::NotSupported);
        QTest::newRow("no name") << QString() << QByteArray("redis-set") << QByteArray() << 1 << refused;
        QTest::newRow("only commas") << QString() << QByteArray("redis-multi") << QByteArray(" , ,") << 1 << refused;
        QTest::newRow("no permit") << QString() << QByteArray("redis-semaphore") << QByteArray("a") << 0 << refused;
        QTest::newRow("wait") << QStringLiteral("?wait=some") << QByteArray("redis-set") << QByteArray("a") << 1
                              << refused;
        QTest::newRow("another backend's") << QString() << QByteArray("zk-mutex") << QByteArray("a") << 1 << unknown;
    }
    void whatMakesNoSenseIsRefused() {
        QFETCH(QString, options);
        QFETCH(QByteArray, id);
        QFETCH(QByteArray, name);
        QFETCH(int, permits);
        QFETCH(int, kind);
        const auto connection = makeConnection(m_runtime, parseConnectionUrl(m_server.url() + options).value());
        const auto recipe = connection->makeRecipe(id, {name, permits});
        QVERIFY(!recipe);
        QCOMPARE(int(recipe.error().kind), kind);
        QVERIFY(!recipe.error().message.isEmpty());
    }

    void redlockOverOneServerSaysWhatToWrite() {
        const auto connection = makeConnection(m_runtime, parseConnectionUrl(m_server.url()).value());
        const auto recipe = connection->makeRecipe("redis-redlock", {"a"});
        QVERIFY(!recipe && recipe.error().kind == LockError::Kind::NotSupported);
        QVERIFY2(recipe.error().message.contains(QLatin1String("redlock://")), qPrintable(recipe.error().message));
        // Nor is it among those that there are.
        QVERIFY(!connection->makeRecipe("redis-blue", {"a"}).error().message.contains(QLatin1String("redlock")));
    }

    void aReplicaSaysWhatToConnectTo() {
        sandbox::RedisServer replica(m_runtime);
        VERIFY_STARTED(replica);
        redis::RedisDriver driver(m_runtime, urlOf(replica));
        QVERIFY(call(driver, {"REPLICAOF", "127.0.0.1", QByteArray::number(m_server.port())}));
        const auto connection = makeConnection(m_runtime, parseConnectionUrl(replica.url()).value());
        for (const char* id : {"redis-set", "redis-reentrant"}) {
            const auto recipe = connection->makeRecipe(id, {"a"});
            QVERIFY(recipe.has_value());
            const auto grant = run((*recipe)->acquire(requestFor(**recipe, 0s), {}));
            QVERIFY(!grant && grant.error().kind == LockError::Kind::Refused);
            QVERIFY2(grant.error().message.contains(QLatin1String("connect to its master")),
                     qPrintable(grant.error().message));
        }
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_server{m_runtime};
};

QTEST_GUILESS_MAIN(TestMultiBackends)
#include "tst_multi_backends.moc"
