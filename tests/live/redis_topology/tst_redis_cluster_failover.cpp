// SPDX-License-Identifier: Apache-2.0
// A cluster of masters with a replica each and logins, of which a master dies; and one that speaks TLS only.
#include "connections/redis/cluster_port.h"
#include "drivers/dial.h"
#include "lock_fleet.h"
#include "sandbox/redis_cluster.h"

#include <QElapsedTimer>

using namespace lockscope;
using namespace lockscope::redis;
using namespace lockscope::test;
using Kind = Error::Kind;

namespace {
/// A node is down after 0.6 s, which a majority has to agree on, and its replica waits up to a second more before it
/// asks to be elected: about two seconds here; many times that on a busy machine.
constexpr qint64 kFailoverLimit = 20'000;

sandbox::RedisClusterOptions withReplicas() {
    sandbox::RedisClusterOptions options;
    options.replicas = 1;
    options.password = QStringLiteral("s3cret/4");
    // May do all that locks need, and nothing that people who look after servers do.
    options.users = {
        {QStringLiteral("locker"), QStringLiteral("pw@1"), QStringLiteral("~* &* +@all -@admin -@dangerous")},
        {QStringLiteral("deaf"), QStringLiteral("pw2"), QStringLiteral("~* resetchannels +@all")}};
    return options;
}
sandbox::RedisClusterOptions encrypted() {
    sandbox::RedisClusterOptions options;
    options.tls = true;
    options.password = QStringLiteral("s3cret/4");
    options.users = {
        {QStringLiteral("locker"), QStringLiteral("pw@1"), QStringLiteral("~* &* +@all -@admin -@dangerous")}};
    return options;
}
const sandbox::RedisLogin kLocker{QStringLiteral("locker"), QStringLiteral("pw@1")};

DriverOptions quick() {
    DriverOptions options;
    options.commandTimeout = 1s;
    return options;
}

LockOptions leaseOf(Nanos lease, Nanos watchdog) {
    LockOptions options;
    options.lease = lease;
    options.watchdog = watchdog;
    return options;
}
} // namespace

class TestRedisClusterFailover : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        // A node that starts takes two seconds until it serves: both at once.
        auto first = m_cluster.start(), second = m_encrypted.start();
        const auto started = run(std::move(first)), startedToo = run(std::move(second));
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        QVERIFY2(startedToo, startedToo ? "" : qPrintable(startedToo.error()));
        m_url = m_cluster.url(kLocker);
    }

    // --- logins ---
    void aUserWithTheRightsThatLocksNeed() {
        LockUser holder(m_url, "redis-reentrant", "behind a login"), waiter(m_url, "redis-reentrant", "behind a login");
        VERIFY_OPEN(holder);
        VERIFY_OPEN(waiter);
        QVERIFY(run(holder.lock->lock()).value());
        auto waiting = waiter.lock->tryLockFor(20s);
        waitUntilListening("redisson_lock__channel:{behind a login}");
        QElapsedTimer since;
        since.start();
        VERIFY_OK(run(holder.lock->unlock()));
        QVERIFY(run(std::move(waiting)).value());
        QVERIFY2(since.elapsed() < 10'000, QByteArray::number(since.elapsed()).constData()); // it waits for 20 s
        VERIFY_OK(run(waiter.lock->unlock()));
    }
    void loginsThatAreWrong_data() {
        QTest::addColumn<QString>("user");
        QTest::addColumn<QString>("password");
        QTest::addColumn<QString>("says");
        QTest::newRow("wrong password") << QStringLiteral("locker") << QStringLiteral("wr0ng")
                                        << QStringLiteral("login");
        QTest::newRow("no such user") << QStringLiteral("nobody") << QStringLiteral("pw@1") << QStringLiteral("login");
        QTest::newRow("none") << QString() << QString() << QStringLiteral("password");
    }
    void loginsThatAreWrong() {
        QFETCH(QString, user);
        QFETCH(QString, password);
        QFETCH(QString, says);
        ClusterPort port(m_runtime, realDiallers().redis, parseConnectionUrl(m_cluster.url({user, password})).value());
        QElapsedTimer took;
        took.start();
        const auto opened = run(port.open());
        QVERIFY(!opened);
        QVERIFY2(opened.error().kind == Kind::AuthFailed, qPrintable(opened.error().message));
        QVERIFY2(opened.error().message.contains(says), qPrintable(opened.error().message));
        QVERIFY2(password.isEmpty() || !opened.error().message.contains(password), qPrintable(opened.error().message));
        QVERIFY2(took.elapsed() < 2'900, QByteArray::number(took.elapsed()).constData()); // not waited out
        const Result refused = run(port.call({"GET", "x"}));
        QVERIFY(!refused);
        QVERIFY2(refused.error().kind == Kind::AuthFailed, qPrintable(refused.error().message));
    }
    void aUserWhoMayNotListenIsToldSo() {
        LockUser holder(m_url, "redis-reentrant", "deaf"),
            deaf(m_cluster.url({QStringLiteral("deaf"), QStringLiteral("pw2")}), "redis-reentrant", "deaf");
        VERIFY_OPEN(holder);
        VERIFY_OPEN(deaf);
        QVERIFY(run(holder.lock->lock()).value());
        QElapsedTimer took;
        took.start();
        const auto waited = run(deaf.lock->tryLockFor(20s));
        QVERIFY(!waited);
        QVERIFY2(waited.error().kind == LockError::Kind::Refused, qPrintable(waited.error().message));
        QVERIFY2(waited.error().message.contains(QLatin1String("NOPERM")), qPrintable(waited.error().message));
        QVERIFY2(took.elapsed() < 5'000, QByteArray::number(took.elapsed()).constData());
        VERIFY_OK(run(holder.lock->unlock()));
    }
    void aUserWhoMayNotListenLooksWhereThatWillDo() {
        const QString url = m_cluster.url({QStringLiteral("deaf"), QStringLiteral("pw2")});
        LockUser holder(url, "redis-set", "deaf"), waiter(url, "redis-set", "deaf");
        VERIFY_OPEN(holder);
        VERIFY_OPEN(waiter);
        QVERIFY(run(holder.lock->lock()).value());
        auto waiting = beside(waiter.lock->tryLockFor(20s));
        VERIFY_OK(run(holder.lock->unlock()));
        QVERIFY(ends(waiting, 10s));
        VERIFY_OK(*waiting->result);
        QVERIFY(**waiting->result);
        VERIFY_OK(run(waiter.lock->unlock()));
    }

    // --- TLS ---
    void contendersCountExactlyOverTls() {
        const QString url = m_encrypted.url(kLocker);
        std::vector<std::unique_ptr<LockUser>> users;
        std::vector<QCoro::Task<>> tasks;
        Counter counter;
        for (int i = 0; i < 4; ++i) {
            users.push_back(std::make_unique<LockUser>(url, "redis-reentrant", "encrypted"));
            VERIFY_OPEN(*users.back());
        }
        for (const auto& user : users)
            tasks.push_back(countUp(*user, counter, 10, user->runtime.monotonic() + 30s));
        run(all(std::move(tasks)));
        QVERIFY2(counter.failures == 0, qPrintable(counter.lastError));
        QCOMPARE(counter.value, 40);
        QCOMPARE(counter.mostInside, 1);
    }
    void everyNodeIsReachedOverTls() {
        ClusterPort port(m_runtime, realDiallers().redis, parseConnectionUrl(m_encrypted.url(kLocker)).value());
        VERIFY_OK(run(port.open()));
        const auto subscription = run(port.subscribe("news"));
        VERIFY_OK(subscription);
        QSet<std::uint16_t> owners;
        for (int i = 0; owners.size() < m_encrypted.masters() && i < 1'000; ++i) {
            const QByteArray key = "key-" + QByteArray::number(i);
            QCOMPARE(run(port.call({"SET", key, key})).value().text, "OK");
            QCOMPARE(run(port.call({"GET", key})).value().text, key);
            owners.insert(port.ownerOf(key)->port);
        }
        QCOMPARE(owners.size(), m_encrypted.masters());
        QVERIFY(run(port.call({"PUBLISH", "news", "hello"})));
        const auto message = run((*subscription)->next(10s));
        QVERIFY(message);
        QCOMPARE(message->payload, "hello");
    }
    void clientsThatTlsKeepsOut() {
        const ConnectionUrl good = parseConnectionUrl(m_encrypted.url(kLocker)).value();
        ConnectionUrl plain = good, bare = good, wrong = good;
        plain.tls = false;
        plain.scheme = QStringLiteral("redis+cluster");
        ClusterPort port(m_runtime, realDiallers().redis, plain, quick());
        auto opened = run(port.open());
        QVERIFY(!opened);
        QVERIFY2(opened.error().message.contains(QLatin1String("rediss://")), qPrintable(opened.error().message));
        bare.tlsFiles.certificate.clear();
        bare.tlsFiles.key.clear();
        ClusterPort bareHanded(m_runtime, realDiallers().redis, bare, quick());
        QVERIFY(!run(bareHanded.open()));
        wrong.tlsFiles.ca = wrong.tlsFiles.certificate; // not who signed the servers'
        ClusterPort distrustful(m_runtime, realDiallers().redis, wrong, quick());
        opened = run(distrustful.open());
        QVERIFY(!opened);
        QVERIFY2(opened.error().kind == Kind::TlsFailed, qPrintable(opened.error().message));
    }

    // --- a master dies ---
    void aReplicaTakesOver() {
        const int victim = 1, heir = victim + m_cluster.masters();
        // Acquisitions that the replica has confirmed, so that it knows of them when it is promoted.
        const QString url = m_url + QStringLiteral("?wait=1");
        ClusterPort port(m_runtime, realDiallers().redis, parseConnectionUrl(m_url).value());
        VERIFY_OK(run(port.open()));
        const QByteArray name = keyAt(port, victim, "held-"), counted = keyAt(port, victim, "counted-");
        const auto subscription = run(port.subscribe("{" + name + "}news"));
        VERIFY_OK(subscription);

        LockUser holder(url, "redis-reentrant", name, leaseOf(20s, 300ms)), waiter(m_url, "redis-reentrant", name);
        VERIFY_OPEN(holder);
        VERIFY_OPEN(waiter);
        QVERIFY(run(holder.lock->lock()).value());
        int losses = 0;
        holder.lock->listen([&](DistributedLock::Event event, const QByteArray&, const QString&) {
            losses += event == DistributedLock::Event::Lost ? 1 : 0;
        });
        auto waiting = beside(waiter.lock->tryLockFor(60s));
        waitUntilListening("redisson_lock__channel:{" + name + "}");
        // Some more go on as they can meanwhile: with errors, but never two at once.
        Counter counter;
        std::vector<std::unique_ptr<LockUser>> users;
        for (int i = 0; i < 4; ++i) {
            users.push_back(std::make_unique<LockUser>(url, "redis-set", counted, leaseOf(2s, 0s)));
            VERIFY_OPEN(*users.back());
        }
        const int rounds = 15;
        std::vector<QCoro::Task<>> tasks;
        for (const auto& user : users)
            tasks.push_back(countUp(*user, counter, rounds));
        QVERIFY(comesTrue([&] { return counter.value >= rounds; }));

        QElapsedTimer since;
        since.start();
        m_cluster.at(victim).kill();
        int calls = 0;
        for (bool works = false; !works && since.elapsed() < kFailoverLimit; ++calls) {
            QElapsedTimer took;
            took.start();
            works = run(port.call({"SET", "{" + name + "}after", "failover"})).has_value();
            QVERIFY2(took.elapsed() < 8'000, QByteArray::number(took.elapsed()).constData());
        }
        QVERIFY2(since.elapsed() < kFailoverLimit, QByteArray::number(since.elapsed()).constData());
        qInfo("a replica took over after %lld ms, in %d calls", static_cast<long long>(since.elapsed()), calls);
        QCOMPARE(port.ownerOf(name)->port, m_cluster.at(heir).port());

        // The subscription came along, and says that something may have been missed.
        const auto gap = run((*subscription)->next(10s));
        QVERIFY(gap && gap->gap);
        QVERIFY(run(port.call({"PUBLISH", "{" + name + "}news", "hello"})));
        auto message = run((*subscription)->next(10s));
        while (message && message->gap)
            message = run((*subscription)->next(10s));
        QVERIFY(message);
        QCOMPARE(message->payload, "hello");

        // The holder holds on, and renews at the new master; the waiter still waits, and is woken from there.
        const std::int64_t before = run(port.call({"PTTL", name})).value().integer;
        QVERIFY2(before > 0, QByteArray::number(qlonglong(before)).constData());
        QVERIFY(comesTrue([&] { return run(port.call({"PTTL", name})).value().integer > 19'000; }));
        QVERIFY(holder.lock->stillMine());
        QCOMPARE(losses, 0);
        QVERIFY(!waiting->done);
        waitUntilListening("redisson_lock__channel:{" + name + "}", heir);
        since.start();
        VERIFY_OK(run(holder.lock->unlock()));
        QVERIFY(ends(waiting, 10s));
        VERIFY_OK(*waiting->result);
        QVERIFY(**waiting->result);
        QVERIFY2(since.elapsed() < 2'000, QByteArray::number(since.elapsed()).constData()); // not by its lease of 20 s

        // The killed one comes back without data, as the heir's replica, and confirms from now on.
        const auto restarted = run(m_cluster.start());
        QVERIFY2(restarted, restarted ? "" : qPrintable(restarted.error()));
        run(all(std::move(tasks)));
        QCOMPARE(counter.value, 4 * rounds);
        QCOMPARE(counter.mostInside, 1);
        QVERIFY(run(m_cluster.waitUntilFine(20s)));
        QCOMPARE(port.ownerOf(name)->port, m_cluster.at(heir).port());
        QCOMPARE(run(port.call({"GET", "{" + name + "}after"})).value().text, "failover");
        VERIFY_OK(run(waiter.lock->unlock()));
    }

private:
    /// A name whose slot that master has.
    QByteArray keyAt(ClusterPort& port, int master, const QByteArray& begin) {
        QByteArray key;
        for (int i = 0; key.isEmpty() || port.ownerOf(key)->port != m_cluster.at(master).port(); ++i)
            key = begin + QByteArray::number(i);
        return key;
    }
    /// Until somebody listens to the channel, at any master or at one node.
    void waitUntilListening(const QByteArray& channel, int node = -1) {
        QVERIFY(comesTrue([&] {
            for (int i = 0; i < m_cluster.count(); ++i) {
                if ((node >= 0 && i != node) || !m_cluster.at(i).running()) continue;
                RedisDriver driver(m_runtime, urlOf(m_cluster.at(i)));
                const Result answer = call(driver, {"PUBSUB", "NUMSUB", channel});
                if (answer && answer->items.size() == 2 && answer->items[1].integer > 0) return true;
            }
            return false;
        }));
    }

    EventLoopRuntime m_runtime;
    sandbox::RedisCluster m_cluster{m_runtime, withReplicas()};
    sandbox::RedisCluster m_encrypted{m_runtime, encrypted()};
    QString m_url;
};

QTEST_GUILESS_MAIN(TestRedisClusterFailover)
#include "tst_redis_cluster_failover.moc"
