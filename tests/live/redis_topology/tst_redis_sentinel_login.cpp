// SPDX-License-Identifier: Apache-2.0
#include "connections/redis/sentinel_port.h"
#include "drivers/dial.h"
#include "lock_fleet.h"
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
    options.downAfterMs = 400;
    options.password = QStringLiteral("s3cret/4");
    options.sentinelsWantLogin = sentinelsWantLogin;
    return options;
}
DriverOptions quick() {
    DriverOptions options;
    options.commandTimeout = 1s;
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
        SentinelPort refused(m_runtime, realDiallers().redis, wrong, quick());
        ConnectionUrl none = parseConnectionUrl(servers.url()).value();
        none.password.clear();
        SentinelPort anonymous(m_runtime, realDiallers().redis, none, quick());
        auto anonymousOpened = anonymous.open();
        const auto opened = run(refused.open());
        QVERIFY(!opened);
        QVERIFY2(!opened.error().message.contains(wrong.password), qPrintable(opened.error().message));
        QVERIFY2(opened.error().message.contains(QLatin1String("login")), qPrintable(opened.error().message));

        QVERIFY(!run(std::move(anonymousOpened)));
    }
    void aUserWhomOnlyTheServersKnow() {
        sandbox::RedisSentinelOptions options = small(false);
        options.user = QStringLiteral("app");
        sandbox::RedisSentinels servers(m_runtime, options);
        VERIFY_STARTED(servers);
        LockUser user(servers.url(), "redis-reentrant", "a user");
        VERIFY_OPEN(user);
        QVERIFY(run(user.lock->tryLock()).value());
        VERIFY_OK(run(user.lock->unlock()));
        ConnectionUrl wrong = parseConnectionUrl(servers.url()).value();
        wrong.password = QStringLiteral("wr0ng");
        SentinelPort refused(m_runtime, realDiallers().redis, wrong, quick());
        const auto opened = run(refused.open());
        QVERIFY(!opened);
        QVERIFY2(opened.error().message.contains(QLatin1String("login")), qPrintable(opened.error().message));
    }
    void aUserWhomTheSentinelsRefuse() {
        sandbox::RedisSentinelOptions options = small(true);
        options.user = QStringLiteral("app");
        sandbox::RedisSentinels servers(m_runtime, options);
        VERIFY_STARTED(servers);
        // They want the default user's: neither ours nor none is good enough, and it is ours that has to be put right.
        SentinelPort refused(m_runtime, realDiallers().redis, parseConnectionUrl(servers.url()).value(), quick());
        for (int tries = 0; tries < 2; ++tries) {
            const auto opened = run(refused.open());
            QVERIFY(!opened);
            QVERIFY2(opened.error().message.contains(QLatin1String("login")), qPrintable(opened.error().message));
        }
    }
    void aLoginOfTheSentinelsOwn_data() {
        QTest::addColumn<QString>("user");
        QTest::newRow("the default user's") << QString();
        QTest::newRow("a user's") << QStringLiteral("guard");
    }
    void aLoginOfTheSentinelsOwn() {
        QFETCH(QString, user);
        sandbox::RedisSentinelOptions options = small(true);
        options.sentinelUser = user;
        options.sentinelPassword = QStringLiteral("sentinels'&own@%");
        sandbox::RedisSentinels servers(m_runtime, options);
        VERIFY_STARTED(servers);
        LockUser holder(servers.url(), "redis-reentrant", "two logins");
        VERIFY_OPEN(holder);
        QVERIFY(run(holder.lock->tryLock()).value());
        VERIFY_OK(run(holder.lock->unlock()));
        QVERIFY(!holder.connection->url().display().contains(QLatin1String("own")));

        const ConnectionUrl good = parseConnectionUrl(servers.url()).value();
        ConnectionUrl wrong = good, without = good, atServer = good;
        wrong.sentinelPassword = QStringLiteral("wr0ng");
        without.sentinelUser.clear();
        without.sentinelPassword.clear();
        atServer.password = good.sentinelPassword;
        for (const ConnectionUrl& url : {wrong, without, atServer}) {
            SentinelPort refused(m_runtime, realDiallers().redis, url, quick());
            const auto opened = run(refused.open());
            QVERIFY(!opened);
            const QString said = opened.error().message;
            QVERIFY2(said.contains(QLatin1String("login")), qPrintable(said));
            QVERIFY2(!said.contains(QLatin1String("wr0ng")) && !said.contains(QLatin1String("own")), qPrintable(said));
        }
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
    void tlsAndLoginThroughAFailover() {
        sandbox::RedisSentinelOptions options = small(true);
        options.tls = true;
        sandbox::RedisSentinels servers(m_runtime, options);
        const auto started = run(servers.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        LockUser holder(servers.url(), "redis-reentrant", "behind tls"),
            waiter(servers.url(), "redis-reentrant", "behind tls");
        VERIFY_OPEN(holder);
        VERIFY_OPEN(waiter);
        QVERIFY(run(holder.lock->tryLock()).value());
        auto waiting = beside(waiter.lock->tryLockFor(60s));

        const ConnectionUrl good = parseConnectionUrl(servers.url()).value();
        ConnectionUrl bare = good, wrong = good, plain = good;
        bare.tlsFiles.certificate.clear(); // without our certificate neither lets us in
        bare.tlsFiles.key.clear();
        wrong.password = QStringLiteral("wr0ng");
        plain.tls = false;
        SentinelPort bareHanded(m_runtime, realDiallers().redis, bare, quick()),
            mistaken(m_runtime, realDiallers().redis, wrong, quick());
        SentinelPort naked(m_runtime, realDiallers().redis, plain, quick());
        auto bareOpened = bareHanded.open(), mistakenOpened = mistaken.open(), nakedOpened = naked.open();
        QVERIFY(!run(std::move(bareOpened)));
        const auto login = run(std::move(mistakenOpened)), scheme = run(std::move(nakedOpened));
        QVERIFY(!login && !scheme);
        QVERIFY2(login.error().message.contains(QLatin1String("login")), qPrintable(login.error().message));
        QVERIFY2(!login.error().message.contains(wrong.password), qPrintable(login.error().message));
        QVERIFY2(scheme.error().message.contains(QLatin1String("rediss://")), qPrintable(scheme.error().message));

        // The replica, too, is behind both, and a sentinel promotes it.
        SentinelPort port(m_runtime, realDiallers().redis, good);
        VERIFY_OK(run(port.open()));
        const std::uint16_t old = port.master()->port;
        servers.group().at(0).kill();
        QVERIFY(comesTrue([&] { return port.master() && port.master()->port != old; }, 20s));
        QCOMPARE(port.master()->port, servers.group().at(1).port());
        QVERIFY(!waiting->done);
        VERIFY_OK(run(holder.lock->unlock())); // what it had is there
        QVERIFY(ends(waiting, 20s));
        VERIFY_OK(*waiting->result);
        QVERIFY(**waiting->result);
        VERIFY_OK(run(waiter.lock->unlock()));
    }

private:
    EventLoopRuntime m_runtime;
};

QTEST_GUILESS_MAIN(TestRedisSentinelLogin)
#include "tst_redis_sentinel_login.moc"
