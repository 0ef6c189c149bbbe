// SPDX-License-Identifier: Apache-2.0
#include "backends/redis/topology/sentinel_port.h"
#include "lock_fleet.h"
#include "sandbox/redis_question.h"
#include "sandbox/redis_sentinel.h"

using namespace lockscope;
using namespace lockscope::redis;
using namespace lockscope::test;
using Kind = Error::Kind;

namespace {
sandbox::RedisSentinelOptions small(bool sentinelsWantLogin) {
    sandbox::RedisSentinelOptions options;
    options.replicas = 1;
    options.sentinels = 1;
    options.password = QStringLiteral("s3cret/4");
    options.sentinelsWantLogin = sentinelsWantLogin;
    return options;
}
DriverOptions quick() {
    DriverOptions options;
    options.commandTimeout = 2s;
    return options;
}
} // namespace

/// Logins and TLS, with the sentinels and with the servers behind them.
class TestRedisSentinelLogin : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void loginWithBoth_data() {
        QTest::addColumn<bool>("sentinelsToo");
        QTest::newRow("sentinels want it") << true;
        QTest::newRow("sentinels know of none") << false;
    }
    void loginWithBoth() {
        QFETCH(bool, sentinelsToo);
        sandbox::RedisSentinels servers(m_runtime, small(sentinelsToo));
        const auto started = run(servers.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        LockUser user(servers.url(), "redis-reentrant", "behind a login");
        VERIFY_OPEN(user);
        QVERIFY(run(user.lock->tryLock()).value());
        VERIFY_OK(run(user.lock->unlock()));

        ConnectionUrl wrong = parseConnectionUrl(servers.url()).value();
        wrong.password = QStringLiteral("wr0ng");
        SentinelPort refused(m_runtime, wrong, quick());
        const auto opened = run(refused.open());
        QVERIFY(!opened);
        QVERIFY2(!opened.error().message.contains(wrong.password), qPrintable(opened.error().message));
        QVERIFY2(opened.error().message.contains(QLatin1String("login")), qPrintable(opened.error().message));

        ConnectionUrl none = parseConnectionUrl(servers.url()).value();
        none.password.clear();
        SentinelPort anonymous(m_runtime, none, quick());
        QVERIFY(!run(anonymous.open()));
    }
    void confirmedByAReplica() {
        sandbox::RedisSentinels servers(m_runtime, small(true));
        const auto started = run(servers.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        LockUser user(servers.url() + QStringLiteral("?wait=1"), "redis-set", "confirmed");
        VERIFY_OPEN(user);
        const auto taken = run(user.lock->tryLock());
        VERIFY_OK(taken);
        QVERIFY(*taken);
        VERIFY_OK(run(user.lock->unlock()));
        servers.group().at(1).kill();
        QVERIFY(!run(user.lock->tryLock())); // nobody is left to confirm it
    }
    void tlsWithBoth() {
        sandbox::RedisServerOptions options;
        options.tls = true;
        sandbox::RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        const sandbox::TlsAuthority& authority = server.authority();
        const auto port = sandbox::freePort(m_runtime);
        QVERIFY(port);
        sandbox::Workspace workspace;
        const QStringList lines = {QStringLiteral("bind 127.0.0.1"),
                                   QStringLiteral("port 0"),
                                   QStringLiteral("tls-port %1").arg(*port),
                                   QStringLiteral("tls-cert-file \"%1\"").arg(authority.serverCertificate),
                                   QStringLiteral("tls-key-file \"%1\"").arg(authority.serverKey),
                                   QStringLiteral("tls-ca-cert-file \"%1\"").arg(authority.ca),
                                   QStringLiteral("tls-replication yes"),
                                   QStringLiteral("dir \"%1\"").arg(workspace.path()),
                                   QStringLiteral("sentinel monitor mymaster 127.0.0.1 %1 1").arg(server.port())};
        QVERIFY(workspace.write(QStringLiteral("sentinel.conf"), lines.join(u'\n').toUtf8() + '\n'));
        sandbox::ProcessSupervisor sentinel;
        QVERIFY(sentinel.start(QStringLiteral("redis-server"),
                               {workspace.file(QStringLiteral("sentinel.conf")), QStringLiteral("--sentinel")},
                               workspace.path()));
        const QString url =
            QStringLiteral("rediss+sentinel://127.0.0.1:%1/mymaster?ca=%2&cert=%3&key=%4")
                .arg(QString::number(*port), authority.ca, authority.clientCertificate, authority.clientKey);
        LockUser user(url, "redis-set", "behind tls");
        QString error = QStringLiteral("not tried");
        for (int tries = 0; tries < 5 && !error.isEmpty(); ++tries) // the sentinel needs a moment to come up
            error = user.open();
        QVERIFY2(error.isEmpty(), qPrintable(error + sentinel.lastOutput()));
        QVERIFY(run(user.lock->tryLock()).value());
        VERIFY_OK(run(user.lock->unlock()));
        // Without our certificate neither lets us in.
        ConnectionUrl bare = parseConnectionUrl(url).value();
        bare.tlsFiles.certificate.clear();
        bare.tlsFiles.key.clear();
        SentinelPort refused(m_runtime, bare, quick());
        QVERIFY(!run(refused.open()));
    }

private:
    EventLoopRuntime m_runtime;
};

QTEST_GUILESS_MAIN(TestRedisSentinelLogin)
#include "tst_redis_sentinel_login.moc"
