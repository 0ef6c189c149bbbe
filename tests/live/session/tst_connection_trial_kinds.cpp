// SPDX-License-Identifier: Apache-2.0
#include "sandbox/etcd_server.h"
#include "sandbox/mariadb_server.h"
#include "sandbox/memcached_server.h"
#include "sandbox/postgres_server.h"
#include "sandbox/redis_server.h"
#include "sandbox/zookeeper_server.h"
#include "support/live.h"
#include "trial_answer.h"

using namespace lockscope;
using namespace lockscope::test;

/// The trial of a connection, on each kind of server but Redis: good, gone, and with a wrong login.
class TestConnectionTrialKinds : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    std::shared_ptr<void> m_server; ///< of the test that runs
    QString m_url;

    template <typename Server>
    QString begin() {
        auto server = std::make_shared<Server>(m_runtime);
        const QString error = start(*server);
        m_url = error.isEmpty() ? server->url() : QString();
        m_server = std::move(server);
        return error;
    }
    QString begin(const QByteArray& kind) {
        if (kind == "zookeeper") return begin<sandbox::ZooKeeperServer>();
        if (kind == "redis") return begin<sandbox::RedisServer>();
        if (kind == "etcd") return begin<sandbox::EtcdServer>();
        if (kind == "mariadb") return begin<sandbox::MariaDbServer>();
        if (kind == "postgresql") return begin<sandbox::PostgresServer>();
        return begin<sandbox::MemcachedServer>();
    }

private Q_SLOTS:
    void cleanup() { m_server.reset(); }

    void goodAndGone_data() {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("outcome");
        QTest::addColumn<QByteArray>("version"); // empty: it is not known at once
        QTest::addColumn<QByteArray>("note");    // what cannot be seen there by default; empty: nothing
        const auto row = [](const char* kind, const char* outcome, const char* version, const char* note) {
            QTest::newRow(kind) << QByteArray(kind) << QByteArray(outcome) << QByteArray(version) << QByteArray(note);
        };
        row("zookeeper", "fine: ", "", "");
        row("etcd", "fine: ", "version 3.", "");
        row("postgresql", "fine: ", "version 15", "");
        row("mariadb", "partly: ", "version 10.", "GET_LOCK");
        row("memcached", "partly: ", "", "Name the locks to watch");
    }
    void goodAndGone() {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, outcome);
        QFETCH(QByteArray, version);
        QFETCH(QByteArray, note);
        VERIFY_EMPTY(begin(kind));
        const QByteArray address = "127.0.0.1:" + QByteArray::number(urlOf(m_url).endpoints.front().port);
        says(answerOf(m_url), {outcome, "Connected to ", address, version, "0 lock(s) seen", note});
        m_server.reset();
        const QString sign = m_url.contains(u'?') ? QStringLiteral("&") : QStringLiteral("?");
        says(answerOf(m_url + sign + QStringLiteral("connect=2s")), {"failed: ", address});
    }

    void anotherServiceIsNamed_data() {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("found");
        const auto row = [](const char* url, const char* kind, const char* found) {
            QTest::addRow("%s at %s", url, kind) << QString::fromLatin1(url) << QByteArray(kind) << QByteArray(found);
        };
        row("etcd://127.0.0.1:%1?connect=2s", "redis", "A Redis, not an etcd");
        row("postgresql://127.0.0.1:%1/db?connect=2s", "redis", "A Redis, not a PostgreSQL");
        row("mysql://127.0.0.1:%1/db?connect=2s", "postgresql", "A PostgreSQL, not a MySQL or MariaDB");
        row("postgresql://127.0.0.1:%1/db?connect=2s", "mariadb", "A MySQL or MariaDB, not a PostgreSQL");
        row("redis://127.0.0.1:%1?connect=2s", "memcached", "A memcached, not a Redis");
        row("memcached://127.0.0.1:%1?connect=2s", "zookeeper", "A ZooKeeper, not a memcached");
        row("zookeeper://127.0.0.1:%1?connect=2s", "etcd", "An etcd, not a ZooKeeper");
    }
    /// The first bytes of the program that listens there tell which one it is.
    void anotherServiceIsNamed() {
        QFETCH(QString, url);
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, found);
        VERIFY_EMPTY(begin(kind));
        const int port = urlOf(m_url).endpoints.front().port;
        const QByteArray at = " listens at 127.0.0.1:" + QByteArray::number(port);
        says(answerOf(url.arg(port)), {"failed: ", QByteArray(found).replace(", not ", at + ", not ")});
        m_server.reset(); // nobody listens: nothing is claimed
        QVERIFY(!answerOf(url.arg(port)).contains(QLatin1String(" listens at ")));
    }

    void aWrongPasswordIsRefusedAndNotRepeated_data() {
        QTest::addColumn<QByteArray>("kind");
        for (const char* kind : {"postgresql", "mariadb"})
            QTest::newRow(kind) << QByteArray(kind);
    }
    void aWrongPasswordIsRefusedAndNotRepeated() {
        QFETCH(QByteArray, kind);
        VERIFY_EMPTY(begin(kind));
        const QString right = QStringLiteral(":%1@").arg(sandbox::SqlServerOptions().password);
        QVERIFY2(m_url.contains(right), qPrintable(m_url));
        const QString answer = answerOf(QString(m_url).replace(right, QStringLiteral(":sesame@")));
        says(answer, {"failed: ", "127.0.0.1"});
        QVERIFY2(!answer.contains(QLatin1String("sesame")), qPrintable(answer));
    }

    /// A server without logins takes any: only the test of an address tells that its password guards nothing.
    void aLoginThatNobodyChecksIsTold_data() {
        QTest::addColumn<bool>("etcd");
        QTest::addColumn<bool>("checked");
        for (const bool etcd : {true, false})
            for (const bool checked : {true, false})
                QTest::addRow("%s, %s", etcd ? "etcd" : "memcached", checked ? "checked" : "not checked")
                    << etcd << checked;
    }
    void aLoginThatNobodyChecksIsTold() {
        QFETCH(bool, etcd);
        QFETCH(bool, checked);
        if (etcd) {
            sandbox::EtcdServerOptions options;
            if (checked) options.rootPassword = QStringLiteral("sesame");
            auto server = std::make_shared<sandbox::EtcdServer>(m_runtime, options);
            VERIFY_EMPTY(start(*server));
            m_url = QStringLiteral("etcd://root:sesame@127.0.0.1:%1").arg(server->port());
            m_server = std::move(server);
        } else {
            sandbox::MemcachedServerOptions options;
            if (checked) options.logins = "root:sesame\n";
            auto server = std::make_shared<sandbox::MemcachedServer>(m_runtime, options);
            VERIFY_EMPTY(start(*server));
            m_url = QStringLiteral("memcached://root:sesame@127.0.0.1:%1").arg(server->port());
            m_server = std::move(server);
        }
        const QString answer = answerOf(m_url);
        says(answer, {"Connected to "});
        QCOMPARE(answer.contains(QLatin1String("the login in the address is not used")), !checked);
        QVERIFY2(!answer.contains(QLatin1String("sesame")), qPrintable(answer));
        // Without a login in the address there is nothing to tell.
        if (!checked) QVERIFY(!answerOf(m_url.remove(QLatin1String("root:sesame@"))).contains(QLatin1String("login")));
    }
};

QTEST_GUILESS_MAIN(TestConnectionTrialKinds)
#include "tst_connection_trial_kinds.moc"
