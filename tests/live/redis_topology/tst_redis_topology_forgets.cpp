// SPDX-License-Identifier: Apache-2.0
// A master behind sentinels, and the nodes of a cluster, that lose their data: the holder is told as soon as its
// connection is back, long before its next renewal.
#include "sandbox/redis_cluster.h"
#include "sandbox/redis_sentinel.h"
#include "told_holder.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {
/// How long a holder may not know it, from its connection's end on: connecting anew and one question, with room for a
/// busy machine, of which one of several runs must keep free.
constexpr qint64 kAtOnceMs = 300;
constexpr int kRuns = 3;
/// Servers that start again have to find together first; nodes of a cluster serve nobody in their first two seconds.
constexpr auto kSoon = 20s;
} // namespace

class TestRedisTopologyForgets : public QObject {
    Q_OBJECT

    static void rows() {
        QTest::addColumn<bool>("cluster");
        QTest::addColumn<QByteArray>("id");
        for (const char* id : {"redis-set", "redis-reentrant", "redis-fair", "redis-rw"}) {
            QTest::addRow("sentinel %s", id) << false << QByteArray(id);
            QTest::addRow("cluster %s", id) << true << QByteArray(id);
        }
    }
    QString url(bool cluster) { return cluster ? m_cluster.url() : m_sentinels.url(); }
    std::vector<sandbox::RedisServer*> servers(bool cluster) {
        std::vector<sandbox::RedisServer*> all;
        const int count = cluster ? m_cluster.count() : m_sentinels.group().count();
        for (int i = 0; i < count; ++i)
            all.push_back(cluster ? &m_cluster.at(i) : &m_sentinels.group().at(i));
        return all;
    }
    /// All masters forget all and end their clients' connections; returns when that began.
    QElapsedTimer flushAndHangUp(bool cluster) {
        std::vector<std::unique_ptr<redis::RedisDriver>> masters;
        for (sandbox::RedisServer* server : servers(cluster)) {
            auto driver = std::make_unique<redis::RedisDriver>(m_runtime, urlOf(*server));
            const redis::Result role = call(*driver, {"ROLE"});
            if (role && role->items.front().text == "master") masters.push_back(std::move(driver));
        }
        QElapsedTimer since;
        since.start();
        for (const auto& master : masters) {
            if (!call(*master, {"FLUSHALL"}) || !call(*master, {"CLIENT", "KILL", "TYPE", "normal"})) return {};
        }
        return since;
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_sentinels);
        VERIFY_STARTED(m_cluster);
    }

    void dataAndConnectionsAreLost_data() { rows(); }
    void dataAndConnectionsAreLost() {
        QFETCH(bool, cluster);
        QFETCH(QByteArray, id);
        std::optional<qint64> best;
        for (int i = 0; i < kRuns && best.value_or(kAtOnceMs + 1) > kAtOnceMs; ++i) {
            ToldHolder holder(url(cluster), id), next(url(cluster), id);
            VERIFY_OPEN(holder.user);
            VERIFY_OPEN(next.user);
            QVERIFY(holder.take());
            const QElapsedTimer since = flushAndHangUp(cluster);
            QVERIFY(since.isValid());
            QVERIFY(comesTrue([&] { return holder.lost > 0; }, kSoon));
            const qint64 told = since.elapsed();
            qInfo("told %lld ms after the masters began to forget", static_cast<long long>(told));
            QVERIFY(!holder.user.lock->stillMine());
            QVERIFY(next.take());
            VERIFY_OK(run(next.user.lock->unlock()));
            best = std::min(told, best.value_or(told));
        }
        QVERIFY2(*best <= kAtOnceMs, QByteArray::number(*best));
    }

    void allServersComeBackEmpty_data() {
        QTest::addColumn<bool>("cluster");
        QTest::newRow("sentinel") << false;
        QTest::newRow("cluster") << true;
    }
    void allServersComeBackEmpty() {
        QFETCH(bool, cluster);
        ToldHolder holder(url(cluster), "redis-reentrant");
        VERIFY_OPEN(holder.user);
        QVERIFY(holder.take());
        for (sandbox::RedisServer* server : servers(cluster))
            server->kill();
        if (cluster)
            VERIFY_STARTED(m_cluster);
        else
            VERIFY_STARTED(m_sentinels.group());
        QVERIFY(holder.msUntilLost(kSoon));
        QVERIFY(!holder.user.lock->stillMine());
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisSentinels m_sentinels{m_runtime};
    sandbox::RedisCluster m_cluster{m_runtime};
};

QTEST_GUILESS_MAIN(TestRedisTopologyForgets)
#include "tst_redis_topology_forgets.moc"
