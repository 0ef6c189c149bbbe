// SPDX-License-Identifier: Apache-2.0
// A watcher's reports when the server at its address has changed: another role, another master's data, another process.
// None of that is a release.
#include "redis_relay.h"
#include "watched_redis.h"

#include <ranges>

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::redis;
using namespace lockscope::test;

class TestRedisWatcherFailover : public WatchedRedis {
    Q_OBJECT

    QByteArray infoOf(RedisDriver& driver, const char* section, const char* line) {
        const Result info = call(driver, {"INFO", section});
        return info ? lineOfInfo(info->text, line) : QByteArray();
    }
    /// Looks often, so that the state between two steps of a test is seen.
    static WatchOptions often() {
        WatchOptions options;
        options.longestPeriod = 200ms;
        return options;
    }
    static RedisServerOptions syncsAtOnce() {
        RedisServerOptions options;
        options.extraLines = {QStringLiteral("repl-diskless-sync-delay 0")};
        return options;
    }

    RedisServer m_other{m_runtime, syncsAtOnce()};
    std::unique_ptr<RedisDriver> m_otherClient;

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_server);
        VERIFY_STARTED(m_other);
    }
    void init() {
        begin();
        m_otherClient = std::make_unique<RedisDriver>(m_runtime, urlOf(m_other));
        QVERIFY(call(*m_otherClient, {"REPLICAOF", "NO", "ONE"}));
        QVERIFY(call(*m_otherClient, {"FLUSHALL"}));
    }
    void cleanup() {
        (void)call(*m_client, {"REPLICAOF", "NO", "ONE"});
        m_otherClient.reset();
        end();
    }

    void aMasterThatBecomesAReplicaReleasesNothing() {
        takeRedisson("orders", owner(kA, 1), 1, 600'000);
        Watch watch(*this, often());
        QTRY_VERIFY(watch.last().complete && rowOf(watch.last(), "orders"));
        QVERIFY(watch.happened.empty());
        // The data of the master that it follows now replace its own.
        QVERIFY(call(*m_client, {"REPLICAOF", "127.0.0.1", QByteArray::number(m_other.port())}));
        QTRY_VERIFY_WITH_TIMEOUT(!rowOf(watch.last(), "orders"), 30'000);
        QCOMPARE(watch.ended["orders"], LockChange::What::Lost);
        QVERIFY(!watch.happened.empty());
        QCOMPARE(watch.happened.front(), ServerEvent::FailedOver);
        // If a look came before the copy: the copy has replaced its keys.
        for (const ServerEvent event : watch.happened | std::views::drop(1))
            QCOMPARE(event, ServerEvent::Emptied);
        QVERIFY(watch.last().server && watch.last().server->role == ServerIdentity::Role::Replica);

        // A lock that its master's client releases later is released.
        QVERIFY(call(*m_otherClient, {"HSET", "stock", owner(kB, 1), "1"}));
        QVERIFY(call(*m_otherClient, {"PEXPIRE", "stock", "600000"}));
        QTRY_VERIFY(rowOf(watch.last(), "stock"));
        const std::size_t told = watch.happened.size();
        QVERIFY(call(*m_otherClient, {"DEL", "stock"}));
        QTRY_VERIFY(!rowOf(watch.last(), "stock"));
        QCOMPARE(watch.ended["stock"], LockChange::What::Released);
        QCOMPARE(watch.happened.size(), told);

        // Promoted: the same process and the same data, in another role.
        QVERIFY(call(*m_client, {"REPLICAOF", "NO", "ONE"}));
        QTRY_COMPARE_WITH_TIMEOUT(watch.happened.size(), told + 1, 30'000);
        QCOMPARE(watch.happened.back(), ServerEvent::FailedOver);
        QCOMPARE(watch.last().server->role, ServerIdentity::Role::Master);
    }

    void aReplicaThatGetsAnotherMastersDataHasFailedOver() {
        RedisServer third(m_runtime, syncsAtOnce());
        VERIFY_STARTED(third);
        RedisDriver thirdClient(m_runtime, urlOf(third));
        QVERIFY(call(*m_otherClient, {"HSET", "orders", owner(kA, 1), "1"}));
        QVERIFY(call(*m_client, {"REPLICAOF", "127.0.0.1", QByteArray::number(m_other.port())}));
        QTRY_COMPARE_WITH_TIMEOUT(infoOf(*m_client, "replication", "master_link_status"), QByteArray("up"), 30'000);
        Watch watch(*this, often());
        QTRY_VERIFY(watch.last().complete && rowOf(watch.last(), "orders"));
        QVERIFY(watch.happened.empty());
        const QByteArray before = watch.last().server->replicationId;
        QVERIFY(!before.isEmpty());
        QVERIFY(call(*m_client, {"REPLICAOF", "127.0.0.1", QByteArray::number(third.port())}));
        QTRY_VERIFY_WITH_TIMEOUT(!rowOf(watch.last(), "orders"), 30'000);
        QCOMPARE(watch.happened, std::vector<ServerEvent>{ServerEvent::FailedOver});
        QCOMPARE(watch.ended["orders"], LockChange::What::Lost);
        QVERIFY(watch.last().server->replicationId != before);
        QVERIFY(call(*m_client, {"REPLICAOF", "NO", "ONE"}));
    }

    /// It has never met a master, so no other server can have taken a master's place.
    void aReplicasFirstCopyEmptiesItAndIsNoFailover() {
        RedisServer replica(m_runtime);
        VERIFY_STARTED(replica);
        RedisDriver client(m_runtime, urlOf(replica));
        m_watched = std::make_unique<RedisDriver>(m_runtime, urlOf(replica));
        for (const char* name : {"orders", "own"})
            QVERIFY(call(client, {"HSET", name, owner(kA, 1), "1"}));
        QVERIFY(call(*m_otherClient, {"HSET", "orders", owner(kB, 1), "1"}));
        constexpr char kNobody[] = "1"; // tcpmux: no server answers there
        QVERIFY(call(client, {"REPLICAOF", "127.0.0.1", kNobody}));
        QCOMPARE(infoOf(client, "replication", "master_link_down_since_seconds"), QByteArray("-1"));
        Watch watch(*this, often());
        QTRY_VERIFY(watch.last().complete && watch.last().locks.size() == 2);
        QVERIFY(call(client, {"REPLICAOF", "127.0.0.1", QByteArray::number(m_other.port())}));
        QTRY_VERIFY_WITH_TIMEOUT(watch.last().complete && !rowOf(watch.last(), "own"), 30'000);
        QTRY_VERIFY_WITH_TIMEOUT(
            rowOf(watch.last(), "orders") && rowOf(watch.last(), "orders")->holders.at(0).client == kB, 30'000);
        QCOMPARE(watch.happened, std::vector<ServerEvent>{ServerEvent::Emptied});
        QCOMPARE(watch.ended["own"], LockChange::What::Lost);
    }

    void aMastersFirstReplicaIsNoFailover() {
        RedisServer master(m_runtime, syncsAtOnce());
        VERIFY_STARTED(master);
        m_watched = std::make_unique<RedisDriver>(m_runtime, urlOf(master));
        RedisDriver client(m_runtime, urlOf(master));
        QVERIFY(call(client, {"HSET", "orders", owner(kA, 1), "1"}));
        Watch watch(*this, often());
        QTRY_VERIFY(watch.last().complete && rowOf(watch.last(), "orders"));
        const QByteArray before = watch.last().server->replicationId;
        QVERIFY(call(*m_otherClient, {"REPLICAOF", "127.0.0.1", QByteArray::number(master.port())}));
        QTRY_COMPARE_WITH_TIMEOUT(infoOf(*m_otherClient, "replication", "master_link_status"), QByteArray("up"),
                                  30'000);
        QVERIFY(infoOf(client, "replication", "master_replid") != before);
        QTRY_VERIFY_WITH_TIMEOUT(watch.last().server->replicationId != before, 30'000);
        QVERIFY(watch.happened.empty());
        QVERIFY(rowOf(watch.last(), "orders"));
        QVERIFY(call(*m_otherClient, {"REPLICAOF", "NO", "ONE"}));
    }

    void anotherServerAtTheAddressIsNoRestart() {
        // A proxy, or a name, that leads elsewhere: the other one is older than the time since the last look.
        QTRY_VERIFY_WITH_TIMEOUT(infoOf(*m_otherClient, "server", "uptime_in_seconds").toInt() >= 6, 30'000);
        RedisRelay relay(m_runtime, m_server.port());
        m_watched = std::make_unique<RedisDriver>(m_runtime, *parseConnectionUrl(relay.url()));
        takeRedisson("orders", owner(kA, 1), 1, 600'000);
        takeRedisson("stock", owner(kA, 1), 1, 600'000);
        QVERIFY(call(*m_otherClient, {"HSET", "orders", owner(kB, 1), "1"})); // the replica did not get that release
        Watch watch(*this, often());
        QTRY_VERIFY(watch.last().complete && watch.last().locks.size() == 2);
        relay.leadTo(m_other.port());
        QTRY_VERIFY_WITH_TIMEOUT(!rowOf(watch.last(), "stock"), 30'000);
        QCOMPARE(watch.happened, std::vector<ServerEvent>{ServerEvent::FailedOver});
        QCOMPARE(watch.ended["stock"], LockChange::What::Lost);
        QCOMPARE(rowOf(watch.last(), "orders")->holders.at(0).client, QByteArray(kB));
    }
};

QTEST_GUILESS_MAIN(TestRedisWatcherFailover)
#include "tst_redis_watcher_failover.moc"
