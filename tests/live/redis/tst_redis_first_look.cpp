// SPDX-License-Identifier: Apache-2.0
// How few commands a first look takes on a server with many keys of like names, and that no name hides a lock from it.
#include "watched_redis.h"

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::redis;
using namespace lockscope::test;

class TestRedisFirstLook : public WatchedRedis {
    Q_OBJECT
    /// Makes keys "name1" to "nameN" by one command, which has the key and then these arguments.
    void fill(const QByteArray& command, const QByteArray& name, int count, const QByteArray& value) {
        QVERIFY(call(*m_client, {"EVAL", "for i = 1, ARGV[1] do redis.call(ARGV[2], ARGV[3] .. i, ARGV[4]) end", "0",
                                 QByteArray::number(count), command, name, value}));
    }
    /// How often the server ran this command since its counters were reset.
    int calls(const char* command) {
        const QByteArray stats = call(*m_client, {"INFO", "commandstats"}).value().text;
        const QByteArray line = lineOfInfo(stats, QByteArray("cmdstat_") + command);
        return line.mid(6).split(',').value(0).toInt(); // "calls=17,usec=…"
    }
    int wrongTypes() {
        const QByteArray line = lineOfInfo(call(*m_client, {"INFO", "errorstats"}).value().text, "errorstat_WRONGTYPE");
        return line.mid(6).toInt(); // "count=17"
    }
    void resetCounters() { QVERIFY(call(*m_client, {"CONFIG", "RESETSTAT"})); }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() { begin(); }
    void cleanup() { end(); }

    void keysOfLikeNamesAreNotAskedForTheirTypes() {
        fill("SET", "user:", 6000, "Ada");
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        resetCounters();
        const LockReport report = lookOnce();
        QVERIFY(report.complete && rowOf(report, "orders"));
        QVERIFY(report.keysSeen >= 6000);
        QVERIFY2(calls("type") > 0 && calls("type") < 2000, qPrintable(QString::number(calls("type"))));
        QVERIFY(calls("strlen") >= 6000);
        QCOMPARE(calls("getrange"), 0);
    }
    void stringsAsLongAsALocksAreReadAtOnce() {
        fill("SET", "session:", 6000, QByteArray(200, 'x'));
        takeRedisson("orders", owner(kA, 1), 1, 30'000);
        resetCounters();
        const LockReport report = lookOnce();
        QVERIFY(report.complete && rowOf(report, "orders"));
        QVERIFY2(calls("strlen") > 0 && calls("strlen") < 1000, qPrintable(QString::number(calls("strlen"))));
        QVERIFY(calls("getrange") >= 6000);
        QVERIFY2(calls("pttl") < 10, qPrintable(QString::number(calls("pttl")))); // of the lock
    }
    void hashesOfLikeNamesThatAreNoLocksAreReadOnly() {
        QVERIFY(call(*m_client, {"EVAL", "for i = 1, 6000 do redis.call('HSET', 'cart:' .. i, 'item', i) end", "0"}));
        takeRedisson("cart:77777", owner(kA, 1), 1, 30'000);
        QVERIFY(call(*m_client, {"SET", "cart:88888", owner(kA, 3) + ":0123456789abcdef", "NX", "PX", "30000"}));
        resetCounters();
        const LockReport report = lookOnce();
        QVERIFY(report.complete && rowOf(report, "cart:77777") && rowOf(report, "cart:88888"));
        QCOMPARE(report.locks.size(), 2u);
        QVERIFY2(calls("type") > 0 && calls("type") < 2000, qPrintable(QString::number(calls("type"))));
        QVERIFY(calls("hgetall") >= 6000);
        QVERIFY2(calls("pttl") < 10, qPrintable(QString::number(calls("pttl")))); // of locks
        QVERIFY(wrongTypes() <= 1);
    }
    void aLockIsFoundWhateverKeysOfLikeNamesAre() {
        fill("SET", "user:", 4000, "Ada");
        fill("SET", "session:", 4000, QByteArray(200, 'x'));
        for (const char* name : {"user:99999", "session:77777", "user:0"})
            takeRedisson(name, owner(kA, 1), 1, 30'000);
        for (const char* name : {"user:88888", "session:66666"})
            QVERIFY(call(*m_client, {"SET", name, owner(kA, 3) + ":0123456789abcdef", "NX", "PX", "30000"}));
        resetCounters();
        const LockReport report = lookOnce();
        QVERIFY(report.complete);
        for (const char* name : {"user:99999", "session:77777", "user:0", "user:88888", "session:66666"})
            QVERIFY2(rowOf(report, name), name);
        QCOMPARE(report.locks.size(), 5u);
        QVERIFY(wrongTypes() <= 3);
    }
    /// Wrong guesses are errors in the server's counters, which people look at.
    void namesThatMisleadAreSoonNotGuessedFrom() {
        fill("SET", "thing:a", 6000, "Ada");
        fill("SADD", "thing:b", 600, "Ada"); // each of them like the strings
        resetCounters();
        const LockReport report = lookOnce();
        QVERIFY(report.complete);
        QVERIFY2(wrongTypes() < 600, qPrintable(QString::number(wrongTypes())));
        QVERIFY2(calls("type") >= 3000, qPrintable(QString::number(calls("type"))));
    }
    /// Where a search through all keys takes long, a short lock may come and go unseen: that is told.
    void howLateNewLocksAreFoundIsTold() {
        fill("SET", "user:", 20'000, "Ada");
        WatchOptions options;
        options.share = 0.0004;
        options.firstShare = 0.5;
        Watch watch(*this, options);
        const auto note = [&] {
            return std::ranges::find(watch.last().notes, WatchNote::Kind::KeysListed, &WatchNote::kind);
        };
        QTRY_VERIFY_WITH_TIMEOUT(watch.last().complete, 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(note() != watch.last().notes.end(), 60'000);
        QVERIFY(note()->count >= 10);
        QVERIFY2(textOf(*note()).contains(QLatin1String("search through all keys")), qPrintable(textOf(*note())));
        QVERIFY(!countsKeys(note()->kind));
    }
    void aSmallServerIsSearchedSoon() {
        fill("SET", "user:", 2000, "Ada");
        Watch watch(*this);
        QTRY_VERIFY_WITH_TIMEOUT(watch.last().complete, 20'000);
        const int looks = watch.reports;
        QTRY_VERIFY_WITH_TIMEOUT(watch.reports > looks + 5, 30'000);
        QVERIFY(std::ranges::find(watch.last().notes, WatchNote::Kind::KeysListed, &WatchNote::kind) ==
                watch.last().notes.end());
    }
    void aLongValueAmongShortOnesIsNotPulled() {
        fill("SET", "session:", 3000, QByteArray(200, 'x'));
        QVERIFY(call(*m_client, {"SETRANGE", "session:77777", "5000000", "x"}));
        const auto output = [this] {
            return lineOfInfo(call(*m_client, {"INFO", "stats"}).value().text, "total_net_output_bytes").toLongLong();
        };
        const auto before = output();
        const LockReport report = lookOnce();
        QVERIFY(output() - before < 2'000'000);
        const auto note = std::ranges::find(report.notes, WatchNote::Kind::LongValues, &WatchNote::kind);
        QVERIFY(note != report.notes.end());
        QCOMPARE(note->count, 1);
    }
    /// The search has passed many times as many keys as there are now, and still has an end.
    void keysThatAreThrownAwayMeanwhileDoNotEndTheSearch() {
        for (const char* name : {"user:a", "user:b", "user:c", "user:d", "user:e", "user:f"})
            fill("SET", name, 100'000, "Ada");
        WatchOptions options;
        options.firstShare = 1;
        options.commandsPerSecond = 10'000'000;
        RedisWatcher watcher(*m_watched, options);
        LockReport last;
        std::stop_source stop;
        auto task = howCancelled(watcher.watch([&last](const LockReport& report) { last = report; }, stop.get_token()));
        QTRY_VERIFY_WITH_TIMEOUT(last.keysPassed >= 110'000, 60'000);
        QVERIFY(!last.complete);
        QVERIFY(call(*m_client, {"FLUSHALL"}));
        takeRedisson("afterwards", owner(kA, 1), 1, 600'000);
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(last, "afterwards") && last.complete, 30'000);
        stop.request_stop();
        run(std::move(task));
    }
};

QTEST_GUILESS_MAIN(TestRedisFirstLook)
#include "tst_redis_first_look.moc"
