// SPDX-License-Identifier: Apache-2.0
#include "watched_redis.h"

#include <QElapsedTimer>
#include <QScopeGuard>

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::redis;
using namespace lockscope::test;

class TestRedisWatcher : public WatchedRedis {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() { begin(); }
    void cleanup() { end(); }

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
        QVERIFY(
            call(*m_client, {"ZADD", "redisson_lock_timeout:{fair}", kFarAway, owner(kB, 1), kFarAway, owner(kA, 2)}));
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
                                 "redis.call('ZADD', 'redisson_lock_timeout:{orders}', ARGV[2], ARGV[1] .. i) end",
                                 "0", QByteArray(kB) + ':', kFarAway}));
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
        // Clients wait here for locks that were held here a moment ago.
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
        const QByteArray dump = call(*m_client, {"DUMP", "value"}).value().text;
        for (const char* key : {"user:1", "lock:stuck"})
            QVERIFY(call(*m_client, {"RESTORE", key, "0", dump, "IDLETIME", "1000"}));
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        const LockReport report = lookOnce();
        QVERIFY(rowOf(report, "orders"));     // somebody uses it
        QVERIFY(rowOf(report, "lock:stuck")); // its name says what it is
        QVERIFY(report.complete);
        const bool noTouch = call(*m_client, {"CLIENT", "NO-TOUCH", "OFF"}).has_value(); // since Redis 7.2
        QCOMPARE(report.keysLeftAlone, noTouch ? 0 : 1);
        const auto evicts = std::ranges::find(report.notes, WatchNote::Kind::MayEvict, &WatchNote::kind);
        QVERIFY(evicts != report.notes.end());
        QVERIFY2(textOf(*evicts).contains(u"allkeys-lru"_qs), qPrintable(textOf(*evicts)));
        QVERIFY(call(*m_client, {"OBJECT", "IDLETIME", "user:1"}).value().integer >= 1000);
    }
    void saysThatThereIsMore() {
        QVERIFY(call(*m_client, {"EVAL", "for i = 1, 5000 do redis.call('SET', 'user:' .. i, 'name') end", "0"}));
        WatchOptions options;
        options.scansOfOnce = 1;
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
        options.onceShare = 0.1;
        RedisWatcher watcher(*m_watched, options);
        QElapsedTimer time;
        time.start();
        const LockReport report = run(watcher.once());
        QVERIFY(report.complete && rowOf(report, "orders"));
        QVERIFY(report.keysSeen >= 6000);
        // The watcher asks for each string's length, for its value only where that is like a lock's, and for its type
        // until the names tell it.
        QVERIFY2(watcher.commandsSent() < 7'200, qPrintable(QString::number(watcher.commandsSent())));
        const auto server = std::chrono::duration_cast<std::chrono::milliseconds>(watcher.serverTime()).count();
        QVERIFY2(server > 0 && time.elapsed() >= 9 * server, qPrintable(QString::number(server)));
    }
    void neverReadsABigHash() {
        QVERIFY(call(*m_client, {"EVAL", "for i = 1, 1000 do redis.call('HSET', 'big', i, i) end", "0"}));
        QVERIFY(call(*m_client, {"CONFIG", "RESETSTAT"}));
        QVERIFY(lookOnce().locks.empty());
        const QByteArray stats = call(*m_client, {"INFO", "commandstats"}).value().text;
        QVERIFY2(stats.contains("cmdstat_hlen"), stats);
        QVERIFY2(!stats.contains("cmdstat_hgetall"), stats);
    }
    void neverReadsWhatIsLongerThanALocks() {
        QVERIFY(call(*m_client, {"EVAL",
                                 "local long = string.rep('x', 3000000) "
                                 "redis.call('HSET', 'h:name', ARGV[1] .. long, 1) "
                                 "redis.call('HSET', 'h:value', ARGV[1] .. '1', long) "
                                 "redis.call('HSET', 'h:mode', 'mode', long) "
                                 "redis.call('SET', 'job-lock:default:report', 'ADDED:' .. long) "
                                 "redis.call('RPUSH', 'redisson_lock_queue:{h:queue}', long) "
                                 "redis.call('ZADD', 'semaphore:long', 1, long) "
                                 "for i = 1, 1000 do redis.call('HSET', 'h:many', ARGV[1] .. i, 1) end",
                                 "0", QByteArray(kA) + ':'}));
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        const auto output = [this] {
            const QByteArray stats = call(*m_client, {"INFO", "stats"}).value().text;
            return lineOfInfo(stats, "total_net_output_bytes").toLongLong();
        };
        const auto before = output();
        const LockReport report = lookOnce();
        {
            WatchOptions often;
            often.longestPeriod = 200ms;
            Watch watch(*this, often);
            QTRY_VERIFY(watch.last().complete && watch.reports >= 8);
        }
        const auto bytes = output() - before;
        QVERIFY2(bytes < 300'000, qPrintable(QString::number(bytes)));
        QVERIFY(rowOf(report, "orders"));
        std::map<QByteArray, std::int64_t> told;
        for (const WatchNote& note : report.notes)
            told[nameOf(note.kind)] = note.count;
        QCOMPARE(told["long-values"], 1); // and none of them is left out silently
        QCOMPARE(told["long-fields"], 5);
        QCOMPARE(told["large-hashes"], 1);
    }
    void aLateAnswerIsNoRenewal() {
        QVERIFY(call(*m_client, {"EVAL",
                                 "for i = 1, 40 do redis.call('HSET', 'svc:' .. i, ARGV[1], 1) "
                                 "redis.call('PEXPIRE', 'svc:' .. i, 600000 + i) "
                                 "redis.call('SET', 'lock:' .. i, 'me', 'PX', 500000) end",
                                 "0", owner(kA, 1)}));
        WatchOptions often;
        often.longestPeriod = 200ms;
        Watch watch(*this, often);
        QTRY_VERIFY(watch.last().complete && watch.last().locks.size() == 80);
        const LockReport first = watch.last();
        for (int i = 0; i < 12; ++i) { // a server, or a network, that stumbles
            const int reports = watch.reports;
            m_server.pause();
            QTest::qWait(40 + 7 * i);
            m_server.resume();
            QTRY_VERIFY(watch.reports > reports);
            const auto changes = changesBetween(first, watch.last());
            QVERIFY2(changes.empty(), changes.empty() ? "" : nameOf(changes[0].what));
        }
        QVERIFY(call(*m_client, {"PEXPIRE", "svc:7", "600500"}));
        QTRY_VERIFY(!changesBetween(first, watch.last()).empty());
        const auto changes = changesBetween(first, watch.last());
        QCOMPARE(changes.size(), 1u);
        QCOMPARE(changes[0].row.name, QByteArray("svc:7"));
        QCOMPARE(changes[0].what, LockChange::What::Renewed);
    }
    void aStaticServerCostsLittle() {
        QVERIFY(call(*m_client, {"EVAL",
                                 "for i = 1, 24 do redis.call('HSET', 'svc:' .. i, ARGV[1], 1) "
                                 "redis.call('PEXPIRE', 'svc:' .. i, 600000) end",
                                 "0", owner(kA, 1)}));
        Watch watch(*this);
        QTRY_VERIFY(watch.last().complete && watch.last().locks.size() == 24);
        QTRY_VERIFY_WITH_TIMEOUT(watch.last().period >= 2s, 15'000);
        const auto before = watch.watcher.commandsSent();
        const int reports = watch.reports;
        QTRY_VERIFY_WITH_TIMEOUT(watch.reports == reports + 2, 15'000);
        // Two looks, two seconds apart: four commands for each lock, and a dozen for the server.
        const auto sent = watch.watcher.commandsSent() - before;
        QVERIFY2(sent <= 2 * (24 * 4 + 24), qPrintable(QString::number(sent)));
    }
    void onlyWhatIsWanted() {
        for (const char* name : {"orders:1", "orders:2", "stock:1", "cache:1"})
            takeRedisson(name, owner(kA, 1), 1, 30'000);
        WatchOptions options;
        options.names.match = {"orders:*", "stock:*"};
        options.names.ignore = {"*:2"};
        RedisWatcher watcher(*m_watched, options);
        LockReport report = run(watcher.once());
        QCOMPARE(report.locks.size(), 2u);
        QVERIFY(rowOf(report, "orders:1") && rowOf(report, "stock:1"));
        watcher.setNames({{"cache:*"}, {}});
        report = run(watcher.once());
        QCOMPARE(report.locks.size(), 1u);
        QVERIFY(report.complete && rowOf(report, "cache:1"));
    }
    void saysWhichServerItIs() {
        RedisServerOptions asReplica;
        asReplica.extraLines = {QStringLiteral("replicaof 127.0.0.1 %1").arg(m_server.port()),
                                QStringLiteral("repl-diskless-sync-delay 0")};
        RedisServer replica(m_runtime, asReplica);
        VERIFY_STARTED(replica);
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        auto waiter = run(m_client->subscribe("redisson_lock__channel:{orders}"));
        LockReport report = lookOnce();
        QCOMPARE(rowOf(report, "orders")->waiterCount.value(), 1);
        QVERIFY(report.server && report.server->role == ServerIdentity::Role::Master);
        QVERIFY(report.notes.empty());

        RedisDriver toReplica(m_runtime, urlOf(replica));
        RedisWatcher watcher(toReplica);
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(run(watcher.once()), "orders"), 20'000);
        report = run(watcher.once());
        QVERIFY(!rowOf(report, "orders")->waiterCount); // they are the master's
        QCOMPARE(report.notes.size(), 1u);
        QCOMPARE(report.notes[0].kind, WatchNote::Kind::Replica);
        QCOMPARE(report.notes[0].examples.at(0), "127.0.0.1:" + QByteArray::number(m_server.port()));
    }
    void saysThatItIsOneNodeOfACluster() {
        RedisServerOptions options;
        options.extraLines = {QStringLiteral("cluster-enabled yes")};
        RedisServer node(m_runtime, options);
        VERIFY_STARTED(node);
        RedisDriver driver(m_runtime, urlOf(node));
        Args add{"CLUSTER", "ADDSLOTS"};
        for (int slot = 0; slot <= 8000; ++slot)
            add.push_back(QByteArray::number(slot));
        QVERIFY(call(driver, add));
        RedisWatcher watcher(driver);
        const LockReport report = run(watcher.once());
        QVERIFY2(!report.trouble, report.trouble ? qPrintable(report.trouble->message) : "");
        QCOMPARE(report.notes.size(), 1u);
        QCOMPARE(report.notes[0].kind, WatchNote::Kind::ClusterNode);
        QCOMPARE(report.notes[0].count, 8001);
        QVERIFY(textOf(report.notes[0]).contains(QLatin1String("16")));
    }
    void anEmptiedServerReleasesNothing() {
        takeRedisson("orders", owner(kA, 1), 1, 60'000);
        takeRedisson("stock", owner(kA, 1), 1, 60'000);
        Watch watch(*this);
        QTRY_VERIFY(watch.last().complete && watch.last().locks.size() == 2);
        QVERIFY(call(*m_client, {"FLUSHALL"}));
        QTRY_VERIFY(!watch.happened.empty());
        QCOMPARE(watch.happened, std::vector<ServerEvent>{ServerEvent::Emptied});
        QCOMPARE(watch.ended["orders"], LockChange::What::Lost);
        takeRedisson("orders", owner(kA, 1), 1, 60'000);
        QTRY_VERIFY(rowOf(watch.last(), "orders"));
        QVERIFY(call(*m_client, {"DEL", "orders"})); // the last key, but nobody threw all away
        QTRY_VERIFY(!rowOf(watch.last(), "orders"));
        QCOMPARE(watch.ended["orders"], LockChange::What::Released);
        QCOMPARE(watch.happened.size(), 1u);
    }
    void serverThatIsNotThere() {
        ConnectionUrl url = urlOf(m_server);
        url.endpoints[0].port = sandbox::freePort(m_runtime).value();
        RedisDriver driver(m_runtime, url);
        RedisWatcher watcher(driver);
        const LockReport report = run(watcher.once());
        QVERIFY(report.trouble->kind == WatchTrouble::Kind::Unreachable);
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
        QTRY_COMPARE(call(*m_client, {"PUBSUB", "NUMPAT"}).value().integer, 1);
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        QTRY_VERIFY(rowOf(watch.last(), "orders"));
    }
    void staysWithinItsBudget() {
        QVERIFY(call(*m_client,
                     {"EVAL", "for i = 1, 300 do redis.call('HSET', 'lock' .. i, ARGV[1], 1) end", "0", owner(kA, 1)}));
        WatchOptions options;
        options.commandsPerSecond = 500; // a look costs some 900 commands here
        Watch watch(*this, options);
        QTRY_COMPARE(watch.last().locks.size(), 300u);
        QVERIFY2(watch.last().period >= 1s, qPrintable(QString::number(watch.last().period.count())));
    }
    void knownLocksStayInSightAmongManyKeys() {
        QVERIFY(call(*m_client, {"EVAL", "for i = 1, 60000 do redis.call('SET', 'user:' .. i, 'name') end", "0"}));
        takeRedisson("orders", owner(kA, 1), 1, 60'000);
        // Somebody waits, so the first look has the lock, wherever the search would meet it.
        auto waiter = run(m_client->subscribe("redisson_lock__channel:{orders}"));
        WatchOptions options;
        options.shortestPeriod = 5ms;
        options.longestPeriod = 100ms;
        options.share = options.firstShare = 0.02;
        bool seenEarly = false, changeSeenEarly = false;
        Nanos longest{};
        std::optional<QCoro::Task<Result>> change;
        RedisWatcher watcher(*m_watched, options);
        std::stop_source stop;
        auto watching = howCancelled(watcher.watch(
            [&](const LockReport& report) {
                const LockRow* row = rowOf(report, "orders");
                if (!row || report.complete) return;
                longest = std::max(longest, report.period);
                seenEarly = true;
                changeSeenEarly = changeSeenEarly || row->holders.at(0).holds == 2;
                if (change) return;
                Args again{"HINCRBY", "orders", owner(kA, 1), "1"};
                change.emplace(m_client->call(std::move(again)));
            },
            stop.get_token()));
        // The other keys are still being read, a few at a time.
        QTRY_VERIFY_WITH_TIMEOUT(seenEarly && changeSeenEarly, 30'000);
        QVERIFY2(longest <= 2s, qPrintable(QString::number(longest.count())));
        stop.request_stop();
        run(std::move(watching));
        QVERIFY(run(std::move(*change)));
    }
    void aLockThatComesUpLaterIsFoundAmongManyKeys() {
        QVERIFY(call(*m_client, {"EVAL", "for i = 1, 8000 do redis.call('SET', 'user:' .. i, 'name') end", "0"}));
        WatchOptions options;
        options.longestPeriod = 100ms;
        Watch watch(*this, options);
        QTRY_VERIFY_WITH_TIMEOUT(watch.last().complete, 30'000);
        QVERIFY(call(*m_client, {"SET", "orders2", owner(kB, 1) + ":0123456789abcdef", "PX", "60000"}));
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(watch.last(), "orders2"), 30'000);
    }
    void aLockByNameIsFoundSoonAmongManyKeys() {
        QVERIFY(call(*m_client, {"EVAL", "for i = 1, 20000 do redis.call('SET', 'user:' .. i, 'name') end", "0"}));
        QVERIFY(call(*m_client, {"SET", "lock:x", "worker-7"}));
        Watch watch(*this);
        QTRY_VERIFY_WITH_TIMEOUT(watch.reports > 0, 10'000);
        QCOMPARE(watch.last().keysThere, 20'001);
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(watch.last(), "lock:x"), 30'000);
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
        options.shortestPeriod = 200ms;
        options.longestPeriod = 700ms;
        options.commandsPerSecond = 1e9;
        options.share = options.firstShare = 1;
        Watch watch(*this, options);
        QTRY_COMPARE_WITH_TIMEOUT(watch.last().period, Nanos(700ms), 15'000);
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        QTRY_VERIFY(watch.shortest == 200ms && rowOf(watch.last(), "orders"));
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
        // It came back empty: nobody released anything.
        QCOMPARE(watch.happened, (std::vector<ServerEvent>{ServerEvent::Restarted, ServerEvent::Emptied}));
        QCOMPARE(watch.ended["orders"], LockChange::What::Lost);
    }
    void watchIsEndedByAStop() {
        RedisWatcher watcher(*m_watched);
        std::stop_source stop;
        auto watching = watcher.watch([](const LockReport&) {}, stop.get_token());
        stop.request_stop();
        QCOMPARE(run(howCancelled(std::move(watching))), std::optional(Cancelled::Why::Stopped));
    }
};

QTEST_GUILESS_MAIN(TestRedisWatcher)
#include "tst_redis_watcher.moc"
