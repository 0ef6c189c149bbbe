// SPDX-License-Identifier: Apache-2.0
#include "inspect/watch_options.h"
#include "recogniser_keys.h"

#include <QTest>

using namespace lockscope::inspect;
using namespace lockscope::test;
Q_DECLARE_METATYPE(lockscope::inspect::KeySnapshot)

/// Locks that are recognised by the shape of a string, and what all rows have in common.
class TestStringLocks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void npmSemaphore() {
        const auto rows = rowsOf({zset("semaphore:db", {{kA, double(kNow)}, {kB, double(kNow)}})});
        QCOMPARE(rows.at(0).format, QByteArray("redis-semaphore"));
        QCOMPARE(rows[0].holders.size(), 2u);
        QVERIFY(rowsOf({zset("scores", {{kA, 1.0}})}).empty());
        QVERIFY(rowsOf({zset("semaphore:db", {{"Ada", 1.0}})}).empty());
    }

    void aPersonMaySayWhichStringsAreLocks() {
        const auto patterns = stringPatternsFrom(QStringLiteral("jobs:*, mail"));
        for (const char* key : {"jobs:7", "mail", "lock:usual"}) {
            const auto lock = readStringLock(key, "worker-3", true, kNow, patterns);
            QVERIFY2(lock, key);
            QCOMPARE(lock->format, QByteArray("string"));
            QCOMPARE(lock->holder->client, QByteArray("worker-3"));
        }
        QVERIFY(!readStringLock("mail:7", "worker-3", true, kNow, patterns));
        QVERIFY(!readStringLock("jobs:7", "worker-3", true, kNow, stringPatternsFrom({})));
    }
    void stringsByShape_data() {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<bool>("ttl");
        QTest::addColumn<QByteArray>("format"); // empty: no lock
        const QByteArray own = owner(kA, 12) + ":0123456789abcdef";
        QTest::newRow("lockscope") << QByteArray("orders") << own << true << QByteArray("lockscope");
        QTest::newRow("lockscope without ttl") << QByteArray("orders") << own << false << QByteArray("lockscope");
        QTest::newRow("lockscope naive") << QByteArray("orders") << owner(kA, 12) << true << QByteArray("lockscope");
        QTest::newRow("lockscope by a name")
            << QByteArray("orders") << QByteArray("billing-1:12:0123456789abcdef") << true << QByteArray("lockscope");
        QTest::newRow("lockscope by a name without ttl")
            << QByteArray("orders") << QByteArray("billing-1:12:0123456789abcdef") << false << QByteArray();
        QTest::newRow("name and number") << QByteArray("orders") << QByteArray("billing-1:12") << true << QByteArray();
        QTest::newRow("lockscope short nonce")
            << QByteArray("orders") << owner(kA, 12) + ":0123456789abcde" << true << QByteArray();
        QTest::newRow("redis-py") << QByteArray("orders") << QByteArray("4ffd76c0b15411f19cd00242ac120002") << false
                                  << QByteArray("redis-py");
        QTest::newRow("old uuid 1 without ttl")
            << QByteArray("orders") << QByteArray("4ffd76c0b15411e19cd00242ac120002") << false << QByteArray();
        QTest::newRow("node-redlock") << QByteArray("orders") << QByteArray("9f86d081884c7d659a2feaa0c55ad015") << true
                                      << QByteArray("node-redlock");
        QTest::newRow("md5 without ttl") << QByteArray("orders") << QByteArray("9f86d081884c7d659a2feaa0c55ad015")
                                         << false << QByteArray();
        QTest::newRow("redsync") << QByteArray("orders") << QByteArray("GZAmGqkAJoZmIvtKHRkXQg==") << true
                                 << QByteArray("redsync");
        QTest::newRow("redlock-py") << QByteArray("orders") << QByteArray("aB3dE6gH9jK2mN5pQ8sT1v") << true
                                    << QByteArray("redlock-py|redislock");
        QTest::newRow("redislock") << QByteArray("orders") << QByteArray("aB3dE6gH-jK2mN5p_8sT1v") << true
                                   << QByteArray("redislock");
        QTest::newRow("redislock with metadata")
            << QByteArray("lock:orders") << QByteArray("aB3dE6gH-jK2mN5p_8sT1v host-7") << true
            << QByteArray("redislock|string");
        QTest::newRow("a token of a session")
            << QByteArray("session:7") << QByteArray("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9") << true << QByteArray();
        QTest::newRow("22 letter word") << QByteArray("orders") << QByteArray("counterrevolutionaries") << true
                                        << QByteArray();
        QTest::newRow("redlock-cpp") << QByteArray("orders") << QByteArray("0123456789ABCDEF0123456789ABCDEF01234567")
                                     << true << QByteArray("redlock-cpp");
        QTest::newRow("redlock-net") << QByteArray("redlock:orders") << QByteArray(kA) << true
                                     << QByteArray("redlock-net");
        QTest::newRow("npm mutex") << QByteArray("mutex:orders") << QByteArray(kA) << true
                                   << QByteArray("redis-semaphore");
        QTest::newRow("npm mutex with a suffix")
            << QByteArray("mutex:orders") << QByteArray(kA) + "-shop" << true << QByteArray("redis-semaphore");
        QTest::newRow("uuid with a suffix elsewhere")
            << QByteArray("orders") << QByteArray(kA) + "-shop" << true << QByteArray();
        QTest::newRow("spring") << QByteArray("registry:orders") << QByteArray(kA) << true
                                << QByteArray("spring|redlock-rb|string");
        QTest::newRow("uuid") << QByteArray("orders") << QByteArray(kA) << true << QByteArray("redlock-rb|string");
        QTest::newRow("uuid without ttl") << QByteArray("session") << QByteArray(kA) << false << QByteArray();
        QTest::newRow("python-redis-lock") << QByteArray("lock:orders") << QByteArray("GZAmGqkAJoZmIvtKHRkXQgab")
                                           << false << QByteArray("python-redis-lock");
        QTest::newRow("shedlock") << QByteArray("job-lock:default:report")
                                  << QByteArray("ADDED:2026-09-21T14:13:20.123Z@host-1:") + kA << true
                                  << QByteArray("shedlock");
        QTest::newRow("not shedlock") << QByteArray("note") << QByteArray("ADDED:yesterday@home") << true
                                      << QByteArray();
        QTest::newRow("by name") << QByteArray("lock:orders") << QByteArray("worker-3") << true << QByteArray("string");
        QTest::newRow("by name, setnx") << QByteArray("lock:orders") << QByteArray::number(kNow + 1500) << false
                                        << QByteArray("setnx-expiry");
        QTest::newRow("clock is not a lock")
            << QByteArray("clock:paris") << QByteArray("worker-3") << true << QByteArray();
        QTest::newRow("cache") << QByteArray("user:42:name") << QByteArray("Ada") << true << QByteArray();
        QTest::newRow("empty") << QByteArray("empty") << QByteArray() << true << QByteArray();
        QTest::newRow("unlock latch") << QByteArray("redisson_unlock_latch:{orders}:9f86d081884c7d659a2feaa0c55ad015")
                                      << QByteArray("1") << true << QByteArray();
        QTest::newRow("signal list name")
            << QByteArray("lock-signal:orders") << QByteArray("x") << true << QByteArray();
    }
    void stringsByShape() {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, value);
        QFETCH(bool, ttl);
        QFETCH(QByteArray, format);
        const auto rows = rowsOf({string(key, value, ttl ? std::optional<std::int64_t>(5'000) : std::nullopt)});
        QCOMPARE(rows.size(), format.isEmpty() ? 0u : 1u);
        if (format.isEmpty()) return;
        QCOMPARE(rows[0].format, format);
        QCOMPARE(rows[0].name, key);
        QVERIFY(!rows[0].waiterCount.value_or(0)); // nobody, or not known
        QVERIFY(!rows[0].waiters);
        if (format != "setnx-expiry") QCOMPARE(rows[0].neverExpires, !ttl);
    }
    void aShedLockSaysSinceWhen() {
        const auto rows = rowsOf({string("job-lock:report", "ADDED:2026-09-21T14:13:20.123Z@host-1", 5'000)});
        QCOMPARE(rows.size(), 1u);
        QCOMPARE(rows[0].holders.at(0).client, QByteArray("host-1"));
        QCOMPARE(rows[0].holders.at(0).sinceWallMs, std::optional<std::int64_t>(1'790'000'000'123));
    }
    void ownLockNamesClientAndThread() {
        const auto rows = rowsOf({string("orders", owner(kA, 12) + ":0123456789abcdef")});
        QCOMPARE(rows.at(0).holders, (std::vector<Party>{{kA, "12", {}, {}, "exclusive"}}));
    }
    void metadataTellWhoTheHolderIs() {
        const auto rows = rowsOf({string("lock:orders", "aB3dE6gH-jK2mN5p_8sT1v host-7")});
        QCOMPARE(rows.at(0).holders.at(0).client, QByteArray("aB3dE6gH-jK2mN5p_8sT1v"));
        QCOMPARE(rows[0].holders[0].about, QByteArray(" host-7"));
        QCOMPARE(rows[0].entries.at(0).value, QByteArray("aB3dE6gH-jK2mN5p_8sT1v host-7")); // as it lies there
    }
    void setnxLockEndsWhenItsValueSays() {
        const auto rows = rowsOf({string("lock:orders", QByteArray::number(kNow + 1500), {}),
                                  string("lock:other", QByteArray::number(kNow / 1000 - 5), {})});
        QCOMPARE(rows.at(0).ttlMs.value(), 1500);
        QVERIFY(!rows[0].neverExpires);
        QVERIFY(rows[0].holders.empty()); // who it is, the value does not say
        QCOMPARE(rows.at(1).ttlMs.value(), 0);
    }
    void configuredPatternsNameTheirFormat() {
        RecogniserOptions options;
        options.patterns = {{"guard/*", "our-guard"}};
        const std::vector<KeySnapshot> keys = {string("guard/7", "x"), string("lock:7", "x")};
        const auto rows = recognise(keys, std::nullopt, options);
        QCOMPARE(rows.size(), 1u);
        QCOMPARE(rows[0].format, QByteArray("our-guard"));
    }

    void orderOfKeysDoesNotMatter() {
        std::vector<KeySnapshot> keys = {string("lock:b", "x"), hash("a", {{owner(kA, 1), "1"}}),
                                         list("redisson_lock_queue:{a}", {owner(kB, 7)}),
                                         string("redisson_lock_token:{c}", "3", {}), hash("z", {{owner(kA, 1), "1"}})};
        const auto rows = rowsOf(keys);
        QCOMPARE(rows.size(), 3u);
        QVERIFY(std::is_sorted(rows.begin(), rows.end(), [](auto& x, auto& y) { return x.name < y.name; }));
        std::reverse(keys.begin(), keys.end());
        QCOMPARE(rowsOf(keys), rows);
    }

    void companionsAreWhatARowNeeds() {
        QCOMPARE(companionsOf(hash("orders", {{owner(kA, 1), "1"}})),
                 (std::vector<QByteArray>{"redisson_lock_queue:{orders}", "redisson_lock_timeout:{orders}",
                                          "redisson_lock_token:{orders}"}));
        QCOMPARE(companionsOf(hash("doc", {{"mode", "read"}, {owner(kA, 1), "2"}})),
                 (std::vector<QByteArray>{"{doc}:" + owner(kA, 1) + ":rwlock_timeout:1",
                                          "{doc}:" + owner(kA, 1) + ":rwlock_timeout:2"}));
        QCOMPARE(companionsOf(string("pool", "4")), (std::vector<QByteArray>{"{pool}:timeout"}));
        QVERIFY(companionsOf(hash("user", {{"name", "Ada"}})).empty());
        QVERIFY(companionsOf(string("name", "Ada")).empty());
    }

    void mostStringsAreCertainlyNoLocks() {
        const RecogniserOptions options;
        QVERIFY(!mayBeLock(string("user:1", "Ada"), options));
        QVERIFY(!mayBeLock(string("empty", ""), options));
        KeySnapshot big = string("lock:page", QByteArray(513, 'x'));
        big.tooBig = true;
        QVERIFY(!mayBeLock(big, options));
        // Whether these are locks hangs on what else there is: a TTL, or somebody who waits.
        QVERIFY(mayBeLock(string("session", kA), options));
        QVERIFY(mayBeLock(string("visitors", "3"), options));
        QVERIFY(mayBeLock(string("lock:orders", "worker-3"), options));
        QVERIFY(mayBeLock(string("{doc}:x:1:rwlock_timeout:1", "1"), options));
    }
};

QTEST_GUILESS_MAIN(TestStringLocks)
#include "tst_string_locks.moc"
