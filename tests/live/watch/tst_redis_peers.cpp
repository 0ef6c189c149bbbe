// SPDX-License-Identifier: Apache-2.0
// Locks of libraries that others use on Redis, held by these libraries themselves: the watcher says who holds, how
// often the hold was renewed and what is left of it, as the peer and the server say.
#include "operated_redis.h"
#include "sandbox/process_supervisor.h"
#include "watching.h"

#include <QFile>

using namespace lockscope;
using namespace lockscope::test;
using What = LockChange::What;

namespace {

const QString kPeers = QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/live/watch/peers/");
constexpr qint64 kTtl = 60'000; ///< ms: nothing expires while a busy machine takes its time
constexpr qint64 kExact = 100;  ///< ms: so far may the watcher be from the server
constexpr int kRenewals = 3;
constexpr int kPeerLimit = 30'000; ///< ms, for a peer to start; well below a second on an idle machine
constexpr int kSeenLimit = 10'000; ///< ms, for a change to be seen

} // namespace

class TestRedisPeers : public QObject {
    Q_OBJECT

    /// `kind`: "redis-py", or one of redis_peer.mjs.
    bool start(sandbox::ProcessSupervisor& peer, const QString& kind, const QString& lock, qint64 ttlMs = kTtl) {
        const QString port = QString::number(m_redis->port()), ttl = QString::number(ttlMs);
        if (kind == QLatin1String("redis-py")) // the system's Python, for which the system's packages are
            return peer.start(QStringLiteral("/usr/bin/python3"),
                              {QStringLiteral("-B"), kPeers + QStringLiteral("redis_py_peer.py"), port, lock, ttl},
                              m_redis->workspace().path());
        const QString script = m_workspace.file(QStringLiteral("redis_peer.mjs"));
        return peer.start(QStringLiteral("node"), {script, port, lock, kind, ttl}, m_workspace.path());
    }
    /// The peer's next event; empty: none came.
    QByteArray next() {
        redis::Reply event;
        const auto came = [&] {
            event = m_redis.ask({"LPOP", "peer:events"});
            return !event.isNil();
        };
        return QTest::qWaitFor(came, kPeerLimit) ? event.text : QByteArray();
    }
    /// Asked before and after the look, the server says between which times the rest of the lease lies.
    void theEndIsTheServers(const QByteArray& key) {
        const auto looking = watcherOf(m_runtime, m_redis.url());
        const qint64 before = m_redis.ask({"PTTL", key}).integer;
        const LockReport report = run(looking->once());
        const qint64 after = m_redis.ask({"PTTL", key}).integer;
        QVERIFY(rowOf(report, key) && rowOf(report, key)->ttlMs);
        const qint64 told = *rowOf(report, key)->ttlMs;
        QVERIFY2(told <= before + kExact && told >= after - kExact,
                 qPrintable(QStringLiteral("%1, and the server said %2 to %3").arg(told).arg(after).arg(before)));
    }
    void tell(const char* command) { m_redis.ask({"RPUSH", "peer:commands", command}); }

    EventLoopRuntime m_runtime;
    OperatedRedis m_redis{m_runtime};
    sandbox::Workspace m_workspace; ///< with the packages of npm

private Q_SLOTS:
    void initTestCase() {
        VERIFY_EMPTY(m_redis.start());
        const QString script = QStringLiteral("redis_peer.mjs");
        QVERIFY(QFile::copy(kPeers + script, m_workspace.file(script)));
        const QStringList install{QStringLiteral("install"),          QStringLiteral("--prefer-offline"),
                                  QStringLiteral("--no-audit"),       QStringLiteral("--no-fund"),
                                  QStringLiteral("--ignore-scripts"), QStringLiteral("redlock@5.0.0-beta.2"),
                                  QStringLiteral("ioredis@5.4.1"),    QStringLiteral("redis-semaphore@5.8.0")};
        const auto installed = run(sandbox::run(m_runtime, QStringLiteral("npm"), install, m_workspace.path()));
        QVERIFY2(installed, qPrintable(QStringLiteral("npm could not install the packages that this test watches; "
                                                      "does the registry answer? %1")
                                           .arg(installed ? QString() : installed.error())));
    }
    void cleanupTestCase() { m_redis.stop(); }
    void init() { m_redis.empty(); }

    void aHoldIsToldAsThePeerHasIt_data() {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("format");
        QTest::newRow("redis-py") << QByteArray("orders") << QByteArray("redis-py");
        QTest::newRow("redlock") << QByteArray("orders") << QByteArray("node-redlock");
        QTest::newRow("mutex") << QByteArray("mutex:orders") << QByteArray("redis-semaphore");
    }
    void aHoldIsToldAsThePeerHasIt() {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, format);
        Watching watch(m_runtime, m_redis.url());
        QTRY_VERIFY_WITH_TIMEOUT(watch.reports > 0 && watch.last().complete, kSeenLimit);
        sandbox::ProcessSupervisor peer;
        QVERIFY2(start(peer, QString::fromLatin1(QTest::currentDataTag()), QStringLiteral("orders")),
                 qPrintable(peer.lastOutput()));
        const QByteArray held = next();
        QVERIFY2(held.startsWith("held "), qPrintable(peer.lastOutput()));
        QTRY_VERIFY_WITH_TIMEOUT(watch.row(key), kSeenLimit);
        QCOMPARE(watch.row(key)->format, format);
        QVERIFY(watch.row(key)->state == LockRow::State::Held);
        QCOMPARE(clientsOf(watch.row(key)->holders), QByteArrayList{held.mid(5)});
        QCOMPARE(waitersOf(*watch.row(key)), QByteArrayList{"not known"}); // these libraries leave no trace of theirs

        std::vector<What> wanted{What::Taken};
        for (int i = 0; i < kRenewals; ++i) {
            tell("renew");
            QCOMPARE(next(), QByteArray("renewed"));
            wanted.push_back(What::Renewed);
            QTRY_COMPARE_WITH_TIMEOUT(watch.happened[key], wanted, kSeenLimit);
        }
        theEndIsTheServers(key);
        if (QTest::currentTestFailed()) return;

        tell("release");
        QCOMPARE(next(), QByteArray("released"));
        wanted.push_back(What::Released);
        QTRY_COMPARE_WITH_TIMEOUT(watch.happened[key], wanted, kSeenLimit);
    }

    void permitsAreCountedAndNamed() {
        const QByteArray key = "semaphore:orders";
        Watching watch(m_runtime, m_redis.url());
        QTRY_VERIFY_WITH_TIMEOUT(watch.reports > 0, kSeenLimit);
        sandbox::ProcessSupervisor peer;
        QVERIFY2(start(peer, QStringLiteral("semaphore"), QStringLiteral("orders")), qPrintable(peer.lastOutput()));
        const QByteArray held = next();
        QVERIFY2(held.startsWith("held "), qPrintable(peer.lastOutput()));
        QByteArrayList owners = held.mid(5).split(',');
        std::ranges::sort(owners);
        const auto seen = [&] {
            QByteArrayList clients = watch.row(key) ? clientsOf(watch.row(key)->holders) : QByteArrayList();
            std::ranges::sort(clients);
            return clients;
        };
        QTRY_COMPARE_WITH_TIMEOUT(seen(), owners, kSeenLimit);
        QCOMPARE(owners.size(), 2);
        QCOMPARE(watch.row(key)->format, QByteArray("redis-semaphore"));
        QCOMPARE(watch.row(key)->mode, QByteArray("permit"));
        tell("renew"); // other scores of the same members: they are no other holders
        QCOMPARE(next(), QByteArray("renewed"));
        QTRY_VERIFY_WITH_TIMEOUT(std::ranges::count(watch.happened[key], What::Renewed) > 0, kSeenLimit);
        theEndIsTheServers(key);
        if (QTest::currentTestFailed()) return;
        tell("release");
        QCOMPARE(next(), QByteArray("released"));
        QTRY_VERIFY_WITH_TIMEOUT(!watch.happened[key].empty() && watch.happened[key].back() == What::Released,
                                 kSeenLimit);
        QCOMPARE(std::ranges::count(watch.happened[key], What::ChangedHands), 0);
        QCOMPARE(std::ranges::count(watch.happened[key], What::Taken), 1);
    }

    void aKilledPeersLockIsToldToExpire_data() {
        QTest::addColumn<QByteArray>("key");
        QTest::newRow("redis-py") << QByteArray("orders");
        QTest::newRow("semaphore") << QByteArray("semaphore:orders");
    }
    void aKilledPeersLockIsToldToExpire() {
        QFETCH(QByteArray, key);
        constexpr qint64 kShort = 3'000;
        Watching watch(m_runtime, m_redis.url());
        QTRY_VERIFY_WITH_TIMEOUT(watch.reports > 0, kSeenLimit);
        sandbox::ProcessSupervisor peer;
        QVERIFY2(start(peer, QString::fromLatin1(QTest::currentDataTag()), QStringLiteral("orders"), kShort),
                 qPrintable(peer.lastOutput()));
        QVERIFY(next().startsWith("held "));
        peer.kill();
        const auto lastWas = [&](What what) {
            return !watch.happened[key].empty() && watch.happened[key].back() == what;
        };
        QTRY_VERIFY_WITH_TIMEOUT(lastWas(What::Expired), kSeenLimit);
        QCOMPARE(watch.happened[key].front(), What::Taken);
        QCOMPARE(std::ranges::count(watch.happened[key], What::Released), 0);
    }
};

QTEST_GUILESS_MAIN(TestRedisPeers)
#include "tst_redis_peers.moc"
