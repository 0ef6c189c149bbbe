// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "sandbox/etcd_server.h"
#include "sandbox/mariadb_server.h"
#include "sandbox/memcached_server.h"
#include "sandbox/postgres_server.h"
#include "sandbox/redis_cluster.h"
#include "sandbox/redis_masters.h"
#include "sandbox/redis_sentinel.h"
#include "sandbox/zookeeper_server.h"
#include "support/live.h"

#include <QElapsedTimer>

using namespace lockscope;
using namespace lockscope::test;

namespace {

/// Servers of one kind that can be made to stand still.
struct Silent {
    QString url;
    std::function<void()> pause;
    std::shared_ptr<void> servers;
};

template <typename Server>
Silent started(std::shared_ptr<Server> server, std::function<void(Server&)> pause) {
    const QString error = start(*server);
    if (!error.isEmpty()) qWarning("%s", qPrintable(error));
    return {error.isEmpty() ? server->url() : QString(), [server, pause] { pause(*server); }, server};
}

template <typename Server>
Silent single(Runtime& runtime) {
    return started<Server>(std::make_shared<Server>(runtime), [](Server& server) { server.pause(); });
}

template <typename Servers>
void pauseAll(Servers& servers) {
    for (int i = 0; i < servers.count(); ++i)
        servers.at(i).pause();
}

Silent serversOf(Runtime& runtime, const QByteArray& kind) {
    if (kind == "redis") return single<sandbox::RedisServer>(runtime);
    if (kind == "mariadb") return single<sandbox::MariaDbServer>(runtime);
    if (kind == "postgresql") return single<sandbox::PostgresServer>(runtime);
    if (kind == "memcached") return single<sandbox::MemcachedServer>(runtime);
    if (kind == "zookeeper") return single<sandbox::ZooKeeperServer>(runtime);
    if (kind == "etcd") {
        sandbox::EtcdServerOptions options; // TLS: a process that stands still is connected to, but greets nobody
        options.tls = true;
        return started<sandbox::EtcdServer>(std::make_shared<sandbox::EtcdServer>(runtime, options),
                                            [](sandbox::EtcdServer& server) { server.pause(); });
    }
    if (kind == "cluster")
        return started<sandbox::RedisCluster>(std::make_shared<sandbox::RedisCluster>(runtime),
                                              [](sandbox::RedisCluster& cluster) { pauseAll(cluster); });
    if (kind == "redlock")
        return started<sandbox::RedisMasters>(std::make_shared<sandbox::RedisMasters>(runtime, 3),
                                              [](sandbox::RedisMasters& masters) { // a majority of them
                                                  masters.at(0).pause();
                                                  masters.at(1).pause();
                                              });
    sandbox::RedisSentinelOptions options;
    options.replicas = 1;
    options.sentinels = 1;
    options.downAfterMs = 30'000; // nobody is promoted instead
    return started<sandbox::RedisSentinels>(std::make_shared<sandbox::RedisSentinels>(runtime, options),
                                            [](sandbox::RedisSentinels& servers) {
                                                pauseAll(servers.group());
                                                servers.process(0).pause();
                                            });
}

recipes::Request atOnce() {
    recipes::Request request;
    request.wait = Nanos(0);
    return request;
}

QString with(const QString& url, const QString& options) {
    return url + (url.contains(u'?') ? u'&' : u'?') + options;
}

} // namespace

/// The URL's time-outs, with servers that stand still. The default of each is 2 s or more, of an answer 3 s: what ends
/// before that, ended by what the URL says.
class TestUrlTimes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anAnswer_data() {
        QTest::addColumn<QByteArray>("kind");
        for (const char* kind : {"redis", "sentinel", "cluster", "mariadb", "postgresql", "memcached", "etcd"})
            QTest::newRow(kind) << QByteArray(kind);
    }
    void anAnswer() {
        QFETCH(QByteArray, kind);
        const Silent servers = serversOf(m_runtime, kind);
        QVERIFY(!servers.url.isEmpty());
        const auto connection = makeConnection(m_runtime, urlOf(with(servers.url, QStringLiteral("timeout=300ms"))));
        VERIFY_OK(run(connection->open()));
        VERIFY_OK(run(connection->ping()));
        servers.pause();
        QElapsedTimer time;
        time.start();
        QVERIFY(!run(connection->ping()));
        // A database is given the same time again to end the statement.
        QVERIFY2(time.elapsed() >= 290 && time.elapsed() < 2'900, qPrintable(QString::number(time.elapsed())));
    }

    void connecting_data() {
        QTest::addColumn<QByteArray>("kind");
        for (const char* kind :
             {"redis", "sentinel", "cluster", "zookeeper", "mariadb", "postgresql", "memcached", "etcd"})
            QTest::newRow(kind) << QByteArray(kind);
    }
    void connecting() {
        QFETCH(QByteArray, kind);
        const Silent servers = serversOf(m_runtime, kind);
        QVERIFY(!servers.url.isEmpty());
        servers.pause();
        const auto connection = makeConnection(m_runtime, urlOf(with(servers.url, QStringLiteral("connect=300ms"))));
        QElapsedTimer time;
        time.start();
        QVERIFY(!run(connection->open()));
        QVERIFY2(time.elapsed() >= 290 && time.elapsed() < 1'950, qPrintable(QString::number(time.elapsed())));
    }

    void oneOfSeveralMasters() {
        const Silent servers = serversOf(m_runtime, "redlock");
        QVERIFY(!servers.url.isEmpty());
        const auto patient = makeConnection(m_runtime, urlOf(with(servers.url, QStringLiteral("node=1500ms"))));
        const auto brief = makeConnection(m_runtime, urlOf(with(servers.url, QStringLiteral("node=2s&timeout=230ms"))));
        VERIFY_OK(run(patient->open()));
        VERIFY_OK(run(brief->open()));
        servers.pause();

        const auto lock = patient->makeRecipe("redis-redlock", {"patient"}).value();
        QElapsedTimer time;
        time.start();
        QVERIFY(!run(
            lock->acquire(atOnce(), {}))); // without the option: half a second for the lock, and as long to undo it
        QVERIFY2(time.elapsed() >= 1'450 && time.elapsed() < 10'000, qPrintable(QString::number(time.elapsed())));

        const auto other = brief->makeRecipe("redis-redlock", {"brief"}).value();
        const auto silent = run(other->isLocked({}));
        QVERIFY(!silent);
        QVERIFY2(silent.error().message.contains(QLatin1String("230 ms")), qPrintable(silent.error().message));

        const QString beyond = with(servers.url, QStringLiteral("connect=1500ms&timeout=10s"));
        const auto late = makeConnection(m_runtime, urlOf(beyond));
        time.start();
        QVERIFY(!run(late->open())); // without the option: 5 s
        QVERIFY2(time.elapsed() >= 1'450 && time.elapsed() < 4'000, qPrintable(QString::number(time.elapsed())));
    }

private:
    EventLoopRuntime m_runtime;
};

QTEST_GUILESS_MAIN(TestUrlTimes)
#include "tst_url_times.moc"
