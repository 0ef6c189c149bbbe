// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis_watcher.h"
#include "live_redis.h"

#include <QElapsedTimer>
#include <QScopeGuard>

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::redis;
using namespace lockscope::test;
using sandbox::RedisServer;
using sandbox::RedisServerOptions;

namespace {

constexpr char kA[] = "285475da-9152-4c83-822a-67ee2f116a79";
constexpr char kB[] = "9d6a39e4-27a9-4c1b-8a6e-2f1c0f3a5b77";

QByteArray owner(const char* client, int thread) {
    return QByteArray(client) + ':' + QByteArray::number(thread);
}

const LockRow* rowOf(const LockReport& report, const QByteArray& name) {
    for (const LockRow& row : report.locks)
        if (row.name == name) return &row;
    return nullptr;
}

} // namespace

class TestRedisWatcher : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() {
        m_client = std::make_unique<RedisDriver>(m_runtime, urlOf(m_server));
        QVERIFY(call(*m_client, {"FLUSHALL"}));
        QVERIFY(call(*m_client, {"CONFIG", "SET", "notify-keyspace-events", ""}));
        m_watched = std::make_unique<RedisDriver>(m_runtime, urlOf(m_server));
    }
    void cleanup() {
        m_server.resume();
        m_client.reset();
        m_watched.reset();
    }

    void seesRedissonLocksWithTheirWaiters() {
        takeRedisson("orders", owner(kA, 1), 2, 30'000);
        RedisDriver waiter(m_runtime, urlOf(m_server)), other(m_runtime, urlOf(m_server));
        auto first = run(waiter.subscribe("redisson_lock__channel:{orders}"));
        auto second = run(waiter.subscribe("redisson_lock__channel:{orders}")); // another thread of the same process
        auto third = run(other.subscribe("redisson_lock__channel:{orders}"));
        const LockReport report = lookOnce();
        QCOMPARE(report.locks.size(), 1u);
        const LockRow& row = report.locks[0];
        QCOMPARE(row.format, QByteArray("redisson"));
        QCOMPARE(row.holders, (std::vector<Party>{{kA, "1", 2, {}, "exclusive"}}));
        QVERIFY(row.ttlMs.value() > 25'000 && row.ttlMs.value() <= 30'000);
        QCOMPARE(row.waiterCount.value(), 2);
        QVERIFY(report.complete);
        QVERIFY(!report.trouble);
    }
    void seesPlainLocks() {
        QVERIFY(call(*m_client, {"SET", "orders", owner(kA, 3) + ":0123456789abcdef", "NX", "PX", "9000"}));
        QVERIFY(call(*m_client, {"SET", "lock:stock", "worker-7", "NX"}));
        QVERIFY(call(*m_client, {"SET", "user:1", "Ada"}));
        const LockReport report = lookOnce();
        QCOMPARE(report.locks.size(), 2u);
        QCOMPARE(rowOf(report, "orders")->holders, (std::vector<Party>{{kA, "3", {}, {}, "exclusive"}}));
        QVERIFY(rowOf(report, "orders")->ttlMs.value() <= 9000);
        QVERIFY(rowOf(report, "lock:stock")->neverExpires);
        QVERIFY(!rowOf(report, "lock:stock")->waiterCount);
    }
    void seesTheHelpersOfALock() {
        takeRedisson("fair", owner(kA, 1), 1, 30'000);
        QVERIFY(call(*m_client, {"RPUSH", "redisson_lock_queue:{fair}", owner(kB, 1), owner(kA, 2)}));
        QVERIFY(call(*m_client, {"ZADD", "redisson_lock_timeout:{fair}", "1", owner(kB, 1), "2", owner(kA, 2)}));
        takeRedisson("fenced", owner(kA, 1), 1, 30'000);
        QVERIFY(call(*m_client, {"SET", "redisson_lock_token:{fenced}", "34"}));
        QVERIFY(call(*m_client, {"HSET", "doc", "mode", "read", owner(kA, 1), "1"}));
        QVERIFY(call(*m_client, {"PEXPIRE", "doc", "90000"}));
        QVERIFY(call(*m_client, {"SET", "{doc}:" + owner(kA, 1) + ":rwlock_timeout:1", "1", "PX", "5000"}));
        const LockReport report = lookOnce();
        QCOMPARE(report.locks.size(), 3u);
        QCOMPARE(rowOf(report, "fair")->format, QByteArray("redisson-fair"));
        QCOMPARE(rowOf(report, "fair")->waiters->at(0).client, QByteArray(kB));
        QCOMPARE(rowOf(report, "fenced")->token.value(), 34);
        QCOMPARE(rowOf(report, "doc")->mode, QByteArray("shared"));
        QVERIFY(rowOf(report, "doc")->ttlMs.value() <= 5000);
    }
    void findsALockAmongManyKeys() {
        QVERIFY(call(*m_client, {"EVAL",
                                 "for i = 1, 30000 do redis.call('SET', 'user:' .. i, 'name' .. i) end "
                                 "for i = 1, 300 do redis.call('HSET', 'cart:' .. i, 'item', i) end "
                                 "for i = 1, 1000 do redis.call('HSET', 'big', i, i) end",
                                 "0"}));
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        const LockReport report = lookOnce();
        QCOMPARE(report.locks.size(), 1u);
        QVERIFY(report.complete);
        QVERIFY(report.keysSeen >= 30'300);
    }
    void countsALongQueueToItsEnd() {
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        QVERIFY(call(*m_client, {"EVAL",
                                 "for i = 1, 300 do redis.call('RPUSH', 'redisson_lock_queue:{orders}', ARGV[1] .. i) "
                                 "redis.call('ZADD', 'redisson_lock_timeout:{orders}', i, ARGV[1] .. i) end",
                                 "0", QByteArray(kB) + ':'}));
        const LockReport held = lookOnce();
        const LockRow* row = rowOf(held, "orders");
        QVERIFY(row);
        QCOMPARE(row->format, QByteArray("redisson-fair"));
        QCOMPARE(row->waiterCount.value(), 300);
        QCOMPARE(row->waiters->at(0).thread.value(), QByteArray("1"));
        QVERIFY(call(*m_client, {"DEL", "orders"})); // between two holders
        const LockReport queued = lookOnce();
        row = rowOf(queued, "orders");
        QVERIFY(row && row->state == LockRow::State::Queued);
        QCOMPARE(row->waiterCount.value(), 300);
    }
    void seesManyReadersAndPermits() {
        QVERIFY(call(*m_client, {"EVAL",
                                 "redis.call('HSET', 'doc', 'mode', 'read') "
                                 "for i = 1, 600 do redis.call('HSET', 'doc', ARGV[1] .. i, 1) "
                                 "redis.call('SET', '{doc}:' .. ARGV[1] .. i .. ':rwlock_timeout:1', 1, 'PX', 60000) "
                                 "redis.call('ZADD', '{pool}:timeout', 99999999999999, string.format('%016d', i)) end "
                                 "redis.call('SET', 'pool', 0)",
                                 "0", QByteArray(kB) + ':'}));
        const LockReport report = lookOnce();
        const LockRow* doc = rowOf(report, "doc");
        QVERIFY(doc);
        QCOMPARE(doc->format, QByteArray("redisson-rw"));
        QVERIFY(doc->holders.size() >= 200);
        QCOMPARE(std::int64_t(doc->holders.size()) + doc->moreHolders, 600);
        const LockRow* pool = rowOf(report, "pool");
        QVERIFY(pool);
        QCOMPARE(pool->format, QByteArray("redisson-permit"));
        QCOMPARE(std::int64_t(pool->holders.size()) + pool->moreHolders, 600);
    }
    void claimsNoLockOfAnotherDatabase() {
        RedisDriver waiter(m_runtime, urlOf(m_server));
        auto waiting = run(waiter.subscribe("redisson_lock__channel:{orders}"));
        QVERIFY(rowOf(lookOnce(), "orders")); // just freed: no other database has keys
        ConnectionUrl fifth = urlOf(m_server);
        fifth.database = 5;
        RedisDriver other(m_runtime, fifth);
        QVERIFY(call(other, {"HSET", "orders", owner(kA, 1), "1"}));
        QVERIFY(lookOnce().locks.empty());
        QVERIFY(call(*m_client, {"SET", "user:1", "Ada"}));
        QVERIFY(lookOnce().locks.empty());
        // What was held here a moment ago is waited for here.
        Watch watch(*this);
        takeRedisson("orders", owner(kB, 1), 1, 30'000);
        QTRY_VERIFY(rowOf(watch.last(), "orders"));
        QVERIFY(call(*m_client, {"DEL", "orders"}));
        QTRY_VERIFY(rowOf(watch.last(), "orders") && rowOf(watch.last(), "orders")->state == LockRow::State::Queued);
    }
    void readingDoesNotKeepKeysFromEviction() {
        QVERIFY(call(*m_client, {"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"}));
        QVERIFY(call(*m_client, {"CONFIG", "SET", "maxmemory", "1gb"}));
        const auto unlimited = qScopeGuard([this] {
            (void)call(*m_client, {"CONFIG", "SET", "maxmemory", "0"});
            (void)call(*m_client, {"CONFIG", "SET", "maxmemory-policy", "noeviction"});
        });
        QVERIFY(call(*m_client, {"SET", "value", "Ada"}));
        const QByteArray dump = call(*m_client, {"DUMP", "value"})->text;
        for (const char* key : {"user:1", "lock:stuck"})
            QVERIFY(call(*m_client, {"RESTORE", key, "0", dump, "IDLETIME", "1000"}));
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        const LockReport report = lookOnce();
        QVERIFY(rowOf(report, "orders"));     // somebody uses it
        QVERIFY(rowOf(report, "lock:stuck")); // its name says what it is
        QVERIFY(report.complete);
        const bool noTouch = call(*m_client, {"CLIENT", "NO-TOUCH", "OFF"}).has_value(); // since Redis 7.2
        QCOMPARE(report.keysLeftAlone, noTouch ? 0 : 1);
        QVERIFY(call(*m_client, {"OBJECT", "IDLETIME", "user:1"})->integer >= 1000);
    }
    void saysThatThereIsMore() {
        QVERIFY(call(*m_client, {"EVAL", "for i = 1, 5000 do redis.call('SET', 'user:' .. i, 'name') end", "0"}));
        WatchOptions options;
        options.scansOfOnce = 4; // one of each kind of key
        RedisWatcher watcher(*m_watched, options);
        const LockReport report = run(watcher.once());
        QVERIFY(!report.trouble);
        QVERIFY(!report.complete);
        QCOMPARE(report.keysThere, 5000);
        QVERIFY2(report.keysPassed > 0 && report.keysPassed < 1000, qPrintable(QString::number(report.keysPassed)));
        QVERIFY(report.keysSeen < 1000);
        const LockReport all = lookOnce();
        QVERIFY(all.complete);
        QCOMPARE(all.keysPassed, 5000);
    }
    void onceKeepsToItsBudget() {
        QVERIFY(call(*m_client, {"EVAL", "for i = 1, 6000 do redis.call('SET', 'user:' .. i, 'name') end", "0"}));
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        WatchOptions options;
        options.oncePerSecond = 4'000;
        RedisWatcher watcher(*m_watched, options);
        QElapsedTimer time;
        time.start();
        const LockReport report = run(watcher.once());
        QVERIFY(report.complete && rowOf(report, "orders"));
        QVERIFY(report.keysSeen >= 6000);
        QVERIFY2(watcher.commandsSent() < 7'000, qPrintable(QString::number(watcher.commandsSent())));
        QVERIFY2(time.elapsed() >= 1'000, qPrintable(QString::number(time.elapsed())));
    }
    void neverReadsABigHash() {
        QVERIFY(call(*m_client, {"EVAL", "for i = 1, 1000 do redis.call('HSET', 'big', i, i) end", "0"}));
        QVERIFY(call(*m_client, {"CONFIG", "RESETSTAT"}));
        QVERIFY(lookOnce().locks.empty());
        const QByteArray stats = call(*m_client, {"INFO", "commandstats"})->text;
        QVERIFY2(stats.contains("cmdstat_hlen"), stats);
        QVERIFY2(!stats.contains("cmdstat_hgetall"), stats);
    }
    void onlyReads() {
        RedisServerOptions options;
        options.users = {
            {QStringLiteral("reader"), QStringLiteral("secret"),
             QStringLiteral("%R~* &* -@all +scan +hlen +hgetall +getrange +lrange +zrange +pttl +time +pubsub")}};
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
        options.users = {{QStringLiteral("reader"), QStringLiteral("secret"),
                          QStringLiteral("~* -@all +scan +hlen +hgetall +getrange +lrange +zrange +pttl")}};
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
    }
    void serverThatIsNotThere() {
        ConnectionUrl url = urlOf(m_server);
        url.endpoints[0].port = sandbox::freePort(m_runtime).value();
        RedisDriver driver(m_runtime, url);
        RedisWatcher watcher(driver);
        const LockReport report = run(watcher.once());
        QVERIFY(report.trouble->kind == Error::Kind::Unreachable);
    }

    void followsChanges() {
        Watch watch(*this);
        QTRY_VERIFY(watch.last().complete);
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        QTRY_VERIFY(rowOf(watch.last(), "orders"));
        QVERIFY(call(*m_client, {"HINCRBY", "orders", owner(kA, 1), "1"}));
        QTRY_COMPARE(rowOf(watch.last(), "orders")->holders.at(0).holds.value(), 2);
        QVERIFY(call(*m_client, {"DEL", "orders"}));
        QTRY_VERIFY(!rowOf(watch.last(), "orders"));
    }
    void notificationsMakeItQuick() {
        QVERIFY(call(*m_client, {"CONFIG", "SET", "notify-keyspace-events", "EA"}));
        WatchOptions slow;
        slow.shortestPeriod = slow.longestPeriod = 30s; // polling would come too late for this test
        Watch watch(*this, slow);
        QTRY_VERIFY(watch.last().complete);
        QTRY_COMPARE(call(*m_client, {"PUBSUB", "NUMPAT"})->integer, 1);
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        QTRY_VERIFY(rowOf(watch.last(), "orders"));
    }
    void staysWithinItsBudget() {
        QVERIFY(call(*m_client,
                     {"EVAL", "for i = 1, 200 do redis.call('HSET', 'lock' .. i, ARGV[1], 1) end", "0", owner(kA, 1)}));
        WatchOptions options;
        options.commandsPerSecond = 1000; // a look costs more than 1000 commands here
        Watch watch(*this, options);
        QTRY_VERIFY(watch.reports >= 2);
        QCOMPARE(watch.last().locks.size(), 200u);
        QVERIFY2(watch.last().period >= 1s, qPrintable(QString::number(watch.last().period.count())));
    }
    void knownLocksStayInSightAmongManyKeys() {
        QVERIFY(call(*m_client, {"EVAL", "for i = 1, 8000 do redis.call('SET', 'user:' .. i, 'name') end", "0"}));
        takeRedisson("orders", owner(kA, 1), 1, 60'000);
        WatchOptions options;
        options.shortestPeriod = 5ms;
        options.longestPeriod = 100ms;
        options.commandsPerSecond = 20'000;
        Watch watch(*this, options);
        QTRY_VERIFY(rowOf(watch.last(), "orders"));
        QVERIFY(!watch.last().complete); // the other keys are still being read, a few at a time
        QVERIFY(watch.last().period <= 200ms);
        QVERIFY(call(*m_client, {"HINCRBY", "orders", owner(kA, 1), "1"}));
        QTRY_COMPARE(rowOf(watch.last(), "orders")->holders.at(0).holds.value(), 2);
        QTRY_VERIFY_WITH_TIMEOUT(watch.last().complete, 30'000);
        QVERIFY(call(*m_client, {"SET", "orders2", owner(kB, 1) + ":0123456789abcdef", "PX", "60000"}));
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(watch.last(), "orders2"), 30'000);
    }
    void aLockByNameIsFoundSoonAmongManyKeys() {
        QVERIFY(call(*m_client, {"EVAL", "for i = 1, 60000 do redis.call('SET', 'user:' .. i, 'name') end", "0"}));
        QVERIFY(call(*m_client, {"SET", "lock:x", "worker-7"}));
        Watch watch(*this);
        QTRY_VERIFY_WITH_TIMEOUT(watch.reports > 0, 10'000);
        QCOMPARE(watch.last().keysThere, 60'001);
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(watch.last(), "lock:x"), 10'000);
    }
    void semaphoreIsFoundWhenSomebodyWaits() {
        QVERIFY(call(*m_client, {"SET", "permits", "0"}));
        Watch watch(*this);
        QTRY_VERIFY(watch.last().complete);
        QVERIFY(watch.last().locks.empty());
        auto waiter = run(m_client->subscribe("redisson_sc:{permits}"));
        QTRY_VERIFY(rowOf(watch.last(), "permits"));
        QCOMPARE(rowOf(watch.last(), "permits")->format, QByteArray("redisson-semaphore"));
    }
    void looksLessOftenWhenNothingHappens() {
        WatchOptions options;
        options.shortestPeriod = 10ms;
        options.longestPeriod = 60ms;
        options.commandsPerSecond = 1e9;
        Watch watch(*this, options);
        QTRY_COMPARE(watch.last().period, Nanos(60ms));
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        QTRY_VERIFY(watch.shortest == 10ms && rowOf(watch.last(), "orders"));
        QVERIFY(watch.last().commandsPerSecond > 0);
    }
    void outageIsReportedOnceAndEnds() {
        RedisServer server(m_runtime);
        VERIFY_STARTED(server);
        RedisDriver writer(m_runtime, urlOf(server));
        QVERIFY(call(writer, {"HSET", "orders", owner(kA, 1), "1"}));
        m_watched = std::make_unique<RedisDriver>(m_runtime, urlOf(server));
        Watch watch(*this);
        QTRY_VERIFY(rowOf(watch.last(), "orders"));
        run(server.stop());
        QTRY_VERIFY(watch.last().trouble);
        QVERIFY(rowOf(watch.last(), "orders")); // the last that was known
        VERIFY_STARTED(server);
        QTRY_VERIFY_WITH_TIMEOUT(!watch.last().trouble && watch.last().locks.empty(), 20'000);
        QCOMPARE(watch.outages, 1);
    }
    void watchIsEndedByAStop() {
        RedisWatcher watcher(*m_watched);
        std::stop_source stop;
        auto watching = watcher.watch([](const LockReport&) {}, stop.get_token());
        stop.request_stop();
        QCOMPARE(run(howCancelled(std::move(watching))), std::optional(Cancelled::Why::Stopped));
    }

private:
    /// A watch that runs until it goes out of scope.
    struct Watch {
        Watch(TestRedisWatcher& test, WatchOptions options = {})
            : watcher(*test.m_watched, std::move(options)),
              task(howCancelled(watcher.watch(
                  [this](const LockReport& report) {
                      if (report.trouble) ++outages;
                      shortest = m_last.period > 0ns ? std::min(shortest, report.period) : report.period;
                      m_last = report;
                      ++reports;
                  },
                  stop.get_token()))) {}
        ~Watch() {
            stop.request_stop();
            run(std::move(task));
        }
        const LockReport& last() const { return m_last; }
        int reports = 0, outages = 0;
        Nanos shortest{};
        std::stop_source stop;
        RedisWatcher watcher;
        LockReport m_last;
        QCoro::Task<std::optional<Cancelled::Why>> task;
    };

    LockReport lookOnce() {
        RedisWatcher watcher(*m_watched);
        return run(watcher.once());
    }
    void takeRedisson(const QByteArray& name, const QByteArray& field, int holds, int ttlMs) {
        QVERIFY(call(*m_client, {"HSET", name, field, QByteArray::number(holds)}));
        QVERIFY(call(*m_client, {"PEXPIRE", name, QByteArray::number(ttlMs)}));
    }

    EventLoopRuntime m_runtime;
    RedisServer m_server{m_runtime};
    std::unique_ptr<RedisDriver> m_client, m_watched;
};

QTEST_GUILESS_MAIN(TestRedisWatcher)
#include "tst_redis_watcher.moc"
