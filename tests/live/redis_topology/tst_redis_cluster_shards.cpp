// SPDX-License-Identifier: Apache-2.0
// Since version 7 a cluster has messages that stay at the owner of a slot (SPUBLISH, SSUBSCRIBE). Redisson uses them
// there; others, and older clients, do not. Everybody wakes everybody.
#include "lock_fleet.h"
#include "ports/redis/cluster_keys.h"
#include "sandbox/redis_cluster.h"

#include <QElapsedTimer>
#include <QTcpSocket>

using namespace lockscope;
using namespace lockscope::redis;
using namespace lockscope::test;

namespace {
constexpr qint64 kSoonMs = 10'000; ///< 200 ms and what a loaded machine adds; the leases are 30 s and more

/// Another library's client, which listens to one channel in its own way.
class Listener {
public:
    Listener(std::uint16_t port, const QByteArray& command, const QByteArray& channel) {
        m_socket.connectToHost(QStringLiteral("127.0.0.1"), port);
        m_socket.write(command + ' ' + channel + "\r\n");
    }
    bool hears(const QByteArray& text) {
        return QTest::qWaitFor(
            [&] {
                m_heard += m_socket.readAll();
                return m_heard.contains(text);
            },
            10'000);
    }

private:
    QTcpSocket m_socket;
    QByteArray m_heard;
};
} // namespace

class TestRedisClusterShards : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const auto started = run(m_cluster.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        for (int i = 0; i < m_cluster.count(); ++i)
            m_nodes.push_back(std::make_unique<RedisDriver>(m_runtime, urlOf(m_cluster.at(i))));
    }

    void whoListensInEitherWayHearsOurRelease_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<QByteArray>("channel");
        QTest::newRow("redis-reentrant") << QByteArray("redis-reentrant") << QByteArray("redisson_lock__channel:");
        QTest::newRow("redis-fair") << QByteArray("redis-fair") << QByteArray("redisson_lock__channel:");
        QTest::newRow("redis-rw") << QByteArray("redis-rw") << QByteArray("redisson_rwlock:");
        QTest::newRow("redis-set") << QByteArray("redis-set") << QByteArray("lockscope_lock__channel:");
    }
    void whoListensInEitherWayHearsOurRelease() {
        QFETCH(QByteArray, recipe);
        QFETCH(QByteArray, channel);
        for (const QByteArray& name : {QByteArray("heard"), QByteArray("shop{7}:heard"), QByteArray("other")}) {
            const QByteArray where = channel + (name.contains('{') ? name : '{' + name + '}');
            const std::uint16_t owner = m_cluster.at(m_cluster.firstOwner(keySlot(name))).port();
            QCOMPARE(keySlot(where), keySlot(name));
            Listener sharded(owner, "SSUBSCRIBE", where), plain(owner, "SUBSCRIBE", where);
            QVERIFY(sharded.hears("ssubscribe"));
            QVERIFY(plain.hears("subscribe"));
            LockUser user(m_cluster.url(), recipe, name);
            VERIFY_OPEN(user);
            QVERIFY(run(user.lock->tryLock()).value());
            VERIFY_OK(run(user.lock->unlock()));
            QVERIFY(sharded.hears("smessage"));
            QVERIFY(plain.hears("message"));
        }
    }

    void aReleaseToldInEitherWayWakesOurWaiter_data() {
        QTest::addColumn<QByteArray>("command");
        QTest::newRow("of Redisson") << QByteArray("SPUBLISH");
        QTest::newRow("of an older client") << QByteArray("PUBLISH");
    }
    void aReleaseToldInEitherWayWakesOurWaiter() {
        QFETCH(QByteArray, command);
        const QByteArray name = "foreign", channel = "redisson_lock__channel:{foreign}";
        RedisDriver& owner = *m_nodes[std::size_t(m_cluster.firstOwner(keySlot(name)))];
        LockUser waiter(m_cluster.url(), "redis-reentrant", name);
        VERIFY_OPEN(waiter);
        for (int i = 0; i < 5; ++i) {
            QVERIFY(call(owner, {"HSET", name, "6b1a6ad6-4d5b-4b6c-9c3f-0e5d8a1f2b3c:1", "1"}));
            QVERIFY(call(owner, {"PEXPIRE", name, "60000"}));
            const int before = scriptsRun(owner);
            auto waiting = waiter.lock->tryLockFor(30s);
            QTRY_COMPARE(call(owner, {"PUBSUB", "SHARDNUMSUB", channel}).value().items[1].integer, 1);
            QTRY_COMPARE(call(owner, {"PUBSUB", "NUMSUB", channel}).value().items[1].integer, 1);
            QTRY_VERIFY(scriptsRun(owner) >= before + 2); // it looks once more when it listens, and then sleeps
            QElapsedTimer since;
            since.start();
            QCOMPARE(call(owner, {"DEL", name}).value().integer, 1);
            QVERIFY(call(owner, {command, channel, "0"}));
            QVERIFY(run(std::move(waiting)).value());
            QVERIFY2(since.elapsed() < kSoonMs, QByteArray::number(since.elapsed()).constData());
            VERIFY_OK(run(waiter.lock->unlock()));
            QTRY_COMPARE(call(owner, {"PUBSUB", "SHARDNUMSUB", channel}).value().items[1].integer, 0);
        }
    }

    void anOlderClusterDoesWithout() {
        sandbox::RedisClusterOptions old;
        for (const char* command : {"SSUBSCRIBE", "SUNSUBSCRIBE", "SPUBLISH"})
            old.extraLines += QStringLiteral("rename-command %1 \"\"").arg(QLatin1String(command));
        sandbox::RedisCluster cluster(m_runtime, old);
        const auto started = run(cluster.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        for (const char* recipe : {"redis-reentrant", "redis-fair"}) {
            LockUser holder(cluster.url(), recipe, "orders"), waiter(cluster.url(), recipe, "orders");
            VERIFY_OPEN(holder);
            VERIFY_OPEN(waiter);
            for (int i = 0; i < 3; ++i) {
                QVERIFY(run(holder.lock->lock()).value());
                auto waiting = waiter.lock->tryLockFor(30s);
                RedisDriver owner(m_runtime, urlOf(cluster.at(cluster.firstOwner(keySlot("orders")))));
                QTRY_VERIFY(
                    !call(owner, {"PUBSUB", "CHANNELS", "redisson_lock__channel:{orders}*"}).value().items.empty());
                QElapsedTimer since;
                since.start();
                VERIFY_OK(run(holder.lock->unlock()));
                QVERIFY(run(std::move(waiting)).value());
                QVERIFY2(since.elapsed() < kSoonMs, QByteArray::number(since.elapsed()).constData());
                VERIFY_OK(run(waiter.lock->unlock()));
            }
        }
    }

private:
    /// Acquisitions, mostly.
    static int scriptsRun(RedisDriver& node) {
        const QByteArray text = call(node, {"INFO", "commandstats"}).value().text, mark = "cmdstat_evalsha:calls=";
        const qsizetype at = text.indexOf(mark);
        if (at < 0) return 0;
        const qsizetype number = at + mark.size();
        return text.mid(number, text.indexOf(',', number) - number).toInt();
    }

    EventLoopRuntime m_runtime;
    sandbox::RedisCluster m_cluster{m_runtime};
    std::vector<std::unique_ptr<RedisDriver>> m_nodes;
};

QTEST_GUILESS_MAIN(TestRedisClusterShards)
#include "tst_redis_cluster_shards.moc"
