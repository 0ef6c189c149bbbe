// SPDX-License-Identifier: Apache-2.0
// Holders that may hold together, the order in which locks and tokens are given, and waiters that wait for each other.
#include "hand_written.h"

using namespace lockscope;
using namespace lockscope::verdict;
using Kind = trace::EventKind;
using Actors = std::vector<trace::EntityId>;

namespace {

/// Several locks, and holds that are shared or of permits.
struct Modes : HandWritten {
    trace::EntityId other = trace->intern(trace::EntityKind::Lock, "stock-lock", node);

    void as(int ms, EntityId thread, int mode, std::uint32_t permits = 1) {
        add(ms, Kind::GrantedAs, thread, lock, mode, permits);
    }
    void reads(int ms, EntityId thread) {
        as(ms, thread, 1);
        granted(ms, thread);
    }
    void takes(int ms, EntityId thread, std::uint32_t permits, std::uint32_t holds = 1) {
        as(ms, thread, 2, permits);
        add(ms, holds > 1 ? Kind::Reentered : Kind::Granted, thread, lock, 0, holds);
    }
    void sent(int ms, EntityId thread, std::uint32_t holds = 1) { add(ms, Kind::ReleaseSent, thread, lock, 0, holds); }
    void ask(int ms, EntityId thread, EntityId of, std::int64_t wait = -1) {
        add(ms, Kind::Requested, thread, of, wait);
    }
    void get(int ms, EntityId thread, EntityId of) { add(ms, Kind::Granted, thread, of, 0, 1); }
};

Bounds fair() {
    Bounds bounds;
    bounds.fair = true;
    return bounds;
}

} // namespace

class TestVerdictOrders : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readersGoTogether();
    void aReaderAndAWriterDoNot();
    void aWriterThatBecomesAReaderLetsOthersIn();
    void permitsGoTogetherUpToTheCapacity();
    void aPermitGivenUpCountsNoMore();
    void someOfAHoldsPermitsGivenUpCountNoMore();
    void permitsOfUnknownCapacityClaimNothing();
    void aReaderWhoseRecordNamesAnotherIsNotStuckNorStale();
    void whoAskedLaterMayNotGetItEarlier();
    void orderOfReadersAndPermits_data();
    void orderOfReadersAndPermits();
    void orderIsJudgedOnlyWhereItIsCertain_data();
    void orderIsJudgedOnlyWhereItIsCertain();
    void aPlaceMayOutliveAPause();
    void tokensGrow();
    void anEpochAloneIsEverybodysToken();
    void tokensOfThoseWhoWereAwayAreNotJudged();
    void twoWhoWaitForEachOther();
    void threeInACircleAndATimeOut();
    void whoAsksAgainWaitsForItself();
    void aRecipeThatCountsAnswers();
    void noCircle_data();
    void noCircle();
};

void TestVerdictOrders::readersGoTogether() {
    Modes w;
    w.reads(1000, w.a);
    w.reads(1500, w.b);
    w.sent(2000, w.a);
    w.released(2100, w.a);
    w.sent(2200, w.b);
    w.granted(2300, w.c); // exclusive, when all readers are gone
    QCOMPARE(w.violations(Invariant::MutualExclusion).size(), 0u);
    // In traces of several processes rows of one stand between those of another.
    Modes mixed;
    mixed.as(1000, mixed.a, 1);
    mixed.as(1000, mixed.b, 1);
    mixed.granted(1000, mixed.a);
    mixed.granted(1000, mixed.b);
    mixed.trace->reach(2s);
    QCOMPARE(mixed.violations(Invariant::MutualExclusion).size(), 0u);
}

void TestVerdictOrders::aReaderAndAWriterDoNot() {
    Modes w;
    w.reads(1000, w.a);
    w.reads(1100, w.b);
    w.granted(2000, w.c);
    w.sent(2500, w.a);
    w.sent(3000, w.b);
    w.trace->reach(4s);
    const auto found = w.violations(Invariant::MutualExclusion);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(2000));
    QCOMPARE(found[0].to, ms(3000));
    QCOMPARE(found[0].actors, (Actors{w.a, w.b, w.c}));
}

void TestVerdictOrders::aWriterThatBecomesAReaderLetsOthersIn() {
    Modes w;
    w.granted(1000, w.a);
    w.as(1500, w.a, 1);
    w.add(1500, Kind::Reentered, w.a, w.lock, 0, 2);
    w.sent(2000, w.a, 2); // the write hold; from here on it only reads
    w.reads(2010, w.b);
    w.released(2020, w.a, 1);
    w.trace->reach(3s);
    QCOMPARE(w.violations(Invariant::MutualExclusion).size(), 0u);
    // A second reader before that is one too early.
    Modes early;
    early.granted(1000, early.a);
    early.as(1500, early.a, 1);
    early.add(1500, Kind::Reentered, early.a, early.lock, 0, 2);
    early.reads(1600, early.b);
    early.sent(2000, early.a, 2);
    const auto found = early.violations(Invariant::MutualExclusion);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(1600));
    QCOMPARE(found[0].to, ms(2000));
}

void TestVerdictOrders::permitsGoTogetherUpToTheCapacity() {
    Modes w;
    w.add(900, Kind::LockCapacity, 0, w.lock, 3);
    w.takes(1000, w.a, 2);
    w.takes(1100, w.b, 1);
    QCOMPARE(w.violations(Invariant::MutualExclusion).size(), 0u);
    w.takes(1200, w.c, 1);
    w.sent(1700, w.b);
    w.trace->reach(2s);
    const auto found = w.violations(Invariant::MutualExclusion);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(1200));
    QCOMPARE(found[0].to, ms(1700));
    QCOMPARE(found[0].actors, (Actors{w.a, w.b, w.c}));
    const QString words = explain(found[0], *w.trace);
    QVERIFY2(words.contains(QStringLiteral("more permits of orders than the 3")), qPrintable(words));
}

void TestVerdictOrders::aPermitGivenUpCountsNoMore() {
    Modes w;
    w.add(900, Kind::LockCapacity, 0, w.lock, 2);
    w.takes(1000, w.a, 1);
    w.takes(1100, w.a, 1, 2);
    w.sent(1500, w.a, 2);
    w.takes(1510, w.b, 1); // the server was quicker than the answer to A
    w.released(1520, w.a, 1);
    w.trace->reach(2s);
    QCOMPARE(w.violations(Invariant::MutualExclusion).size(), 0u);
    w.takes(2100, w.c, 1);
    w.trace->reach(3s);
    QCOMPARE(w.violations(Invariant::MutualExclusion).size(), 1u);
}

void TestVerdictOrders::someOfAHoldsPermitsGivenUpCountNoMore() {
    Modes w;
    w.add(900, Kind::LockCapacity, 0, w.lock, 3);
    w.takes(1000, w.a, 3);
    w.add(1500, Kind::ReleaseSent, w.a, w.lock, 2, 1); // two of the three
    w.takes(1510, w.b, 2);
    w.trace->reach(2s);
    QCOMPARE(w.violations(Invariant::MutualExclusion).size(), 0u);
    w.takes(2100, w.c, 1); // beside the one that A has kept
    w.trace->reach(3s);
    QCOMPARE(w.violations(Invariant::MutualExclusion).size(), 1u);
    w.sent(3100, w.a);
    w.released(3110, w.a, 0);
    QCOMPARE(w.violations(Invariant::Reentrancy).size(), 0u);
}

void TestVerdictOrders::permitsOfUnknownCapacityClaimNothing() {
    Modes w;
    w.takes(1000, w.a, 5);
    w.takes(1100, w.b, 5);
    w.trace->reach(2s);
    QCOMPARE(w.violations(Invariant::MutualExclusion).size(), 0u);
}

void TestVerdictOrders::aReaderWhoseRecordNamesAnotherIsNotStuckNorStale() {
    Modes w;
    w.started();
    w.held(1000, w.a, 9000);
    w.reads(1000, w.a);
    w.held(1100, w.b, 9000);
    w.reads(1100, w.b);
    w.write(1200, w.a);
    w.request(1300, w.c);
    w.add(1400, Kind::ClientKilled, w.clientB); // whom the record names; A lives on
    w.trace->reach(8s);
    QCOMPARE(w.violations(Invariant::StaleWrite).size(), 0u);
    QCOMPARE(w.violations(Invariant::Progress, {5s}).size(), 0u);
}

void TestVerdictOrders::whoAskedLaterMayNotGetItEarlier() {
    Modes w;
    w.take(0, w.a, 9000);
    w.request(1000, w.b);
    w.request(2500, w.c);
    w.give(3000, w.a);
    w.granted(3100, w.c);
    w.give(4000, w.c);
    w.granted(4100, w.b);
    const auto found = w.violations(Invariant::Fifo, fair());
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].actors, (Actors{w.c, w.b}));
    QCOMPARE(found[0].from, ms(3100));
    QCOMPARE(found[0].to, ms(4100));
    const QString words = explain(found[0], *w.trace);
    QVERIFY2(words.contains(QStringLiteral("C got orders at")) && words.contains(QStringLiteral("B had asked before")),
             qPrintable(words));
    QCOMPARE(w.violations(Invariant::Fifo).size(), 0u); // nothing promised
    QCOMPARE(w.judge().outcomes[std::size_t(Invariant::Fifo)], Outcome::Holds);
    QCOMPARE(w.judge(fair()).outcomes[std::size_t(Invariant::Fifo)], Outcome::Violated);
}

void TestVerdictOrders::orderOfReadersAndPermits_data() {
    QTest::addColumn<int>("first"); // how the first in the queue wants it, and the one who overtakes
    QTest::addColumn<int>("second");
    QTest::addColumn<bool>("violated");
    QTest::newRow("permits") << 2 << 2 << true;
    QTest::newRow("readers") << 1 << 1 << false;
    QTest::newRow("a reader before a writer") << 0 << 1 << false;
}

void TestVerdictOrders::orderOfReadersAndPermits() {
    QFETCH(int, first);
    QFETCH(int, second);
    QFETCH(bool, violated);
    Modes w;
    w.take(0, w.a, 9000);
    w.request(1000, w.b);
    w.request(2500, w.c);
    w.give(3000, w.a);
    if (second != 0) w.as(3100, w.c, second);
    w.granted(3100, w.c);
    w.give(4000, w.c);
    if (first != 0) w.as(4100, w.b, first);
    w.granted(4100, w.b);
    QCOMPARE(w.violations(Invariant::Fifo, fair()).size(), violated ? 1u : 0u);
}

void TestVerdictOrders::orderIsJudgedOnlyWhereItIsCertain_data() {
    QTest::addColumn<int>("secondAsks");
    QTest::addColumn<int>("what"); // the event between the requests and the grants; 0 = none
    QTest::addColumn<bool>("violated");
    QTest::newRow("certain") << 2500 << 0 << true;
    QTest::newRow("too close to tell") << 1900 << 0 << false;
    QTest::newRow("the first was paused") << 2500 << int(Kind::ClientPaused) << false;
    QTest::newRow("the first was cut off") << 2500 << int(Kind::LinkCut) << false;
    QTest::newRow("the first lost its connection") << 2500 << int(Kind::ConnectionLost) << false;
    QTest::newRow("the server lost its memory") << 2500 << int(Kind::NodeKilled) << false;
    QTest::newRow("the first gave up") << 2500 << int(Kind::TimedOut) << false;
    QTest::newRow("the first died") << 2500 << int(Kind::ClientKilled) << false;
}

void TestVerdictOrders::orderIsJudgedOnlyWhereItIsCertain() {
    QFETCH(int, secondAsks);
    QFETCH(int, what);
    QFETCH(bool, violated);
    Modes w;
    w.take(0, w.a, 9000);
    w.request(1000, w.b);
    w.request(secondAsks, w.c);
    switch (const auto kind = Kind(what)) {
    case Kind::ClientPaused:
    case Kind::ClientKilled:
    case Kind::ConnectionLost:
        w.add(2600, kind, w.clientB, w.node);
        break;
    case Kind::LinkCut:
        w.add(2600, kind, 0, w.linkB);
        break;
    case Kind::NodeKilled:
        w.add(2600, kind, w.node);
        break;
    case Kind::TimedOut:
        w.add(2600, kind, w.b, w.lock);
        break;
    default:
        break;
    }
    w.give(3000, w.a);
    w.granted(3100, w.c);
    w.give(4000, w.c);
    if (Kind(what) == Kind::TimedOut) w.request(4050, w.b);
    w.granted(4100, w.b);
    QCOMPARE(w.violations(Invariant::Fifo, fair()).size(), violated ? 1u : 0u);
}

void TestVerdictOrders::aPlaceMayOutliveAPause() {
    Modes w;
    w.take(0, w.a, 9000);
    w.request(1000, w.b);
    w.request(1500, w.c);
    w.add(1600, Kind::ClientPaused, w.clientB);
    w.give(3000, w.a);
    w.add(3100, Kind::ClientResumed, w.clientB);
    w.granted(3101, w.b); // it was the first, and the server still knew
    w.give(3200, w.b);
    w.granted(3300, w.c);
    QCOMPARE(w.violations(Invariant::Fifo, fair()).size(), 0u);
}

void TestVerdictOrders::tokensGrow() {
    HandWritten w;
    w.take(1000, w.a, 9000, 33);
    w.add(1100, Kind::Reentered, w.a, w.lock, 33, 2); // the same token: the same hold
    w.released(1200, w.a, 1);
    w.give(2000, w.a);
    w.take(2100, w.b, 9000, 34);
    w.give(2200, w.b);
    QCOMPARE(w.violations(Invariant::TokenOrder).size(), 0u);
    w.take(3000, w.c, 9000, 34);
    w.give(3100, w.c);
    w.take(3200, w.a, 9000, 12);
    w.give(3300, w.a);
    const auto found = w.violations(Invariant::TokenOrder);
    QCOMPARE(found.size(), 2u);
    QCOMPARE(found[0].actors, (Actors{w.c, w.b}));
    QCOMPARE(found[0].token, 34);
    QCOMPARE(found[1].actors, (Actors{w.a, w.b}));
    QCOMPARE(found[1].token, 12);
    QCOMPARE(found[1].newerToken, 34);
    const QString words = explain(found[1], *w.trace);
    QVERIFY2(words.contains(QStringLiteral("with token 12, although B had been given token 34")), qPrintable(words));
}

void TestVerdictOrders::anEpochAloneIsEverybodysToken() {
    constexpr std::int64_t kEpoch = std::int64_t(1) << 48;
    HandWritten w;
    int at = 1000;
    for (const auto holder : {w.a, w.b, w.a}) {
        w.take(at, holder, 9000, kEpoch);
        w.give(at + 50, holder);
        at += 100;
    }
    QCOMPARE(w.violations(Invariant::TokenOrder).size(), 0u);
    w.take(2000, w.b, 9000, 2 * kEpoch);
    w.give(2100, w.b);
    w.take(2200, w.c, 9000, kEpoch); // of an engine that was left
    w.give(2300, w.c);
    w.take(2400, w.a, 9000, 2 * kEpoch + 1);
    w.give(2500, w.a);
    w.take(2600, w.b, 9000, 2 * kEpoch + 1); // one that is counted is one holder's
    QCOMPARE(w.violations(Invariant::TokenOrder).size(), 2u);
}

void TestVerdictOrders::tokensOfThoseWhoWereAwayAreNotJudged() {
    HandWritten w;
    w.request(1000, w.a);
    w.add(1100, Kind::ClientPaused, w.clientA); // the server grants it 33 meanwhile, and takes it back
    w.take(5000, w.b, 9000, 34);
    w.add(6000, Kind::ClientResumed, w.clientA);
    w.granted(6001, w.a, 33);
    QCOMPARE(w.violations(Invariant::TokenOrder).size(), 0u);
    w.add(6100, Kind::Lost, w.a, w.lock);
    w.request(6200, w.a);
    w.granted(6300, w.a, 20);
    QCOMPARE(w.violations(Invariant::TokenOrder).size(), 1u);
}

void TestVerdictOrders::twoWhoWaitForEachOther() {
    Modes w;
    w.get(1000, w.a, w.lock);
    w.get(1000, w.b, w.other);
    w.ask(2000, w.a, w.other);
    w.ask(3000, w.b, w.lock);
    w.trace->reach(5s);
    auto found = w.violations(Invariant::NoDeadlock);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(3000));
    QCOMPARE(found[0].to, kNever);
    QCOMPARE(found[0].actors, (Actors{w.b, w.a}));
    QCOMPARE(found[0].lock, w.lock);
    const QString words = explain(found[0], *w.trace);
    QVERIFY2(
        words.contains(QStringLiteral("B waits for orders, which A holds. A waits for stock-lock, which B holds.")),
        qPrintable(words));
    w.add(6000, Kind::Interrupted, w.a, w.other);
    w.trace->reach(7s);
    found = w.violations(Invariant::NoDeadlock);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].to, ms(6000));
}

void TestVerdictOrders::threeInACircleAndATimeOut() {
    Modes w;
    const trace::EntityId third = w.trace->intern(trace::EntityKind::Lock, "third", w.node);
    w.get(1000, w.a, w.lock);
    w.get(1000, w.b, w.other);
    w.get(1000, w.c, third);
    w.add(1000, Kind::BelievedUntil, w.c, third, w.ns(4000)); // its lease ends, and with it the circle
    w.ask(2000, w.a, w.other);
    w.ask(2000, w.b, third);
    w.ask(2000, w.c, w.lock);
    w.trace->reach(9s);
    const auto found = w.violations(Invariant::NoDeadlock);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(2000));
    QCOMPARE(found[0].to, ms(4000));
    QCOMPARE(found[0].actors, (Actors{w.c, w.a, w.b}));
}

void TestVerdictOrders::whoAsksAgainWaitsForItself() {
    Bounds bounds;
    bounds.reentrant = false;
    Modes w;
    w.get(1000, w.a, w.lock);
    w.ask(1500, w.a, w.lock, 0); // a try waits for nobody
    w.add(1500, Kind::TimedOut, w.a, w.lock);
    w.ask(2000, w.a, w.lock);
    w.ask(3000, w.b, w.lock); // waits as well, but in no circle
    w.trace->reach(60s);
    auto found = w.violations(Invariant::NoDeadlock, bounds);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(2000));
    QCOMPARE(found[0].to, kNever);
    QCOMPARE(found[0].lock, w.lock);
    QCOMPARE(found[0].actors, (Actors{w.a}));
    const QString words = explain(found[0], *w.trace);
    QVERIFY2(words.contains(QStringLiteral("A waits for orders, which it holds itself")), qPrintable(words));
    QCOMPARE(w.violations(Invariant::NoDeadlock).size(), 0u); // a recipe that counts may still answer

    w.add(70'000, Kind::TimedOut, w.a, w.lock);
    w.trace->reach(80s);
    found = w.violations(Invariant::NoDeadlock, bounds);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].to, ms(70'000));
    // Its own lease ends such a wait, too.
    Modes lease;
    lease.get(1000, lease.a, lease.lock);
    lease.add(1000, Kind::BelievedUntil, lease.a, lease.lock, lease.ns(4000));
    lease.ask(2000, lease.a, lease.lock);
    lease.trace->reach(9s);
    found = lease.violations(Invariant::NoDeadlock, bounds);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].to, ms(4000));
}

void TestVerdictOrders::aRecipeThatCountsAnswers() {
    Modes w;
    w.get(1000, w.a, w.lock);
    w.ask(2000, w.a, w.lock);
    w.add(2500, Kind::Reentered, w.a, w.lock, 0, 2);
    w.trace->reach(5s);
    QCOMPARE(w.violations(Invariant::NoDeadlock).size(), 0u);
    // Readers beside each other, and permits, are no holders alone.
    Bounds bounds;
    bounds.reentrant = false;
    Modes shared;
    shared.reads(1000, shared.a);
    shared.ask(2000, shared.a, shared.lock);
    shared.trace->reach(5s);
    QCOMPARE(shared.violations(Invariant::NoDeadlock, bounds).size(), 0u);
}

void TestVerdictOrders::noCircle_data() {
    QTest::addColumn<int>("which");
    QTest::newRow("a chain") << 0;
    QTest::newRow("a try without waiting") << 1;
    QTest::newRow("readers") << 2;
    QTest::newRow("for no time") << 3;
}

void TestVerdictOrders::noCircle() {
    QFETCH(int, which);
    Modes w;
    if (which == 2) w.as(900, w.a, 1);
    w.get(1000, w.a, w.lock);
    w.get(1000, w.b, w.other);
    w.ask(2000, w.a, w.other);
    if (which == 0)
        w.ask(3000, w.c, w.lock);
    else
        w.ask(3000, w.b, w.lock, which == 1 ? 0 : -1);
    if (which == 3) w.add(3000, Kind::TimedOut, w.b, w.lock);
    w.trace->reach(5s);
    QCOMPARE(w.violations(Invariant::NoDeadlock).size(), 0u);
    QCOMPARE(w.judge().outcomes[std::size_t(Invariant::NoDeadlock)], Outcome::Holds);
}

QTEST_APPLESS_MAIN(TestVerdictOrders)
#include "tst_verdict_orders.moc"
