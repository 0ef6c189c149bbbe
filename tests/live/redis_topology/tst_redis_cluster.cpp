// SPDX-License-Identifier: Apache-2.0
#include "cluster_move.h"
#include "connections/redis/cluster_port.h"
#include "drivers/dial.h"
#include "lock_fleet.h"
#include "ports/redis/cluster_keys.h"
#include "sandbox/redis_cluster.h"
#include "signal_round.h"

#include <QElapsedTimer>

using namespace lockscope;
using namespace lockscope::redis;
using namespace lockscope::test;
using Kind = Error::Kind;

class TestRedisCluster : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const auto started = run(m_cluster.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        m_url = m_cluster.url();
        DriverOptions soonBack;
        soonBack.retryLongest = 100ms;
        for (int i = 0; i < m_cluster.count(); ++i)
            m_nodes.push_back(std::make_unique<RedisDriver>(m_runtime, urlOf(m_cluster.at(i)), soonBack));
    }

    void commandsReachTheOwnersOfTheirKeys() {
        ClusterPort port(m_runtime, realDiallers().redis, url());
        VERIFY_OK(run(port.open()));
        QSet<int> owners;
        for (int i = 0; i < 60; ++i) {
            const QByteArray key = "key-" + QByteArray::number(i);
            QCOMPARE(run(port.call({"SET", key, key})).value().text, "OK");
            const int slot = keySlot(key);
            QCOMPARE(call(*m_nodes[0], {"CLUSTER", "KEYSLOT", key}).value().integer, slot);
            const int owner = m_cluster.firstOwner(slot);
            owners.insert(owner);
            QCOMPARE(call(*m_nodes[std::size_t(owner)], {"GET", key}).value().text, key);
            QCOMPARE(port.ownerOf(key)->port, m_cluster.at(owner).port());
        }
        QCOMPARE(owners.size(), m_cluster.count());
        QCOMPARE(run(port.call({"PING"})).value().text, "PONG");
        QCOMPARE(run(port.call({"SET", "{key-1}x", "1"})).value().text, "OK");
        QCOMPARE(run(port.call({"DEL", "key-1", "{key-1}x"})).value().integer, 2);
    }
    void oneSeedIsEnough() {
        ConnectionUrl one = url();
        one.endpoints.resize(1);
        ClusterPort port(m_runtime, realDiallers().redis, one);
        for (int i = 0; i < 20; ++i)
            QCOMPARE(run(port.call({"SET", "seed-" + QByteArray::number(i), "1"})).value().text, "OK");
    }
    void keysInDifferentSlotsAreRefusedWithASentence() {
        ClusterPort port(m_runtime, realDiallers().redis, url());
        const Result refused = run(port.call({"DEL", "foo", "bar"}));
        QVERIFY(refused.error().kind == Kind::Refused);
        QCOMPARE(refused.error().code, "CROSSSLOT");
        QVERIFY(refused.error().message.contains(QLatin1String("{orders}")));
        // A brace that is no tag takes the helper keys elsewhere: said at once, and nothing is left behind.
        LockUser queueing(m_url, "redis-fair", "a{b");
        VERIFY_OPEN(queueing);
        const auto taken = run(queueing.lock->tryLock());
        QVERIFY(!taken);
        QVERIFY2(taken.error().message.contains(QLatin1String("slot")), qPrintable(taken.error().message));
        // A lock without a token has one key only, and can be had.
        LockOptions oneKey;
        oneKey.token = false;
        LockUser user(m_url, "redis-reentrant", "a{b", oneKey);
        VERIFY_OPEN(user);
        QVERIFY(run(user.lock->tryLock()).value());
        VERIFY_OK(run(user.lock->unlock()));
        QVERIFY(run(user.lock->tryLock()).value()); // it is free again
        VERIFY_OK(run(user.lock->unlock()));
    }
    void aServerThatIsNoClusterSaysSoAtOnce() {
        sandbox::RedisServer plain(m_runtime);
        VERIFY_STARTED(plain);
        ConnectionUrl wrong = url();
        wrong.endpoints = {{QStringLiteral("127.0.0.1"), plain.port()}};
        ClusterPort port(m_runtime, realDiallers().redis, wrong);
        QElapsedTimer took;
        took.start();
        const auto opened = run(port.open());
        QVERIFY(!opened);
        QVERIFY2(opened.error().message.contains(QLatin1String("cluster")), qPrintable(opened.error().message));
        QVERIFY(took.elapsed() < 2'900);
        QVERIFY(!run(port.call({"GET", "x"})));
        LockUser user(redisUrlOf(QStringLiteral("redis+cluster"), plain), "redis-set", "orders");
        const QString sentence = user.open();
        QVERIFY2(sentence.contains(QLatin1String("begin the URL with redis://")), qPrintable(sentence));
    }
    void aNodeThatIsTakenForAServerSaysWhatToWrite() {
        const int other = (m_cluster.firstOwner(keySlot("orders")) + 1) % m_cluster.count();
        for (const char* recipe : {"redis-set", "redis-reentrant"}) {
            LockUser user(redisUrlOf(QStringLiteral("redis"), m_cluster.at(other)), recipe, "orders");
            VERIFY_OPEN(user);
            const auto taken = run(user.lock->tryLock());
            QVERIFY(!taken);
            QVERIFY2(taken.error().message.contains(QLatin1String("redis+cluster://")),
                     qPrintable(taken.error().message));
        }
    }
    void contendersCountExactly_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::newRow("redis-set") << QByteArray("redis-set");
        QTest::newRow("redis-reentrant") << QByteArray("redis-reentrant");
    }
    void contendersCountExactly() {
        QFETCH(QByteArray, recipe);
        const int rounds = 20;
        Counter counter;
        contend(recipe, "contended-" + recipe, counter, rounds);
        QCOMPARE(counter.value, 8 * rounds);
        QCOMPARE(counter.mostInside, 1);
        QVERIFY2(counter.failures == 0, qPrintable(counter.lastError));
    }
    void messagesOfAnyNodeAreHeard() {
        ClusterPort port(m_runtime, realDiallers().redis, url());
        const auto subscription = run(port.subscribe("news:{orders}"));
        VERIFY_OK(subscription);
        for (int i = 0; i < m_cluster.count(); ++i) {
            const QByteArray text = "from " + QByteArray::number(i);
            QVERIFY(call(*m_nodes[std::size_t(i)], {"PUBLISH", "news:{orders}", text}));
            const auto message = run((*subscription)->next(10s));
            QVERIFY(message);
            QCOMPARE(message->payload, text);
        }
    }
    void aReleaseWakesTheWaiter() {
        LockUser holder(m_url, "redis-reentrant", "wake"), waiter(m_url, "redis-reentrant", "wake");
        VERIFY_OPEN(holder);
        VERIFY_OPEN(waiter);
        for (int i = 0; i < 5; ++i) {
            QVERIFY(run(holder.lock->lock()).value());
            auto waiting = waiter.lock->tryLockFor(20s);
            letPass(m_runtime, 50ms);
            QElapsedTimer since;
            since.start();
            VERIFY_OK(run(holder.lock->unlock()));
            QVERIFY(run(std::move(waiting)).value());
            QVERIFY2(since.elapsed() < 10'000, QByteArray::number(since.elapsed()).constData()); // the lease is 30 s
            VERIFY_OK(run(waiter.lock->unlock()));
        }
    }
    void conditionsAreSignalled() {
        for (const char* name : {"orders", "stock", "jobs"}) { // of several owners
            LockUser a(m_url, "redis-reentrant", name), b(m_url, "redis-reentrant", name);
            VERIFY_OPEN(a);
            VERIFY_OPEN(b);
            const QString wrong = run(signalRound(*a.connection, *b.connection, name));
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            VERIFY_OK(run(a.connection->ping()));
        }
    }
    void askIsFollowedWhileASlotMoves() {
        ClusterPort port(m_runtime, realDiallers().redis, url());
        const QByteArray name = "moving";
        QCOMPARE(run(port.call({"SET", name, "old"})).value().text, "OK");
        Move move(*this, name);
        move.begin();
        // The old node answers for keys that are still there; for others the client asks the new node.
        QCOMPARE(run(port.call({"GET", name})).value().text, "old");
        QVERIFY(run(port.call({"SET", "{moving}new", "1", "NX", "PX", "60000"})).has_value());
        QVERIFY(!call(*m_nodes[std::size_t(move.from)], {"GET", "{moving}new"}).has_value()); // an ASK
        QCOMPARE(run(port.call({"GET", "{moving}new"})).value().text, "1");
        move.takeKeys();
        QCOMPARE(run(port.call({"GET", name})).value().text, "old");
        move.end();
        // The port has the old map still: MOVED.
        QCOMPARE(run(port.call({"GET", name})).value().text, "old");
        QCOMPARE(call(*m_nodes[std::size_t(move.to)], {"GET", name}).value().text, "old");
        QTRY_COMPARE(port.ownerOf(name)->port, m_cluster.at(move.to).port());
    }
    void locksAreKeptWhileTheirSlotMoves_data() {
        contendersCountExactly_data();
        for (const char* severalKeys : {"redis-fenced", "redis-fair", "redis-rw"})
            QTest::newRow(severalKeys) << QByteArray(severalKeys);
    }
    void locksAreKeptWhileTheirSlotMoves() {
        QFETCH(QByteArray, recipe);
        const QByteArray name = "migrated-" + recipe;
        Counter counter;
        bool done = false;
        auto moving = [](TestRedisCluster* self, QByteArray lock, bool* stop, int* moves) -> QCoro::Task<> {
            while (!*stop) {
                Move move(*self, lock);
                co_await self->m_runtime.sleep(100ms);
                co_await move.all();
                ++*moves;
            }
        };
        int moves = 0;
        auto movingOn = moving(this, name, &done, &moves);
        const int rounds = 60;
        contend(recipe, name, counter, rounds);
        done = true;
        run(std::move(movingOn));
        QCOMPARE(counter.value, 8 * rounds);
        QCOMPARE(counter.mostInside, 1);
        QVERIFY2(counter.failures == 0, qPrintable(counter.lastError));
        QVERIFY2(moves >= 2, QByteArray::number(moves).constData());
    }
    void aSubscriptionFollowsItsSlot() {
        ClusterPort port(m_runtime, realDiallers().redis, url());
        const auto subscription = run(port.subscribe("follow"));
        VERIFY_OK(subscription);
        Move move(*this, "follow");
        run(move.all());
        QVERIFY(run(port.call({"GET", "follow"})).has_value()); // so that it learns
        const auto gap = run((*subscription)->next(10s));
        QVERIFY(gap && gap->gap);
        RedisDriver& there = *m_nodes[std::size_t(move.to)];
        QTRY_COMPARE(call(there, {"PUBSUB", "SHARDNUMSUB", "follow"}).value().items[1].integer, 1);
        QTRY_COMPARE(call(there, {"PUBSUB", "NUMSUB", "follow"}).value().items[1].integer, 1);
        QVERIFY(call(*m_nodes[0], {"PUBLISH", "follow", "here"}));
        auto message = run((*subscription)->next(10s));
        while (message && message->gap)
            message = run((*subscription)->next(10s));
        QVERIFY(message);
        QCOMPARE(message->payload, "here");
    }
    void aNodeThatDiesTakesOnlyItsSlots() {
        DriverOptions options;
        options.commandTimeout = 1s;
        ClusterPort port(m_runtime, realDiallers().redis, url(), options);
        VERIFY_OK(run(port.open()));
        const int victim = 1;
        QByteArray there, elsewhere;
        for (int i = 0; there.isEmpty() || elsewhere.isEmpty(); ++i) {
            const QByteArray key = "dies-" + QByteArray::number(i);
            (port.ownerOf(key)->port == m_cluster.at(victim).port() ? there : elsewhere) = key;
        }
        LockUser user(m_url, "redis-reentrant", there);
        QVERIFY(run(user.lock->lock()).value());
        m_cluster.at(victim).kill();
        auto leaving = beside(user.lock->unlock());
        QElapsedTimer took;
        took.start();
        for (int i = 0; i < 2; ++i) {
            const Result reply = run(port.call({"SET", there, "1"}));
            QVERIFY(!reply);
            QVERIFY2(reply.error().outcomeUnknown() || reply.error().kind == Kind::Unreachable,
                     qPrintable(reply.error().message));
            QCOMPARE(run(port.call({"SET", elsewhere, "1"})).value().text, "OK");
        }
        QVERIFY2(took.elapsed() < 20'000, QByteArray::number(took.elapsed()).constData());
        // It comes back, empty, and all is well again without anybody's help.
        const auto restarted = run(m_cluster.start());
        QVERIFY2(restarted, restarted ? "" : qPrintable(restarted.error()));
        QVERIFY(ends(leaving, 10s));
        QVERIFY(leaving->result && !*leaving->result); // there was nobody, or nothing there to give up
        QVERIFY(run(m_cluster.waitUntilFine(20s)));
        Result again = std::unexpected(Error());
        for (int i = 0; i < 20 && !again; ++i)
            again = run(port.call({"SET", there, "1"}));
        QVERIFY(again.has_value());
        QVERIFY(run(port.call({"DEL", there})).has_value());
        QVERIFY(run(user.lock->tryLockFor(10s)).value());
        VERIFY_OK(run(user.lock->unlock()));
    }
    void aPortThatGoesEndsItsCalls() {
        auto port = std::make_unique<ClusterPort>(m_runtime, realDiallers().redis, url());
        VERIFY_OK(run(port->open()));
        m_cluster.at(0).pause();
        std::vector<QCoro::Task<Result>> calls;
        for (int i = 0; i < 20; ++i)
            calls.push_back(port->call({"SET", "gone-" + QByteArray::number(i), "1"}));
        port.reset();
        for (auto& waiting : calls) {
            const Result result = run(std::move(waiting));
            QVERIFY(result || result.error().kind == Kind::Disconnected);
        }
        m_cluster.at(0).resume();
    }

private:
    /// A cluster whose other nodes go on when one dies.
    static sandbox::RedisClusterOptions partly() {
        sandbox::RedisClusterOptions options;
        options.wantFullCoverage = false;
        return options;
    }
    static QString redisUrlOf(const QString& kind, const sandbox::RedisServer& server) {
        return sandbox::redisUrl(kind, {server.port()});
    }
    ConnectionUrl url() const { return parseConnectionUrl(m_url).value(); }

    void contend(const QByteArray& recipe, const QByteArray& name, Counter& counter, int rounds) {
        std::vector<std::unique_ptr<LockUser>> users;
        std::vector<QCoro::Task<>> tasks;
        for (int i = 0; i < 8; ++i) {
            users.push_back(std::make_unique<LockUser>(m_url, recipe, name));
            VERIFY_OPEN(*users.back());
        }
        for (const auto& user : users)
            tasks.push_back(countUp(*user, counter, rounds));
        run(lockscope::test::all(std::move(tasks)));
    }

    struct Move : ClusterMove {
        Move(TestRedisCluster& test, const QByteArray& key)
            : ClusterMove(test.m_runtime, test.m_cluster, test.m_nodes, key) {}
    };

    EventLoopRuntime m_runtime;
    sandbox::RedisCluster m_cluster{m_runtime, partly()};
    std::vector<std::unique_ptr<RedisDriver>> m_nodes;
    QString m_url;
};

QTEST_GUILESS_MAIN(TestRedisCluster)
#include "tst_redis_cluster.moc"
