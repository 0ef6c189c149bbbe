// SPDX-License-Identifier: Apache-2.0
#include "watched_redis.h"

#include <QElapsedTimer>
#include <QScopeGuard>

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::redis;
using namespace lockscope::test;

/// Accounts that may do less: what they cannot see is not known, and never told as nothing.
class TestRedisWatcherRights : public WatchedRedis {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() { begin(); }
    void cleanup() { end(); }

    void whatItMayNotReadIsNotFree() {
        RedisServerOptions options;
        options.users = {{QStringLiteral("some"), QStringLiteral("secret"), QStringLiteral("~ro:* &* +@all")},
                         {QStringLiteral("none"), QStringLiteral("secret"), QStringLiteral("&* +@all")}};
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        RedisDriver writer(m_runtime, urlOf(server));
        QVERIFY(call(writer, {"HSET", "ro:orders", owner(kA, 1), "1"}));
        QVERIFY(call(writer, {"PEXPIRE", "ro:orders", "60000"}));
        QVERIFY(call(writer, {"RPUSH", "redisson_lock_queue:{ro:orders}", owner(kB, 1)}));
        auto waiter = run(writer.subscribe("redisson_lock__channel:{ro:orders}"));
        const auto seenBy = [&](const char* user) {
            ConnectionUrl url = urlOf(server);
            url.user = QLatin1String(user);
            url.password = QStringLiteral("secret");
            RedisDriver driver(m_runtime, url);
            RedisWatcher watcher(driver);
            return run(watcher.once());
        };
        const LockReport some = seenBy("some");
        QVERIFY2(!some.trouble, some.trouble ? qPrintable(some.trouble->message) : "");
        QVERIFY(rowOf(some, "ro:orders"));
        QVERIFY(!rowOf(some, "ro:orders")->waiterCount); // not 0: the queue may not be read
        QVERIFY(!rowOf(some, "ro:orders")->waiters);
        const LockReport none = seenBy("none");
        QVERIFY(none.locks.empty()); // not "queued": it is held
        QVERIFY(none.keysRefused >= 1);
        QCOMPARE(none.notes.at(0).kind, WatchNote::Kind::KeysRefused);
    }
    void onlyReads() {
        RedisServerOptions options;
        options.users = {
            {QStringLiteral("reader"), QStringLiteral("secret"),
             QStringLiteral("%R~* &* -@all +scan +type +memory|usage +hgetall +strlen +getrange +lrange +llen "
                            "+zrange +zcard +pttl +time +pubsub")}};
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        RedisDriver writer(m_runtime, urlOf(server));
        QVERIFY(call(writer, {"HSET", "orders", owner(kA, 1), "1"}));
        ConnectionUrl url = urlOf(server);
        url.user = QStringLiteral("reader");
        url.password = QStringLiteral("secret");
        RedisDriver driver(m_runtime, url);
        RedisWatcher watcher(driver);
        const LockReport report = run(watcher.once());
        QVERIFY2(!report.trouble, report.trouble ? qPrintable(report.trouble->message) : "");
        QCOMPARE(report.locks.size(), 1u);
        QCOMPARE(report.locks[0].waiterCount.value(), 0);
    }
    void saysThatItMayNot() {
        RedisServerOptions options;
        options.users = {{QStringLiteral("nobody"), QStringLiteral("secret"), QStringLiteral("-@all +ping")}};
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        ConnectionUrl url = urlOf(server);
        url.user = QStringLiteral("nobody");
        url.password = QStringLiteral("secret");
        RedisDriver driver(m_runtime, url);
        RedisWatcher watcher(driver);
        const LockReport report = run(watcher.once());
        QVERIFY(report.trouble);
        QCOMPARE(report.trouble->code, QByteArray("NOPERM"));
    }
    void waitersAreUnknownWithoutPubSubRights() {
        RedisServerOptions options;
        options.users = {
            {QStringLiteral("reader"), QStringLiteral("secret"),
             QStringLiteral("~* -@all +scan +type +memory|usage +hgetall +strlen +getrange +lrange +llen +zrange "
                            "+zcard +pttl")}};
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        RedisDriver writer(m_runtime, urlOf(server));
        QVERIFY(call(writer, {"HSET", "orders", owner(kA, 1), "1"}));
        ConnectionUrl url = urlOf(server);
        url.user = QStringLiteral("reader");
        url.password = QStringLiteral("secret");
        RedisDriver driver(m_runtime, url);
        RedisWatcher watcher(driver);
        const LockReport report = run(watcher.once());
        QVERIFY(!report.trouble);
        QVERIFY(!report.locks.at(0).waiterCount);
        QCOMPARE(report.notes.at(0).kind, WatchNote::Kind::WaitersRefused);
    }
    void hashesAreLeftAloneWhereTheirSizeMayNotBeAsked() {
        RedisServerOptions options;
        options.users = {{QStringLiteral("reader"), QStringLiteral("secret"),
                          QStringLiteral("~* -@all +scan +type +hgetall +strlen +getrange +pttl")}};
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        RedisDriver writer(m_runtime, urlOf(server));
        QVERIFY(call(writer, {"HSET", "orders", owner(kA, 1), "1"}));
        QVERIFY(call(writer, {"SET", "lock:stock", "me"}));
        ConnectionUrl url = urlOf(server);
        url.user = QStringLiteral("reader");
        url.password = QStringLiteral("secret");
        RedisDriver driver(m_runtime, url);
        RedisWatcher watcher(driver);
        const LockReport report = run(watcher.once());
        QVERIFY(!report.trouble && rowOf(report, "lock:stock"));
        QVERIFY(std::ranges::any_of(report.notes, [](const WatchNote& note) {
            return note.kind == WatchNote::Kind::SizesRefused && note.examples == std::vector<QByteArray>{"orders"};
        }));
    }
};

QTEST_GUILESS_MAIN(TestRedisWatcherRights)
#include "tst_redis_watcher_rights.moc"
