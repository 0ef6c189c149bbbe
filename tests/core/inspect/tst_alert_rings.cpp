// SPDX-License-Identifier: Apache-2.0
#include "alert_reports.h"
#include "inspect/same_client.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::test;

/// Deadlocks, on one server and over several.
class TestAlertRings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRingOfWaitersIsADeadlock() {
        AlertWatch watch = watching("deadlock");
        LockRow x = held("x", "A"), y = held("y", "B"), z = held("z", "C");
        waits(x, "B");
        waits(y, "C");
        waits(y, "D"); // waits, too, and is in no ring
        watch.observe(report(1s, {x, y, z}));
        QCOMPARE(told(watch.check(1s)), QString()); // B waits for A, C for B: A goes on
        waits(z, "A");
        watch.observe(report(2s, {x, y, z}));
        const auto raised = watch.check(2s);
        QCOMPARE(told(raised), u"deadlock x; deadlock y; deadlock z"_qs);
        for (const char* part : {"A waits for “z”", "B waits for “x”", "C waits for “y”"})
            QVERIFY2(raised.front().sentence.contains(QString::fromUtf8(part)), qPrintable(raised.front().sentence));
        QVERIFY(!raised.front().sentence.contains(u"D waits"));
        watch.observe(report(3s, {held("x", "B"), y, z})); // A was stopped
        QCOMPARE(told(watch.check(3s)), u"over deadlock x; over deadlock y; over deadlock z"_qs);
    }

    void aRingIsAsOldAsTheLastOfItsWaits() {
        AlertWatch watch = watching("deadlock");
        LockRow x = held("x", "A"), y = held("y", "B");
        waits(x, "B");
        waits(y, "A");
        waits(y, "C"); // came last, and is in no ring
        x.waiters->at(0).sinceWallMs = kWall + 20'000;
        y.waiters->at(0).sinceWallMs = kWall + 35'000;
        y.waiters->at(1).sinceWallMs = kWall + 50'000;
        watch.observe(report(60s, {x, y})); // the first look
        const auto raised = watch.check(61s);
        QCOMPARE(told(raised), u"deadlock x; deadlock y"_qs);
        for (const Alert& alert : raised) {
            QCOMPARE(alert.since, Nanos(35s));
            QVERIFY(!alert.atLeast); // the server says when they began to wait
        }
        QCOMPARE(watch.board(62s, kWall, {}, 9).alerts.front().since, Nanos(35s));
    }

    void aRingThatWasThereBeforeAnybodyLookedMayBeOlder() {
        AlertWatch watch = watching("deadlock");
        LockRow x = held("x", "A"), y = held("y", "B");
        waits(x, "B");
        waits(y, "A");
        x.waiters->at(0).sinceWallMs = kWall + 20'000;
        watch.observe(report(60s, {x, y}));
        for (const Alert& alert : watch.check(61s)) {
            QCOMPARE(alert.since, Nanos(60s));
            QVERIFY(alert.atLeast);
        }
        QVERIFY(watch.board(62s, kWall, {}, 9).alerts.front().atLeast);
    }

    /// Another holder of a permit, or another reader, lets them go on.
    void aRingThatSomebodyElseCanOpenIsNoDeadlock() {
        AlertWatch watch = watching("deadlock");
        LockRow permits = held("permits", "A"), y = held("y", "B");
        permits.mode = "permit";
        permits.holders.push_back(permits.holders.front());
        permits.holders.back().client = "C";
        waits(permits, "B");
        waits(y, "A");
        watch.observe(report(1s, {permits, y}));
        QCOMPARE(told(watch.check(1s)), QString());
        permits.holders.pop_back(); // A has all of them
        watch.observe(report(2s, {permits, y}));
        QCOMPARE(told(watch.check(2s)), u"deadlock permits; deadlock y"_qs);

        AlertWatch readers = watching("deadlock");
        LockRow book = held("book", "A");
        book.mode = "shared";
        waits(book, "B");
        book.waiters->front().mode = "shared";
        readers.observe(report(1s, {book, y}));
        QCOMPARE(told(readers.check(1s)), QString());
        book.waiters->front().mode = "exclusive";
        readers.observe(report(2s, {book, y}));
        QCOMPARE(told(readers.check(2s)), u"deadlock book; deadlock y"_qs);
    }

    void theEdgeToBreakIsTheOneThatMostWaitFor() {
        AlertWatch watch = watching("deadlock");
        LockRow x = held("x", "A"), y = held("y", "B");
        waits(x, "B");
        waits(y, "A");
        waits(y, "D");
        watch.observe(report(1s, {x, y}));
        const auto raised = watch.check(1s);
        QCOMPARE(told(raised), u"deadlock x; deadlock y"_qs);
        for (const Alert& alert : raised) // y, which B holds: A and D wait for it
            QVERIFY2(alert.advice.contains(u"Stop B, or free “y” by force: 2"), qPrintable(alert.advice));
    }

    /// The graph of who waits for whom says the same of the same ring.
    void ofEdgesThatEquallyManyWaitForTheFirstByNameIsTheOne() {
        AlertWatch watch = watching("deadlock");
        LockRow x = held("x", "A"), y = held("y", "B");
        waits(x, "B");
        waits(y, "A");
        watch.observe(report(1s, {x, y}));
        const auto raised = watch.check(1s);
        QCOMPARE(told(raised), u"deadlock x; deadlock y"_qs);
        for (const Alert& alert : raised)
            QVERIFY2(alert.advice.contains(u"Stop A, or free “x” by force: 1"), qPrintable(alert.advice));
    }

    /// A lease that nobody renews ends the deadlock; one that is renewed does not.
    void aDeadlockEndsWithALeaseThatNobodyRenews() {
        AlertWatch watch = watching("deadlock");
        LockRow x = held("x", "A"), y = held("y", "B");
        waits(x, "B");
        waits(y, "A");
        watch.observe(report(1s, {x, y}));
        QVERIFY(watch.check(1s).front().advice.startsWith(u"None of them goes on by itself. "));
        x.ttlMs = 30'000;
        y.ttlMs = 7'500;
        watch.observe(report(2s, {x, y}));
        (void)watch.check(2s);
        const QString advice = watch.board(2s, kWall, {}, 9).alerts.front().advice;
        QVERIFY2(advice.startsWith(u"Unless B renews it, the lease of “y” ends in 7.5 s, and then they go on. Stop "),
                 qPrintable(advice));
        for (int second = 3; second < 33; ++second) { // B renews y every second, and x is over sooner
            x.ttlMs = 60'000;
            y.ttlMs = 10'000;
            y.ends = EndsWithin{kWall + second * 1000, kWall + second * 1000};
            watch.observe(report(std::chrono::seconds(second), {x, y}));
        }
        (void)watch.check(33s);
        QVERIFY(
            watch.board(33s, kWall, {}, 9).alerts.front().advice.startsWith(u"Unless A renews it, the lease of “x”"));
    }

    void aRingMayGoOverSeveralServers() {
        AlertWatch shop = watching("deadlock"), bank = watching("deadlock");
        const std::vector<ClientRule> rules{*parseClientRule(u"^((?:batch|order)-\\d+)"_qs),
                                            usualClientRules().front()};
        const auto join = [&](AlertWatch& watch, const char* name) {
            watch.joinClients([=](const Party& party) { return clientKey(party, rules, name); },
                              QString::fromLatin1(name));
        };
        join(shop, "shop");
        join(bank, "bank");
        const auto check = [&](Nanos at) {
            AlertWatch* const both[] = {&shop, &bank};
            if (shop.ringsAreDue() || bank.ringsAreDue()) AlertWatch::findRings(both);
            auto all = shop.check(at, AlertWatch::Rings::Given);
            std::ranges::move(bank.check(at, AlertWatch::Rings::Given), std::back_inserter(all));
            return all;
        };
        // A session's number means something on its own server only; what the server tells about it is more.
        LockRow stock = held("stock", "order-3"), key = held("77", "pid 12");
        waits(stock, "batch-2");
        key.holders.front().about = "batch-2 (app) 10.0.0.7";
        shop.observe(report(1s, {stock}));
        bank.observe(report(1s, {key}));
        QCOMPARE(told(check(1s)), QString()); // the holder of stock waits for nothing
        waits(key, "pid 13");
        key.waiters->front().about = "order-3 (app) 10.0.0.8";
        bank.observe(report(2s, {key}));
        const auto raised = check(2s);
        QCOMPARE(told(raised), u"deadlock stock; deadlock 77"_qs);
        for (const Alert& alert : raised)
            for (const char* part : {"batch-2 waits for “stock” on shop", "pid 13 waits for “77” on bank"})
                QVERIFY2(alert.sentence.contains(QString::fromUtf8(part)), qPrintable(alert.sentence));
        QCOMPARE(told(check(3s)), QString());
        // A server that cannot be read: nobody knows what is held there.
        LockReport away = report(4s, {});
        away.trouble = WatchTrouble{WatchTrouble::Kind::Unreachable, {}, u"away"_qs};
        bank.observe(away);
        shop.observe(report(4s, {stock}));
        QCOMPARE(told(check(4s)), u"over deadlock stock"_qs);
        bank.observe(report(5s, {key}));
        QCOMPARE(told(check(5s)), u"deadlock stock"_qs);
        bank.observe(report(6s, {held("77", "pid 99")}));
        QCOMPARE(told(check(6s)), u"over deadlock stock; over deadlock 77"_qs);
    }

    /// Each run of a program is a process of its own, with a long number for its thread: clients of one name may be
    /// one.
    void aRingByNamesAloneIsPossible() {
        const auto of = [](Party& party, const char* client, const char* thread) {
            party.client = client;
            party.thread = thread;
        };
        const auto ring = [&](const char* first, const char* second) {
            LockRow x = held("x", ""), y = held("y", "");
            waits(x, "");
            waits(y, "");
            of(x.holders.front(), "A", first);
            of(y.waiters->front(), "A", second);
            of(y.holders.front(), "B", first);
            of(x.waiters->front(), "B", second);
            return report(1s, {x, y});
        };
        AlertWatch watch = watching("deadlock");
        watch.observe(ring("672001234", "469001234"));
        const auto raised = watch.check(1s);
        QCOMPARE(told(raised), u"deadlock x; deadlock y"_qs);
        QVERIFY2(raised.front().sentence.startsWith(u"Possible deadlock: ") &&
                     raised.front().sentence.contains(u"A:469001234 waits for “y”") &&
                     raised.front().sentence.contains(u"if clients of one name are one client"),
                 qPrintable(raised.front().sentence));
        watch.observe(ring("672001234", "672001234")); // the very ones
        (void)watch.check(2s);
        const QString certain = watch.board(2s, kWall, {}, 9).alerts.front().sentence;
        QVERIFY2(certain.startsWith(u"Deadlock: "), qPrintable(certain));
        // Threads of one process go on by themselves.
        AlertWatch threads = watching("deadlock");
        threads.observe(ring("17", "23"));
        QCOMPARE(told(threads.check(1s)), QString());
    }

    void equalNumbersOnTwoServersAreTwoClients() {
        AlertWatch one = watching("deadlock"), two = watching("deadlock");
        for (AlertWatch* watch : {&one, &two})
            watch->joinClients([name = QByteArray(watch == &one ? "one" : "two")](
                                   const Party& party) { return clientKey(party, usualClientRules(), name); },
                               u"x"_qs);
        LockRow a = held("a", "pid 1"), b = held("b", "pid 2");
        waits(a, "pid 2");
        waits(b, "pid 1");
        one.observe(report(1s, {a}));
        two.observe(report(1s, {b}));
        AlertWatch* const both[] = {&one, &two};
        AlertWatch::findRings(both);
        QCOMPARE(told(one.check(1s, AlertWatch::Rings::Given)), QString());
        QCOMPARE(told(two.check(1s, AlertWatch::Rings::Given)), QString());
    }
};

QTEST_GUILESS_MAIN(TestAlertRings)
#include "tst_alert_rings.moc"
