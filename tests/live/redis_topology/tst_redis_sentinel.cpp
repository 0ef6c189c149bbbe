// SPDX-License-Identifier: Apache-2.0
#include "connections/redis/sentinel_port.h"
#include "drivers/dial.h"
#include "lock_fleet.h"
#include "sandbox/redis_sentinel.h"
#include "signal_round.h"

#include <QElapsedTimer>

using namespace lockscope;
using namespace lockscope::redis;
using namespace lockscope::test;
using sandbox::RedisSentinels;
using Kind = Error::Kind;

namespace {
/// Down-after of 0.6 s, an election and a promotion: under two seconds here; many times that on a busy machine.
constexpr qint64 kFailoverLimit = 15'000;
} // namespace

class TestRedisSentinel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const auto started = run(m_servers.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        m_url = m_servers.url();
    }

    void findsTheMasterAndLocks() {
        SentinelPort port(m_runtime, realDiallers().redis, parseConnectionUrl(m_url).value());
        const auto opened = run(port.open());
        VERIFY_OK(opened);
        QCOMPARE(port.master()->port, masterNow().port());
        QCOMPARE(run(port.call({"SET", "k", "v"})).value().text, "OK");
        QCOMPARE(run(port.call({"GET", "k"})).value().text, "v");
        LockUser user(m_url, "redis-set", "sentinel-first");
        VERIFY_OPEN(user);
        QVERIFY(run(user.lock->tryLock()).value());
        VERIFY_OK(run(user.lock->unlock()));
        VERIFY_OK(run(user.connection->ping()));
    }
    void conditionsAreSignalled() {
        LockUser a(m_url, "redis-reentrant", "signalled"), b(m_url, "redis-reentrant", "signalled");
        VERIFY_OPEN(a);
        VERIFY_OPEN(b);
        const QString wrong = run(signalRound(*a.connection, *b.connection, "signalled"));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
    void contendersCountExactly_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::newRow("redis-set") << QByteArray("redis-set");
        QTest::newRow("redis-reentrant") << QByteArray("redis-reentrant");
    }
    void contendersCountExactly() {
        QFETCH(QByteArray, recipe);
        std::vector<std::unique_ptr<LockUser>> users;
        Counter counter;
        std::vector<QCoro::Task<>> tasks;
        for (int i = 0; i < 8; ++i) {
            users.push_back(std::make_unique<LockUser>(m_url, recipe, "contended-" + recipe));
            VERIFY_OPEN(*users.back());
        }
        const int rounds = 20;
        for (const auto& user : users)
            tasks.push_back(countUp(*user, counter, rounds));
        run(all(std::move(tasks)));
        QCOMPARE(counter.value, 8 * rounds);
        QCOMPARE(counter.mostInside, 1);
        QVERIFY2(counter.failures == 0, qPrintable(counter.lastError));
    }
    void aMasterThatIsKilledIsReplaced() {
        LockUser user(m_url, "redis-reentrant", "through-failover");
        VERIFY_OPEN(user);
        SentinelPort port(m_runtime, realDiallers().redis, parseConnectionUrl(m_url).value());
        VERIFY_OK(run(port.open()));
        const auto subscription = run(port.subscribe("news"));
        VERIFY_OK(subscription);
        const std::uint16_t old = port.master()->port;
        QElapsedTimer since;
        since.start();
        masterNow().kill();
        // Calls in the meantime end with an error in time, or find the next master: none hangs, none lies.
        int calls = 0;
        for (bool works = false; !works && since.elapsed() < kFailoverLimit; ++calls) {
            QElapsedTimer took;
            took.start();
            const Result reply = run(port.call({"SET", "after", "failover"}));
            QVERIFY2(took.elapsed() < 8'000, QByteArray::number(took.elapsed()).constData());
            works = reply.has_value();
            if (!works && reply.error().kind == Kind::Unreachable)
                QVERIFY2(reply.error().message.contains(QLatin1String("mymaster")) &&
                             reply.error().message.contains(QString::number(m_servers.port(0))),
                         qPrintable(reply.error().message));
        }
        QVERIFY2(since.elapsed() < kFailoverLimit, QByteArray::number(since.elapsed()).constData());
        qInfo("a new master after %lld ms, in %d calls", static_cast<long long>(since.elapsed()), calls);
        QVERIFY(port.master() && port.master()->port != old);
        // The subscription came along, and says that something may have been missed.
        const auto gap = run((*subscription)->next(10s));
        QVERIFY(gap && gap->gap);
        QVERIFY(run(port.call({"PUBLISH", "news", "hello"})));
        auto message = run((*subscription)->next(10s));
        while (message && message->gap)
            message = run((*subscription)->next(10s));
        QVERIFY(message);
        QCOMPARE(message->payload, "hello");
        // And the lock works again.
        bool locked = false;
        for (int tries = 0; tries < 10 && !locked; ++tries)
            locked = run(user.lock->tryLockFor(5s)).value_or(false);
        QVERIFY(locked);
        VERIFY_OK(run(user.lock->unlock()));
        // The killed one comes back as a master without data and becomes a replica: nobody goes there.
        const auto restarted = run(m_servers.group().start());
        QVERIFY2(restarted, restarted ? "" : qPrintable(restarted.error()));
        QVERIFY(port.master()->port != old);
        QCOMPARE(run(port.call({"GET", "after"})).value().text, "failover");
    }
    void aStaleMasterThatComesBackIsRefused() {
        LockUser user(m_url, "redis-set", "stale");
        VERIFY_OPEN(user);
        SentinelPort port(m_runtime, realDiallers().redis, parseConnectionUrl(m_url).value());
        VERIFY_OK(run(port.open()));
        const std::uint16_t oldPort = port.master()->port;
        sandbox::RedisServer& old = serverOn(oldPort);
        old.pause();
        auto lost = port.call({"SET", "ghost", "1"});
        QTRY_VERIFY_WITH_TIMEOUT(port.master() && port.master()->port != oldPort, int(kFailoverLimit));
        const Result answer = run(std::move(lost));
        QVERIFY(!answer);
        QVERIFY2(answer.error().outcomeUnknown(), qPrintable(answer.error().message));
        QVERIFY(run(port.call({"SET", "fresh", "1"})).has_value());
        // It runs on and still calls itself master, for a while: no new client may go there, and no old one back.
        old.resume();
        for (int i = 0; i < 10; ++i) {
            SentinelPort late(m_runtime, realDiallers().redis, parseConnectionUrl(m_url).value());
            VERIFY_OK(run(late.open()));
            QVERIFY(late.master()->port != oldPort);
            QCOMPARE(run(late.call({"GET", "fresh"})).value().text, "1");
            QVERIFY(port.master()->port != oldPort);
        }
        QVERIFY(run(user.lock->tryLockFor(5s)).value());
        VERIFY_OK(run(user.lock->unlock()));
    }
    void aMasterThatNobodyKnows() {
        ConnectionUrl url = parseConnectionUrl(m_url).value();
        url.path = QStringLiteral("nosuch");
        DriverOptions options;
        options.commandTimeout = 500ms;
        SentinelPort port(m_runtime, realDiallers().redis, url, options);
        const auto opened = run(port.open());
        QVERIFY(!opened);
        QVERIFY2(opened.error().kind == Kind::Unreachable, qPrintable(opened.error().message));
        for (int i = 0; i < m_servers.count(); ++i)
            QVERIFY2(opened.error().message.contains(QString::number(m_servers.port(i))),
                     qPrintable(opened.error().message));
        QVERIFY(!run(port.call({"PING"})));
    }
    void oneDeadAndOneStoppedSentinelDoNotHinder() {
        m_servers.process(0).pause();
        m_servers.process(1).kill();
        QElapsedTimer took;
        took.start();
        LockUser user(m_url, "redis-set", "few-sentinels");
        VERIFY_OPEN(user);
        QVERIFY2(took.elapsed() < 4000, QByteArray::number(took.elapsed()).constData());
        QVERIFY(run(user.lock->tryLock()).value());
        VERIFY_OK(run(user.lock->unlock()));
        m_servers.process(0).resume();
        // With none at all a client that has its master goes on.
        m_servers.process(0).kill();
        m_servers.process(2).kill();
        QVERIFY(run(user.lock->tryLock()).value());
        VERIFY_OK(run(user.lock->unlock()));
        DriverOptions options;
        options.commandTimeout = 500ms;
        SentinelPort port(m_runtime, realDiallers().redis, parseConnectionUrl(m_url).value(), options);
        QVERIFY(run(port.open()).error().kind == Kind::Unreachable);
    }

private:
    sandbox::RedisServer& serverOn(std::uint16_t port) {
        int found = 0;
        for (int i = 0; i < m_servers.group().count(); ++i)
            if (m_servers.group().at(i).port() == port) found = i;
        return m_servers.group().at(found);
    }
    sandbox::RedisServer& masterNow() { return m_servers.group().at(std::max(0, run(m_servers.group().master()))); }

    EventLoopRuntime m_runtime;
    RedisSentinels m_servers{m_runtime, {}};
    QString m_url;
};

QTEST_GUILESS_MAIN(TestRedisSentinel)
#include "tst_redis_sentinel.moc"
