// SPDX-License-Identifier: Apache-2.0
#include "engine_on_a_clock.h"

#include <map>
#include <random>

using namespace lockscope::sim_test;

class tst_redis_expiry : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aKeyLivesThroughItsDeadlinesMillisecondAndNotLonger() {
        EngineOnAClock t;
        QCOMPARE(t.run("SET lock me NX PX 100"), ok());
        t.passMs(100);
        QCOMPARE(t.run("GET lock"), bulk("me"));
        QCOMPARE(t.run("PTTL lock"), number(0));
        t.nowUs += 999;
        QCOMPARE(t.run("EXISTS lock"), number(1));
        t.nowUs += 1;
        QCOMPARE(t.run("EXISTS lock"), number(0));
        QCOMPARE(t.run("PTTL lock"), number(-2));
        QCOMPARE(t.run("SET lock you NX PX 100"), ok());
    }

    void whatIsDueIsAnnouncedAndRemovedInOrder() {
        EngineOnAClock t;
        QVERIFY(!t.engine.nextExpiryUs());
        t.run("SET c 1 PX 20");
        t.run("SET b 1 PX 10");
        t.run("SET a 1 PX 20");
        t.run("SELECT 3");
        t.run("SET a 1 PX 10");
        t.takeChanges();
        QCOMPARE(*t.engine.nextExpiryUs(), t.nowUs + 11'000);
        t.nowUs = *t.engine.nextExpiryUs() - 1;
        t.engine.expireDue();
        QVERIFY(t.takeChanges().empty());
        t.nowUs += 1;
        t.engine.expireDue();
        QCOMPARE(t.takeChanges(), (std::vector<QByteArray>{"3 a 0 expired", "0 b 0 expired"}));
        t.nowUs = *t.engine.nextExpiryUs();
        t.engine.expireDue();
        QCOMPARE(t.takeChanges(), (std::vector<QByteArray>{"0 a 0 expired", "0 c 0 expired"}));
        QVERIFY(!t.engine.nextExpiryUs());
    }

    void accessRemovesWhatIsDueAndSaysSoBeforeTheCommandsOwnChange() {
        EngineOnAClock t;
        t.run("SET lock me PX 5");
        t.takeChanges();
        t.passMs(6);
        QCOMPARE(t.run("SET lock you NX"), ok());
        QCOMPARE(t.takeChanges(), (std::vector<QByteArray>{"0 lock 0 expired", "0 lock 1 SET"}));
        QVERIFY(!t.engine.nextExpiryUs());
    }

    void writesKeepOrDropTheDeadlineAsARealServerDoes_data() {
        QTest::addColumn<QByteArray>("make");
        QTest::addColumn<QByteArray>("write");
        QTest::addColumn<int>("pttl");
        const auto row = [](const char* make, const char* write, int pttl) {
            QTest::newRow(write) << QByteArray(make) << QByteArray(write) << pttl;
        };
        row("SET k 1", "SET k 2", -1);
        row("SET k 1", "SET k 2 KEEPTTL", 5000);
        row("SET k 1", "GETSET k 2", -1);
        row("SET k 1", "INCR k", 5000);
        row("SET k 1", "APPEND k 2", 5000);
        row("SET k 1", "SET k 2 NX PX 9", 5000);
        row("HSET k f 1", "HINCRBY k f 1", 5000);
        row("HSET k f 1", "HDEL k f", -2);
        row("RPUSH k a", "LSET k 0 b", 5000);
        row("SET k 1", "RENAME k k", 5000);
        row("SET k 1", "PERSIST k", -1);
        row("SET k 1", "PEXPIRE k 6000 LT", 5000);
        row("SET k 1", "PEXPIRE k 6000 GT", 6000);
        row("SET k 1", "EXPIRE k 0", -2);
    }
    void writesKeepOrDropTheDeadlineAsARealServerDoes() {
        QFETCH(QByteArray, make);
        QFETCH(QByteArray, write);
        QFETCH(int, pttl);
        EngineOnAClock t;
        t.run(make);
        QCOMPARE(t.run("PEXPIRE k 5000"), number(1));
        QVERIFY(!t.run(write).isError());
        QCOMPARE(t.run("PTTL k"), number(pttl));
    }

    void timeStandsStillWithinAScript() {
        EngineOnAClock t;
        // A clock that runs a millisecond with every look.
        RedisEngine running([&t] { return t.nowUs += 1000; });
        const auto session = running.connect();
        const QByteArray script = "local a = redis.call('time') redis.call('set', KEYS[1], '1', 'PX', 1) "
                                  "for i = 1, 100 do redis.call('get', KEYS[1]) end local b = redis.call('time') "
                                  "return {a[1] == b[1] and a[2] == b[2], redis.call('exists', KEYS[1])}";
        QCOMPARE(running.execute(session, {"EVAL", script, "1", "k"}), Reply::array({number(1), number(1)}));
    }

    void aClockThatJumpsForwardEndsKeysAndBackwardKeepsThem() {
        EngineOnAClock t;
        t.run("SET lock me PX 1000");
        t.passMs(-60000);
        QCOMPARE(t.run("PTTL lock"), number(61000));
        t.passMs(60000 + 5000);
        QCOMPARE(t.run("EXISTS lock"), number(0));
    }

    void clearLosesEverythingAtOnce() {
        EngineOnAClock t;
        t.run("SET a 1 PX 10");
        const QByteArray sha1 = t.run("SCRIPT LOAD return").text;
        t.takeChanges();
        t.engine.clear();
        QVERIFY(t.takeChanges().empty());
        QCOMPARE(t.run("DBSIZE"), number(0));
        QVERIFY(!t.engine.nextExpiryUs());
        QCOMPARE(t.run("EVALSHA " + sha1 + " 0"), Reply::error("NOSCRIPT No matching script. Please use EVAL."));
    }

    /// Random short lives against the simplest model of them.
    void randomShortLivesAgreeWithAModel_data() {
        QTest::addColumn<quint32>("seed");
        for (quint32 seed = 1; seed <= 20; ++seed)
            QTest::addRow("%u", seed) << seed;
    }
    void randomShortLivesAgreeWithAModel() {
        QFETCH(quint32, seed);
        std::mt19937 random(seed);
        const auto below = [&](unsigned limit) { return random() % limit; };
        EngineOnAClock t;
        constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();
        std::map<QByteArray, std::int64_t> deadlines; // ms
        for (int step = 0; step < 5000; ++step) {
            t.nowUs += below(3000);
            std::erase_if(deadlines, [&](const auto& item) { return t.nowMs() > item.second; });
            const QByteArray key = "k" + QByteArray::number(below(8));
            const auto known = deadlines.find(key);
            const bool exists = known != deadlines.end();
            const std::int64_t life = 1 + below(20);
            const QByteArray ms = QByteArray::number(qlonglong(life));
            switch (below(7)) {
            case 0:
                QCOMPARE(t.run("SET " + key + " v NX PX " + ms), exists ? Reply::nil() : ok());
                deadlines.emplace(key, t.nowMs() + life);
                break;
            case 1:
                QCOMPARE(t.run("PEXPIRE " + key + " " + ms), number(exists));
                if (exists) known->second = t.nowMs() + life;
                break;
            case 2:
                QCOMPARE(t.run("PERSIST " + key), number(exists && known->second != kForEver));
                if (exists) known->second = kForEver;
                break;
            case 3:
                QCOMPARE(t.run("DEL " + key), number(exists));
                deadlines.erase(key);
                break;
            case 4:
                QCOMPARE(t.run("PTTL " + key), number(!exists                     ? -2
                                                      : known->second == kForEver ? -1
                                                                                  : known->second - t.nowMs()));
                break;
            case 5:
                QCOMPARE(t.run("DBSIZE"), number(std::int64_t(deadlines.size())));
                break;
            default:
                t.engine.expireDue();
            }
            std::int64_t soonest = kForEver;
            for (const auto& [name, deadline] : deadlines)
                soonest = std::min(soonest, deadline);
            // Keys that are due but not removed yet may bring the next expiry forward, never put it off.
            const auto next = t.engine.nextExpiryUs();
            QVERIFY(soonest == kForEver || (next && *next <= (soonest + 1) * 1000));
        }
        t.engine.expireDue();
        for (const auto& change : t.changes)
            QCOMPARE(change.by == 0, change.expired);
    }
};

QTEST_GUILESS_MAIN(tst_redis_expiry)
#include "tst_redis_expiry.moc"
