// SPDX-License-Identifier: Apache-2.0
// The names of products, and the sentences about servers that have them.
#include "recipes/backend_name.h"
#include "sim/other_servers.h"

#include <QTest>

using namespace lockscope;
using scenario::ServiceSpec;

class BackendNameTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aUrlAnIdOrADialectNamesAProduct_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("name");
        const auto row = [](const char* text, const char* name) {
            QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(name);
        };
        row("rediss://host", "Redis");
        row("redis+sentinel://host/m", "Redis");
        row("redlock://a,b,c", "Redis");
        row("zookeeper", "ZooKeeper");
        row("mysql://host", "MariaDB");
        row("mariadb", "MariaDB");
        row("postgresql", "PostgreSQL");
        row("sqlite:///tmp/x", "SQLite");
        row("memcached", "memcached");
        row("etcds://host", "etcd");
        row("sql", "");
        row("", "");
    }
    void aUrlAnIdOrADialectNamesAProduct() {
        QFETCH(QString, text);
        QFETCH(QString, name);
        QCOMPARE(recipes::backendName(text), name);
    }

    /// Every kind of servers has a name in the sentence about a recipe that does not work on them.
    void serversAreNamedByTheirProduct_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<ServiceSpec::Dialect>("dialect");
        QTest::addColumn<QString>("words");
        using Dialect = ServiceSpec::Dialect;
        QTest::newRow("zookeeper") << u"zookeeper"_qs << Dialect::MariaDb << u"3 ZooKeeper servers"_qs;
        QTest::newRow("mariadb") << u"sql"_qs << Dialect::MariaDb << u"one MariaDB server"_qs;
        QTest::newRow("postgresql") << u"sql"_qs << Dialect::PostgreSql << u"one PostgreSQL server"_qs;
        QTest::newRow("etcd") << u"etcd"_qs << Dialect::MariaDb << u"3 etcd servers"_qs;
        QTest::newRow("memcached") << u"memcached"_qs << Dialect::MariaDb << u"one memcached server"_qs;
    }
    void serversAreNamedByTheirProduct() {
        QFETCH(QString, kind);
        QFETCH(ServiceSpec::Dialect, dialect);
        QFETCH(QString, words);
        scenario::Scenario made;
        made.recipe = QStringLiteral("redis-set");
        ServiceSpec service = scenario::defaultService(kind);
        service.dialect = dialect;
        made.setServices({service});
        QCOMPARE(sim::otherServers(made),
                 QStringLiteral("redis-set does not work on %1: the run is on one Redis server "
                                "instead")
                     .arg(words));
    }

    /// Redis servers that work together in another way are named by it: their number alone may be equal.
    void redisServersAreNamedByTheirShape_data() {
        QTest::addColumn<ServiceSpec::Shape>("shape");
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QString>("sentence");
        using Shape = ServiceSpec::Shape;
        QTest::newRow("sentinel") << Shape::Sentinel << u"redis-redlock"_qs
                                  << u"redis-redlock does not work on 3 Redis servers with Sentinels: the run is on 3 "
                                     u"independent Redis servers instead"_qs;
        QTest::newRow("cluster")
            << Shape::Cluster << u"zk-mutex"_qs
            << u"zk-mutex does not work on a Redis Cluster of 6 servers: the run is on 3 ZooKeeper "
               u"servers instead"_qs;
        QTest::newRow("masters") << Shape::Masters << u"zk-mutex"_qs
                                 << u"zk-mutex does not work on 5 independent Redis servers: the run is on 3 ZooKeeper "
                                    u"servers instead"_qs;
    }
    void redisServersAreNamedByTheirShape() {
        QFETCH(ServiceSpec::Shape, shape);
        QFETCH(QString, recipe);
        QFETCH(QString, sentence);
        scenario::Scenario made;
        made.recipe = recipe;
        made.setServices({scenario::defaultService(QStringLiteral("redis"), shape)});
        QCOMPARE(sim::otherServers(made), sentence);
    }
};

QTEST_GUILESS_MAIN(BackendNameTest)
#include "tst_backend_name.moc"
