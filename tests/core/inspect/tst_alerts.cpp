// SPDX-License-Identifier: Apache-2.0
#include "alert_reports.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::test;
using Kind = AlertRule::Kind;
using State = Alert::State;

class TestAlerts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRuleIsReadAsItIsWritten_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("again");
        const std::pair<const char*, const char*> all[] = {{"held>5m", "held>5m"},
                                                           {" held > 300 s ", "held>5m"},
                                                           {"left<2s", "left<2s"},
                                                           {"no-expiry", "no-expiry"},
                                                           {"waiters>10", "waiters>10"},
                                                           {"waited>1.5s", "waited>1500ms"},
                                                           {"dead-waiters>0", "dead-waiters>0"},
                                                           {"hand-overs>60", "hand-overs>60"},
                                                           {"unusual>10", "unusual>10"},
                                                           {"herd>20", "herd>20"},
                                                           {"deadlock", "deadlock"},
                                                           {"token-back", "token-back"},
                                                           {"unreachable>10s", "unreachable>10s"},
                                                           {"renewal-late > 2 s", "renewal-late>2s"},
                                                           {"failed-over", "failed-over"},
                                                           {"holder-gone", "holder-gone"},
                                                           {"may-evict", "may-evict"},
                                                           {"zookeeper-rate>100", "zookeeper-rate>100"},
                                                           {"zookeeper-locks>500000", "zookeeper-locks>500000"},
                                                           {"dead-head", "dead-head"},
                                                           {"held-twice", "held-twice"}};
        for (const auto& [text, again] : all)
            QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(again);
    }
    void aRuleIsReadAsItIsWritten() {
        QFETCH(QString, text);
        QFETCH(QString, again);
        const auto rule = parseAlertRule(text);
        QVERIFY2(rule.has_value(), rule ? "" : qPrintable(rule.error()));
        QCOMPARE(parseAlertRule(again).value(), *rule);
        QCOMPARE(parseAlertRule(rule->text).value(), *rule);
    }

    void aWrongRuleSaysWhat_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("part");
        QTest::newRow("empty") << QString() << u"a name, a sign"_qs;
        QTest::newRow("unknown") << u"helt>5m"_qs << u"did you mean “held”"_qs;
        QTest::newRow("sign") << u"held<5m"_qs << u"behind held comes >"_qs;
        QTest::newRow("unit") << u"held>5"_qs << u"5 is no time with its unit"_qs;
        QTest::newRow("count") << u"waiters>1s"_qs << u"1s is no whole number"_qs;
        QTest::newRow("threshold") << u"no-expiry>3"_qs << u"has no threshold"_qs;
        QTest::newRow("none") << u"held>"_qs << u"a name, a sign"_qs;
    }
    void aWrongRuleSaysWhat() {
        QFETCH(QString, text);
        QFETCH(QString, part);
        const auto rule = parseAlertRule(text);
        QVERIFY(!rule);
        QVERIFY2(rule.error().contains(part), qPrintable(rule.error()));
        QVERIFY(rule.error().contains(u"held>5m"));
    }

    void timeAloneRaisesAndAnotherHolderEnds() {
        AlertWatch watch = watching("held>5s");
        watch.observe(report(0s, {}));
        watch.observe(report(1s, {held("orders", "A")}));
        QCOMPARE(told(watch.check(6s)), QString());
        const auto raised = watch.check(6001ms);
        QCOMPARE(told(raised), u"held>5s orders"_qs);
        QVERIFY2(raised.front().sentence.contains(u"held by A for 5.0 s"), qPrintable(raised.front().sentence));
        QCOMPARE(told(watch.check(7s)), QString()); // once
        QCOMPARE(watch.raised(), 1u);
        watch.observe(report(8s, {held("orders", "B")}));
        QCOMPARE(told(watch.check(8s)), u"over held>5s orders"_qs);
        QCOMPARE(told(watch.check(14s)), u"held>5s orders"_qs);
        watch.observe(report(15s, {}));
        QCOMPARE(told(watch.check(15s)), u"over held>5s orders"_qs);
    }

    void whenAHoldBeganIsTheServersWordWhereItSaysSo() {
        AlertWatch watch = watching("held>1m");
        LockRow row = held("orders", "A");
        watch.observe(report(0s, {row})); // there before we came
        QCOMPARE(told(watch.check(1s)), QString());
        row.holders.front().sinceWallMs = kWall - 90'000;
        watch.observe(report(1s, {row}));
        const auto raised = watch.check(1s);
        QCOMPARE(told(raised), u"held>1m orders"_qs);
        QVERIFY2(raised.front().sentence.contains(u"for 1 m 31 s"), qPrintable(raised.front().sentence));
        AlertWatch other = watching("held>5s");
        other.observe(report(0s, {held("orders", "A")}));
        QVERIFY(other.check(6s).front().sentence.contains(u"at least 6.0 s"));
    }

    void aQueueIsCountedAndItsWaitersAreTimed() {
        AlertWatch many = watching("waiters>2"), late = watching("waited>3s");
        LockRow row = held("orders", "A");
        for (const char* waiter : {"B", "C", "D"})
            waits(row, waiter);
        many.observe(report(0s, {}));
        late.observe(report(0s, {}));
        many.observe(report(1s, {row}));
        late.observe(report(1s, {row}));
        const auto raised = many.check(1s);
        QCOMPARE(told(raised), u"waiters>2 orders"_qs);
        QVERIFY2(raised.front().sentence.startsWith(u"3 client"), qPrintable(raised.front().sentence));
        QCOMPARE(told(late.check(4s)), QString());
        QCOMPARE(told(late.check(4500ms)), u"waited>3s orders"_qs);
        LockRow next = held("orders", "B");
        waits(next, "C");
        many.observe(report(5s, {next}));
        late.observe(report(5s, {next}));
        QCOMPARE(told(many.check(5s)), u"over waiters>2 orders"_qs);
        QCOMPARE(told(late.check(5s)), QString()); // C is the first since now, and waits since 1 s
        QVERIFY2(late.board(5s, 0, {}, 9)
                     .alerts.front()
                     .sentence.startsWith(u"C, first in the queue of “orders”, waits "
                                          u"for 4.0 s"),
                 "");
        LockRow overtaken = held("orders", "D"); // an unfair lock: E came after C, and stands before it
        waits(overtaken, "E");
        waits(overtaken, "C");
        late.observe(report(6s, {overtaken}));
        QCOMPARE(told(late.check(6s)), QString());
        const QString sentence = late.board(6s, 0, {}, 9).alerts.front().sentence;
        QVERIFY2(sentence.startsWith(u"C, number 2 in the queue of “orders”, waits for 5.0 s"), qPrintable(sentence));
        LockRow alone = held("orders", "C");
        waits(alone, "E");
        late.observe(report(7s, {alone}));
        QCOMPARE(told(late.check(7s)), u"over waited>3s orders"_qs);
        LockRow dead = alone;
        dead.waiters->front().dead = true;
        late.observe(report(20s, {dead}));
        QCOMPARE(told(late.check(20s)), QString());
        row.deadWaiters = 2;
        AlertWatch deadOnes = watching("dead-waiters>1");
        deadOnes.observe(report(6s, {row}));
        QCOMPARE(told(deadOnes.check(6s)), u"dead-waiters>1 orders"_qs);
    }

    void aDeadWaiterAtTheHeadKeepsTheOthersOut() {
        AlertWatch watch = watching("dead-head");
        LockRow row = held("orders", "A");
        waits(row, "B");
        waits(row, "C");
        row.waiters->back().dead = true; // behind a living one it is in nobody's way yet
        watch.observe(report(1s, {row}));
        QCOMPARE(told(watch.check(1s)), QString());
        row.waiters->front().dead = true;
        watch.observe(report(2s, {row}));
        const auto raised = watch.check(2s);
        QCOMPARE(told(raised), u"dead-head orders"_qs);
        QVERIFY2(raised[0].sentence.contains(u"“orders”, B,"), qPrintable(raised[0].sentence));
        row.waiters->erase(row.waiters->begin(), row.waiters->begin() + 2);
        watch.observe(report(3s, {row}));
        QCOMPARE(told(watch.check(3s)), u"over dead-head orders"_qs);
    }

    void aLeaseRunsOutAsTimeGoesOn() {
        AlertWatch watch = watching("left<2s");
        LockRow row = held("orders", "A");
        row.ttlMs = 5'000;
        watch.observe(report(0s, {row}));
        QCOMPARE(told(watch.check(3s)), QString());
        QCOMPARE(told(watch.check(3500ms)), u"left<2s orders"_qs);
        watch.observe(report(4s, {row})); // renewed
        QCOMPARE(told(watch.check(4s)), u"over left<2s orders"_qs);
        AlertWatch never = watching("no-expiry");
        row.ttlMs.reset();
        never.observe(report(0s, {row})); // not known is not never
        QCOMPARE(told(never.check(0s)), QString());
        row.neverExpires = true;
        never.observe(report(1s, {row}));
        QCOMPARE(told(never.check(1s)), u"no-expiry orders"_qs);
    }

    void handOversOfTheLastMinuteAreCounted() {
        AlertWatch watch = watching("hand-overs>3");
        for (int i = 0; i < 5; ++i)
            watch.observe(report(i * 1s, {held("orders", i % 2 ? "A" : "B")}));
        QCOMPARE(told(watch.check(5s)), u"hand-overs>3 orders"_qs);
        QCOMPARE(told(watch.check(62s)), u"over hand-overs>3 orders"_qs);
    }

    /// Eight holds of a second each, and then one that does not end.
    void aHoldIsLongByWhatIsUsualForItsLock() {
        AlertWatch watch = watching("unusual>10");
        watch.observe(report(0s, {}));
        Nanos now = 1s;
        for (int i = 0; i < 8; ++i, now += 2s) {
            watch.observe(report(now, {held("orders", "A")}));
            watch.observe(report(now + 1s, {}));
            QCOMPARE(told(watch.check(now + 1s)), QString());
        }
        watch.observe(report(now, {held("orders", "B"), held("stock", "B")}));
        QCOMPARE(told(watch.check(now + 9s)), QString());
        const auto raised = watch.check(now + 11s);
        QCOMPARE(told(raised), u"unusual>10 orders"_qs); // of the other lock nothing usual is known
        QVERIFY2(raised.front().sentence.contains(u"usually it is held for 1.0 s"),
                 qPrintable(raised.front().sentence));
        watch.observe(report(now + 12s, {}));
        QCOMPARE(told(watch.check(now + 12s)), u"over unusual>10 orders"_qs);
    }

    void whatWasLearnedBeforeGoesFirst() {
        AlertWatch watch = watching("unusual>10");
        watch.setUsual({{"orders", 100ms}, {"stock", 1h}});
        watch.observe(report(0s, {}));
        watch.observe(report(1s, {held("orders", "A"), held("stock", "A"), held("bills", "A")}));
        QCOMPARE(told(watch.check(2s)), QString()); // looks are too far apart to tell so short a hold
        const auto raised = watch.check(4s);
        QCOMPARE(told(raised), u"unusual>10 orders"_qs);
        QVERIFY2(raised.front().sentence.contains(u"usually it is held for 100 ms"),
                 qPrintable(raised.front().sentence));
        QCOMPARE(told(watch.check(9h)), QString());
        QCOMPARE(told(watch.check(11h)), u"unusual>10 stock"_qs);
    }

    void aReleaseWithoutAQueueWakesEverybody() {
        AlertWatch watch = watching("herd>20");
        LockRow row = held("orders", "A");
        row.waiters.reset(); // the server does not name them
        row.waiterCount = 35;
        watch.observe(report(0s, {}));
        watch.observe(report(1s, {row}));
        QCOMPARE(told(watch.check(1s)), QString()); // they wait, and nobody was woken yet
        row.holders.front().client = "B";
        watch.observe(report(2s, {row}));
        const auto raised = watch.check(2s);
        QCOMPARE(told(raised), u"herd>20 orders"_qs);
        QVERIFY2(raised.front().sentence.contains(u"35"), qPrintable(raised.front().sentence));
        QCOMPARE(told(watch.check(63s)), u"over herd>20 orders"_qs);

        LockRow fair = held("fair", "A");
        for (int i = 0; i < 35; ++i)
            waits(fair, "W" + QByteArray::number(i));
        watch.observe(report(64s, {fair, row}));
        fair.holders.front().client = "W0";
        watch.observe(report(65s, {fair, row}));
        QCOMPARE(told(watch.check(65s)), QString()); // a queue wakes the next one
    }

    void aHolderThatIsGoneWithALockThatNeverEnds() {
        AlertWatch watch = watching("holder-gone");
        LockRow row = held("orders", "A");
        row.neverExpires = true;
        watch.observe(report(1s, {row}));
        QCOMPARE(told(watch.check(1s)), QString());
        row.holders.front().gone = true;
        watch.observe(report(2s, {row}));
        const auto raised = watch.check(2s);
        QCOMPARE(told(raised), u"holder-gone orders"_qs);
        QVERIFY2(raised.front().sentence.contains(u"“orders” is held by A, which has no connection"),
                 qPrintable(raised.front().sentence));
        LockRow beside = row; // a second holder lives
        beside.holders.emplace_back();
        beside.holders.back().client = "B";
        watch.observe(report(3s, {beside}));
        QCOMPARE(told(watch.check(3s)), u"over holder-gone orders"_qs);
        row.holders.front().gone = false; // it is back
        watch.observe(report(4s, {row}));
        QCOMPARE(told(watch.check(4s)), QString());
    }

    void holdersBesideEachOtherAreNotHandOvers() {
        AlertWatch watch({*parseAlertRule(u"hand-overs>1"_qs), *parseAlertRule(u"held>3s"_qs)});
        const auto permits = [](const std::vector<const char*>& clients) {
            LockRow row = held("permits", clients.front());
            for (std::size_t i = 1; i < clients.size(); ++i) {
                row.holders.emplace_back();
                row.holders.back().client = clients[i];
            }
            return row;
        };
        watch.observe(report(0s, {}));
        for (int i = 1; i < 6; ++i) // by renewals, now one and now the other is the last in the server's order
            watch.observe(report(i * 500ms, {i % 2 ? permits({"A", "B"}) : permits({"B", "A"})}));
        QCOMPARE(told(watch.check(2500ms)), QString());
        watch.observe(report(3s, {permits({"B", "C"})})); // A left, C came
        QCOMPARE(told(watch.check(4s)), u"held>3s permits"_qs);
        const auto board = watch.board(4s, kWall + 4'000, {}, 10);
        QCOMPARE(board.alerts.size(), std::size_t(1));
        QVERIFY2(board.alerts[0].sentence.contains(u"B for 3.5 s"_qs), qPrintable(board.alerts[0].sentence));
        watch.observe(report(4500ms, {permits({"C"})})); // whoever is there now came at 3 s
        QCOMPARE(told(watch.check(4500ms)), u"over held>3s permits"_qs);
    }

    void tokensOfLocksThatAreGoneAreNotKeptForEver() {
        AlertWatch watch = watching("token-back");
        const auto withToken = [](const QByteArray& name, std::int64_t token) {
            LockRow row = held(name, "A");
            row.token = token;
            return row;
        };
        watch.observe(report(0s, {withToken("first", 9)}));
        constexpr int kNames = 30'000;
        for (int i = 0; i < kNames; ++i) {
            watch.observe(report(i * 1ms, {withToken("n" + QByteArray::number(i), 5)}));
            if (i % 500 == 0) watch.check(i * 1ms);
        }
        watch.check(31s);
        QVERIFY2(watch.known() <= 11'000, qPrintable(QString::number(watch.known())));
        watch.observe(report(32s, {withToken("n" + QByteArray::number(kNames - 1), 4), withToken("first", 3)}));
        QCOMPARE(told(watch.check(32s)), u"token-back n29999"_qs); // and "first" is forgotten
    }

    void aTokenThatGoesBackIsLostData() {
        AlertWatch watch = watching("token-back");
        LockRow row = held("orders", "A");
        row.token = 34;
        watch.observe(report(0s, {row}));
        watch.observe(report(1s, {}));
        row.token = 3;
        watch.observe(report(2s, {row}));
        const auto raised = watch.check(2s);
        QCOMPARE(told(raised), u"token-back orders"_qs);
        QVERIFY2(raised.front().sentence.contains(u"from 34 to 3"), qPrintable(raised.front().sentence));
    }

    void aHoldThroughAFailoverIsToldUntilItEnds() {
        AlertWatch watch = watching("failed-over");
        watch.observe(report(0s, {held("orders", "A"), held("stock", "A")}));
        LockReport after = report(1s, {held("orders", "A"), held("stock", "B")});
        after.events = {ServerEvent::FailedOver};
        watch.observe(after);
        const auto raised = watch.check(1s);
        QCOMPARE(told(raised), u"failed-over orders"_qs); // another one holds stock: that hold is new
        QVERIFY2(raised.front().sentence.contains(u"may exist twice"), qPrintable(raised.front().sentence));
        watch.observe(report(2s, {held("orders", "A")}));
        QCOMPARE(told(watch.check(2s)), QString());
        watch.observe(report(3s, {held("orders", "B")}));
        QCOMPARE(told(watch.check(3s)), u"over failed-over orders"_qs);
    }
    void ofSeveralServersAFailoverConcernsItsOwnLocks() {
        AlertWatch watch = watching("failed-over");
        LockRow orders = held("orders", "A"), stock = held("stock", "A");
        orders.server = "h:1";
        stock.server = "h:2";
        watch.observe(report(0s, {orders, stock}));
        orders.server = "h:3";
        LockReport after = report(1s, {orders, stock});
        after.events = {ServerEvent::FailedOver};
        after.eventsAt = {"h:3", "h:1"};
        watch.observe(after);
        QCOMPARE(told(watch.check(1s)), u"failed-over orders"_qs);
    }

    void aServerThatMayDropLocksIsNamed() {
        AlertWatch watch = watching("may-evict");
        LockReport full = report(0s, {});
        full.notes.push_back({WatchNote::Kind::MayEvict, 0, {"allkeys-lru"}});
        watch.observe(full);
        QCOMPARE(told(watch.check(0s)), QString()); // there is no lock to drop
        full.locks = {held("orders", "A")};
        watch.observe(full);
        const auto raised = watch.check(1s);
        QCOMPARE(told(raised), u"may-evict "_qs);
        QVERIFY2(raised.front().sentence.endsWith(u"(maxmemory-policy allkeys-lru)."_qs),
                 qPrintable(raised.front().sentence));
        full.locks.clear(); // it is free for a moment
        watch.observe(full);
        QCOMPARE(told(watch.check(2s)), QString());
        watch.observe(report(3s, {held("orders", "A")})); // the server was told not to
        QCOMPARE(told(watch.check(3s)), u"over may-evict "_qs);
    }

    void aZooKeeperHasItsRuleOfThumb() {
        for (const char* backend : {"zookeeper", "redis"}) {
            AlertWatch watch({*parseAlertRule(u"zookeeper-rate>2"_qs), *parseAlertRule(u"zookeeper-locks>2"_qs)});
            const bool counts = qstrcmp(backend, "zookeeper") == 0;
            const auto look = [&](Nanos at, int locks, const QByteArray& client) {
                std::vector<LockRow> rows;
                for (int i = 0; i < locks; ++i) {
                    rows.push_back(held("lock-" + QByteArray::number(i), client));
                    rows.back().backend = backend;
                }
                watch.observe(report(at, std::move(rows)));
            };
            look(0s, 2, "A");
            QCOMPARE(told(watch.check(0s)), QString());
            for (int i = 1; i < 90; ++i) // 178 hand-overs within a minute
                look(i * 100ms, 2, i % 2 ? "B" : "A");
            QCOMPARE(told(watch.check(9s)), QString());
            for (int i = 90; i < 100; ++i)
                look(i * 100ms, 2, i % 2 ? "B" : "A");
            QCOMPARE(told(watch.check(10s)), counts ? u"zookeeper-rate>2 "_qs : QString());
            look(11s, 3, "B");
            QCOMPARE(told(watch.check(11s)), counts ? u"zookeeper-locks>2 "_qs : QString());
            look(90s, 1, "B");
            QCOMPARE(told(watch.check(90s)),
                     counts ? u"over zookeeper-rate>2 ; over zookeeper-locks>2 "_qs : QString());
        }
    }

    void whileAServerIsAwayNothingBeginsOrEndsButThat() {
        AlertWatch watch({*parseAlertRule(u"held>5s"_qs), *parseAlertRule(u"unreachable>2s"_qs)});
        watch.observe(report(0s, {held("orders", "A")}));
        LockReport away;
        away.at = 4s;
        away.trouble = WatchTrouble{WatchTrouble::Kind::Unreachable, {}, u"connection refused"_qs};
        watch.observe(away);
        QCOMPARE(told(watch.check(5500ms)), QString()); // who knows whether A still holds it
        const auto raised = watch.check(6500ms);
        QCOMPARE(told(raised), u"unreachable>2s "_qs);
        QVERIFY2(raised.front().sentence.contains(u"connection refused"), qPrintable(raised.front().sentence));
        watch.observe(report(8s, {held("orders", "A")}));
        QCOMPARE(told(watch.check(8s)), u"held>5s orders; over unreachable>2s "_qs);
    }

    void theBoardHasTheWorstFirstAndCountsTheRest() {
        AlertWatch watch({*parseAlertRule(u"dead-waiters>0"_qs), *parseAlertRule(u"no-expiry"_qs),
                          *parseAlertRule(u"token-back"_qs)});
        LockRow never = held("never", "A"), dead = held("dead", "B"), back = held("back", "C"),
                late = held("late", "D");
        never.neverExpires = late.neverExpires = true;
        dead.deadWaiters = 1;
        back.token = 9;
        watch.observe(report(0s, {back, dead, never}));
        (void)watch.check(1s);
        back.token = 3;
        watch.observe(report(2s, {back, dead, late, never}));
        (void)watch.check(2s);
        const auto names = [](const AlertBoard& board) {
            QByteArrayList all;
            for (const Alert& alert : board.alerts)
                all << alert.lock;
            return all.join(' ');
        };
        const AlertBoard all = watch.board(5s, kWall, {}, 10);
        QCOMPARE(names(all), QByteArray("back never late dead"));
        QCOMPARE(all.alerts.at(1).since, Nanos(1s));
        QCOMPARE(all.more + all.muted, 0u);
        for (const Alert& alert : all.alerts)
            QVERIFY(alert.sentence.endsWith(u'.') && alert.advice.endsWith(u'.'));
        const AlertBoard few = watch.board(5s, kWall, {}, 2);
        QCOMPARE(names(few), QByteArray("back never"));
        QCOMPARE(few.more, 2u);
        // A mute is of a rule, of a lock, or of both; it ends by itself.
        const std::vector<AlertMute> mutes{{Kind::NoExpiry, "never", 0}, {std::nullopt, "dead", kWall + 1000}};
        const AlertBoard quiet = watch.board(5s, kWall, mutes, 10);
        QCOMPARE(names(quiet), QByteArray("back late"));
        QCOMPARE(quiet.muted, 2u);
        QCOMPARE(names(watch.board(5s, kWall + 1000, mutes, 10)), QByteArray("back late dead"));
    }

    void otherRulesKeepWhatIsKnown() {
        AlertWatch watch({*parseAlertRule(u"held>5s"_qs), *parseAlertRule(u"no-expiry"_qs)});
        LockRow row = held("orders", "A");
        row.neverExpires = true;
        watch.observe(report(0s, {}));
        watch.observe(report(1s, {row}));
        QCOMPARE(told(watch.check(10s)), u"held>5s orders; no-expiry orders"_qs);
        watch.setRules({*parseAlertRule(u"no-expiry"_qs), *parseAlertRule(u"held>20s"_qs)});
        QCOMPARE(watch.raised(), 1u);
        QCOMPARE(told(watch.check(11s)), QString());
        QCOMPARE(told(watch.check(22s)), u"held>20s orders"_qs); // since 1 s, which was known before
        QCOMPARE(watch.board(22s, kWall, {}, 9).alerts.front().since, Nanos(10s));
    }

    void aLockThatIsGoneIsForgotten() {
        AlertWatch watch = watching("no-expiry");
        LockRow row = held("orders", "A");
        row.neverExpires = true;
        watch.observe(report(0s, {row}));
        QCOMPARE(told(watch.check(0s)), u"no-expiry orders"_qs);
        watch.observe(report(1s, {}));
        QCOMPARE(told(watch.check(1s)), u"over no-expiry orders"_qs);
        QCOMPARE(told(watch.check(2s)), QString());
        QCOMPARE(watch.raised(), 0u);
    }

    void theUsualRulesAreWrittenAsTheyAreRead() {
        for (const AlertRule& rule : usualAlertRules())
            QCOMPARE(parseAlertRule(rule.text).value(), rule);
        for (const AlertForm& form : alertForms()) {
            QCOMPARE(parseAlertRule(QString::fromLatin1(form.example)).value().kind, form.kind);
            QCOMPARE(formOf(form.kind).name, form.name);
        }
    }

    void aGuessRaisesNothing() {
        AlertWatch watch = watching("waiters>0");
        LockRow row = held("cart", "A");
        waits(row, "B");
        row.certainty = Certainty::Guess;
        watch.observe(report(0s, {row}));
        QCOMPARE(told(watch.check(0s)), QString());
    }
};

QTEST_GUILESS_MAIN(TestAlerts)
#include "tst_alerts.moc"
