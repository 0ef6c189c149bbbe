// SPDX-License-Identifier: Apache-2.0
#include "hand_written.h"

using namespace lockscope;
using namespace lockscope::verdict;
using Kind = trace::EventKind;
using FreedBy = trace::FreedBy;
using Actors = std::vector<trace::EntityId>;

class TestVerdictInvariants : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void writeOfTheOwnerIsFine();
    void writeAfterTheRecordMovedOnIsStale();
    void writeOnAFreeLockIsStale();
    void olderTokenIsStaleEvenUnobserved();
    void refusedWriteIsNoHarm();
    void unobservedWriteIsUndecided();
    void lateRecordOfAWatchedServerJustifies();
    void writeThatAWatchedServerNeverExplainsIsUndecided();
    void releasingAnothersHold_data();
    void releasingAnothersHold();
    void overwritingAnExpiredHoldIsFine();
    void renewingAnothersHold();
    void progressWithinTheBound();
    void progressWithinABoundOfCenturies();
    void progressViolatedFromTheBoundUntilTheGrant();
    void progressWhenTheOwnerIsDead();
    void progressWhenTheOwnerDoesNotKnow();
    void progressIgnoresWaiters_data();
    void progressIgnoresWaiters();
    void progressIgnoresWaitersOnSlowLinks();
    void progressRestartsWhenTheNodeIsBack();
    void progressIsUnknownWhileTheRecordIsNotObserved();
    void progressOfAShortGapIsNotUnknown();
    void progressViolationEndsWhereNobodyLooks();
    void progressNeedsAHolderAliveNotTheRecordAlone();
    void progressOfSeveralAtOnceNeedsAllOfThem();
    void countsByOneAreFine();
    void countsThatJump_data();
    void countsThatJump();
};

void TestVerdictInvariants::writeOfTheOwnerIsFine() {
    HandWritten w;
    w.take(1000, w.a, 4000, 7);
    w.write(1500, w.a, 7);
    w.give(2000, w.a);
    w.take(2500, w.b, 6000, 8);
    w.write(3000, w.b, 8);
    QCOMPARE(w.violations(Invariant::StaleWrite).size(), 0u);
    QCOMPARE(w.judge().outcomes[std::size_t(Invariant::StaleWrite)], Outcome::Holds);
}

void TestVerdictInvariants::writeAfterTheRecordMovedOnIsStale() {
    HandWritten w;
    w.take(1000, w.a, 4000, 33);
    w.freed(4000, FreedBy::Expiry, 0, w.a);
    w.take(4100, w.b, 8000, 34);
    w.write(5000, w.a, 33); // the newer token has not been written yet
    w.write(5100, w.b, 34);
    w.write(5200, w.a, 33);
    const auto found = w.violations(Invariant::StaleWrite);
    QCOMPARE(found.size(), 2u);
    QCOMPARE(found[0].from, ms(5000));
    QCOMPARE(found[0].to, ms(5000));
    QCOMPARE(found[0].actors, (Actors{w.a, w.b}));
    QCOMPARE(found[0].resource, w.stock);
    QCOMPARE(found[0].token, 33);
    QCOMPARE(found[0].newerToken, 0);
    QCOMPARE(found[1].newerToken, 34);
}

void TestVerdictInvariants::writeOnAFreeLockIsStale() {
    HandWritten w;
    w.take(1000, w.a, 4000);
    w.freed(4000, FreedBy::Expiry, 0, w.a);
    w.write(4500, w.a);
    const auto found = w.violations(Invariant::StaleWrite);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].actors, (Actors{w.a}));
}

void TestVerdictInvariants::olderTokenIsStaleEvenUnobserved() {
    HandWritten w;
    w.granted(1000, w.a, 5);
    w.write(1500, w.a, 5);
    w.granted(2000, w.b, 6);
    w.write(2500, w.b, 6);
    w.write(2600, w.a, 5);
    const auto found = w.violations(Invariant::StaleWrite);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(2600));
    QCOMPARE(found[0].token, 5);
    QCOMPARE(found[0].newerToken, 6);
}

void TestVerdictInvariants::refusedWriteIsNoHarm() {
    HandWritten w;
    w.take(1000, w.a, 4000, 33);
    w.freed(4000, FreedBy::Expiry, 0, w.a);
    w.take(4100, w.b, 8000, 34);
    w.add(5000, Kind::WriteRefused, w.a, w.stock, 33);
    QCOMPARE(w.violations(Invariant::StaleWrite).size(), 0u);
}

void TestVerdictInvariants::unobservedWriteIsUndecided() {
    HandWritten w;
    w.take(1000, w.a, 4000);
    w.add(1500, Kind::RecordUnobserved, 0, w.lock);
    w.write(5000, w.a);
    const Verdict v = w.judge();
    QCOMPARE(v.violations.size(), 0u);
    QCOMPARE(v.outcomes[std::size_t(Invariant::StaleWrite)], Outcome::Unknown);
    QCOMPARE(v.overall(), Outcome::Unknown);
}

void TestVerdictInvariants::lateRecordOfAWatchedServerJustifies() {
    HandWritten w;
    w.trace->setOriginWallMs(1'700'000'000'000);
    w.take(1000, w.a, 9000);
    w.give(2000, w.a);
    w.request(2100, w.b);
    w.granted(2200, w.b);
    w.write(2300, w.b); // the watcher has not looked yet
    QCOMPARE(w.judge().outcomes[std::size_t(Invariant::StaleWrite)], Outcome::Unknown);
    w.held(2400, w.b, 9000);
    const Verdict v = w.judge();
    QCOMPARE(v.violations.size(), 0u);
    QCOMPARE(v.outcomes[std::size_t(Invariant::StaleWrite)], Outcome::Holds);

    HandWritten simulated; // the same rows where nothing comes late
    simulated.take(1000, simulated.a, 9000);
    simulated.give(2000, simulated.a);
    simulated.request(2100, simulated.b);
    simulated.granted(2200, simulated.b);
    simulated.write(2300, simulated.b);
    QCOMPARE(simulated.violations(Invariant::StaleWrite).size(), 1u);
}

void TestVerdictInvariants::writeThatAWatchedServerNeverExplainsIsUndecided() {
    HandWritten w;
    w.trace->setOriginWallMs(1'700'000'000'000);
    w.take(1000, w.a, 9000);
    w.give(2000, w.a);
    w.request(2100, w.b);
    w.granted(2200, w.b);
    w.write(2300, w.b);
    w.released(2400, w.b);
    w.take(3000, w.b, 9000); // a later hold does not explain the earlier write
    const Verdict v = w.judge();
    QCOMPARE(v.violations.size(), 0u);
    QCOMPARE(v.outcomes[std::size_t(Invariant::StaleWrite)], Outcome::Unknown);
}

void TestVerdictInvariants::releasingAnothersHold_data() {
    QTest::addColumn<int>("how");
    QTest::addColumn<bool>("byOwner");
    QTest::addColumn<bool>("violated");
    QTest::newRow("own release") << int(FreedBy::Release) << true << false;
    QTest::newRow("another's release") << int(FreedBy::Release) << false << true;
    QTest::newRow("overwrite") << int(FreedBy::Overwrite) << false << true;
    QTest::newRow("force is asked for") << int(FreedBy::Force) << false << false;
    QTest::newRow("node loss is nobody's doing") << int(FreedBy::NodeLoss) << false << false;
}

void TestVerdictInvariants::releasingAnothersHold() {
    QFETCH(int, how);
    QFETCH(bool, byOwner);
    QFETCH(bool, violated);
    HandWritten w;
    w.take(1000, w.b, 9000);
    w.freed(2000, static_cast<FreedBy>(how), byOwner ? w.b : w.a, w.b);
    const auto found = w.violations(Invariant::Ownership);
    QCOMPARE(found.size(), violated ? 1u : 0u);
    if (!violated) return;
    QCOMPARE(found[0].from, ms(2000));
    QCOMPARE(found[0].to, ms(2000));
    QCOMPARE(found[0].actors, (Actors{w.a, w.b}));
}

void TestVerdictInvariants::overwritingAnExpiredHoldIsFine() {
    HandWritten w;
    w.take(1000, w.b, 4000);
    w.freed(4000, FreedBy::Overwrite, w.a, w.b);
    w.held(4000, w.a, 8000);
    QCOMPARE(w.violations(Invariant::Ownership).size(), 0u);
}

void TestVerdictInvariants::renewingAnothersHold() {
    HandWritten w;
    w.take(1000, w.b, 4000);
    w.renewed(2000, w.b, 5000);
    w.renewed(3000, w.a, 6000);
    const auto found = w.violations(Invariant::Ownership);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].actors, (Actors{w.a, w.b}));
}

void TestVerdictInvariants::progressWithinTheBound() {
    HandWritten w;
    w.started();
    w.take(1000, w.a, 4000);
    w.request(1500, w.b);
    w.give(2000, w.a);
    w.held(6999, w.b, 9000);
    w.granted(7000, w.b);
    w.trace->reach(ms(60000));
    QCOMPARE(w.violations(Invariant::Progress, {5s}).size(), 0u);
}

void TestVerdictInvariants::progressWithinABoundOfCenturies() {
    HandWritten w;
    w.started();
    w.request(1500, w.b);
    w.trace->reach(ms(60000));
    QCOMPARE(w.violations(Invariant::Progress, {kNever - 1ns}).size(), 0u);
    QCOMPARE(w.violations(Invariant::Progress, {50s}).size(), 1u);
}

void TestVerdictInvariants::progressViolatedFromTheBoundUntilTheGrant() {
    HandWritten w;
    w.started();
    w.take(1000, w.a, 4000);
    w.request(1500, w.c);
    w.request(1600, w.b);
    w.give(2000, w.a);
    w.add(8000, Kind::Step, w.b, w.lock);
    w.held(8999, w.b, 12000);
    w.granted(9000, w.b);
    const auto found = w.violations(Invariant::Progress, {5s});
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(7000));
    QCOMPARE(found[0].to, ms(9000));
    QCOMPARE(found[0].actors, (Actors{w.c, w.b})); // who waits longest comes first
    QCOMPARE(w.trace->at(found[0].row).time(), ms(8000));
}

void TestVerdictInvariants::progressWhenTheOwnerIsDead() {
    HandWritten w;
    w.started();
    w.take(1000, w.a, -1); // no expiry
    w.request(1500, w.b);
    w.add(3000, Kind::ClientKilled, w.clientA);
    w.trace->reach(ms(7999));
    QCOMPARE(w.violations(Invariant::Progress, {5s}).size(), 0u);
    w.trace->reach(ms(8001));
    const auto found = w.violations(Invariant::Progress, {5s});
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(8000));
    QCOMPARE(found[0].to, kNever);
    QCOMPARE(found[0].actors, (Actors{w.b}));
}

void TestVerdictInvariants::progressWhenTheOwnerDoesNotKnow() {
    HandWritten w; // the reply to A was lost: its entry stays, and A itself waits behind it
    w.started();
    w.request(1000, w.a);
    w.held(1001, w.a, -1);
    w.trace->reach(ms(10000));
    const auto found = w.violations(Invariant::Progress, {5s});
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(6000)); // nobody held from 1.0 s, when A asked
}

void TestVerdictInvariants::progressIgnoresWaiters_data() {
    QTest::addColumn<int>("why");
    QTest::newRow("paused") << 0;
    QTest::newRow("killed") << 1;
    QTest::newRow("cut off") << 2;
    QTest::newRow("gave up") << 3;
    QTest::newRow("the holder is only paused") << 4;
}

void TestVerdictInvariants::progressIgnoresWaiters() {
    QFETCH(int, why);
    HandWritten w;
    w.started();
    w.take(1000, w.a, -1);
    w.request(1500, w.b);
    switch (why) {
    case 0:
        w.add(1600, Kind::ClientPaused, w.clientB);
        break;
    case 1:
        w.add(1600, Kind::ClientKilled, w.clientB);
        break;
    case 2:
        w.add(1600, Kind::LinkCut, 0, w.linkB);
        break;
    case 3:
        w.add(1600, Kind::TimedOut, w.b, w.lock);
        break;
    case 4:
        w.add(1600, Kind::ClientPaused, w.clientA);
        break;
    }
    if (why != 4) w.give(2000, w.a);
    w.trace->reach(ms(60000));
    QCOMPARE(w.violations(Invariant::Progress, {5s}).size(), 0u);
    if (why != 2) return;
    w.add(60000, Kind::LinkMended, 0, w.linkB); // the clock starts when it is back
    w.trace->reach(ms(66000));
    QCOMPARE(w.violations(Invariant::Progress, {5s}).at(0).from, ms(65000));
}

void TestVerdictInvariants::progressIgnoresWaitersOnSlowLinks() {
    Bounds bounds{5s};
    bounds.roundTrip = 10ms;
    bounds.slowLink = 1s;
    for (const int extra : {100, 600}) {
        HandWritten w;
        w.started();
        w.take(1000, w.a, -1);
        w.request(1500, w.b);
        w.add(1600, Kind::LinkDelayed, 0, w.linkB, HandWritten::ns(extra));
        w.give(2000, w.a);
        w.trace->reach(ms(30000));
        const bool tooSlow = 2 * extra + 10 > 1000;
        QCOMPARE(w.violations(Invariant::Progress, bounds).size(), tooSlow ? 0u : 1u);
        w.add(30000, Kind::LinkDelayed, 0, w.linkB, 0);
        w.trace->reach(ms(36000));
        QCOMPARE(w.violations(Invariant::Progress, bounds).at(0).from, tooSlow ? ms(35000) : ms(7000));
    }
}

void TestVerdictInvariants::progressRestartsWhenTheNodeIsBack() {
    HandWritten w;
    w.started();
    w.take(1000, w.a, 4000);
    w.request(1500, w.b);
    w.give(2000, w.a);
    w.add(5000, Kind::NodeKilled, w.node);
    w.add(20000, Kind::NodeStarted, w.node);
    w.trace->reach(ms(24000));
    QCOMPARE(w.violations(Invariant::Progress, {5s}).size(), 0u);
    w.trace->reach(ms(26000));
    const auto found = w.violations(Invariant::Progress, {5s});
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(25000));
}

void TestVerdictInvariants::progressIsUnknownWhileTheRecordIsNotObserved() {
    HandWritten w; // the server is stopped just after a release: nobody can see to whom it gives the lock
    w.started();
    w.take(1000, w.a, 4000);
    w.request(1500, w.b);
    w.give(2000, w.a);
    w.add(3000, Kind::RecordUnobserved, 0, w.lock);
    w.trace->reach(ms(16000));
    const Verdict during = w.judge({5s});
    QCOMPARE(w.violations(Invariant::Progress, {5s}).size(), 0u);
    QCOMPARE(during.outcomes[std::size_t(Invariant::Progress)], Outcome::Unknown);
    QCOMPARE(during.unknownSince[std::size_t(Invariant::Progress)], ms(8000));
    QCOMPARE(during.asOf(ms(7000)).outcomes[std::size_t(Invariant::Progress)], Outcome::Holds);
    // From the first look on the bound counts anew, and what was not seen stays unknown.
    w.add(16000, Kind::RecordObserved, 0, w.lock);
    w.held(18000, w.b, 30000);
    w.granted(18000, w.b);
    const Verdict after = w.judge({5s});
    QCOMPARE(after.violations.size(), 0u);
    QCOMPARE(after.outcomes[std::size_t(Invariant::Progress)], Outcome::Unknown);
}

void TestVerdictInvariants::progressOfAShortGapIsNotUnknown() {
    HandWritten w;
    w.started();
    w.take(1000, w.a, 4000);
    w.request(1500, w.b);
    w.give(2000, w.a);
    w.add(3000, Kind::RecordUnobserved, 0, w.lock);
    w.add(6000, Kind::RecordObserved, 0, w.lock);
    w.trace->reach(ms(10999));
    QCOMPARE(w.judge({5s}).outcomes[std::size_t(Invariant::Progress)], Outcome::Holds);
    w.trace->reach(ms(12000));
    const auto found = w.violations(Invariant::Progress, {5s});
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(11000));
}

void TestVerdictInvariants::progressViolationEndsWhereNobodyLooks() {
    HandWritten w;
    w.started();
    w.take(1000, w.a, 4000);
    w.request(1500, w.b);
    w.give(2000, w.a);
    w.add(9000, Kind::RecordUnobserved, 0, w.lock);
    w.trace->reach(ms(9500));
    const auto found = w.violations(Invariant::Progress, {5s});
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(7000));
    QCOMPARE(found[0].to, ms(9000));
}

void TestVerdictInvariants::progressNeedsAHolderAliveNotTheRecordAlone() {
    HandWritten w; // without any record: somebody believes, so the lock is taken
    w.started();
    w.granted(1000, w.a);
    w.request(1500, w.b);
    w.trace->reach(ms(20000));
    QCOMPARE(w.violations(Invariant::Progress, {5s}).size(), 0u);
    w.released(20000, w.a);
    w.trace->reach(ms(26000));
    QCOMPARE(w.violations(Invariant::Progress, {5s}).at(0).from, ms(25000));
}

void TestVerdictInvariants::progressOfSeveralAtOnceNeedsAllOfThem() {
    HandWritten w;
    const trace::EntityId other = w.trace->intern(trace::EntityKind::Lock, "items", w.node);
    w.started();
    w.add(500, Kind::Granted, w.b, other, 0, 1);
    for (const trace::EntityId lock : {w.lock, other})
        w.add(1000, Kind::Requested, w.a, lock, -1);
    w.trace->reach(ms(20000));
    QCOMPARE(w.violations(Invariant::Progress, {5s}).size(), 0u); // free is one of them only
    w.add(20000, Kind::Released, w.b, other);
    w.trace->reach(ms(26000));
    const auto found = w.violations(Invariant::Progress, {5s});
    QCOMPARE(found.size(), 2u);
    for (const Violation& violation : found) {
        QCOMPARE(violation.from, ms(25000));
        QCOMPARE(violation.actors, std::vector{w.a});
    }
}

void TestVerdictInvariants::countsByOneAreFine() {
    HandWritten w;
    w.take(1000, w.a, 4000);
    w.request(1500, w.a);
    w.renewed(1501, w.a, 4500, 2);
    w.add(1502, Kind::Reentered, w.a, w.lock, 0, 2);
    w.add(2000, Kind::ReleaseSent, w.a, w.lock);
    w.renewed(2001, w.a, 5000, 1);
    w.released(2002, w.a, 1);
    w.give(3000, w.a);
    QCOMPARE(w.violations(Invariant::Reentrancy).size(), 0u);
}

void TestVerdictInvariants::countsThatJump_data() {
    QTest::addColumn<int>("row");
    QTest::newRow("re-entered by two") << 0;
    QTest::newRow("released by two") << 1;
    QTest::newRow("left after the last release") << 2;
    QTest::newRow("granted with a count of three") << 3;
    QTest::newRow("record rises by two") << 4;
    QTest::newRow("record freed at two") << 5;
}

void TestVerdictInvariants::countsThatJump() {
    QFETCH(int, row);
    HandWritten w;
    switch (row) {
    case 0:
        w.take(1000, w.a, 4000);
        w.add(2000, Kind::Reentered, w.a, w.lock, 0, 3);
        break;
    case 1:
        w.take(1000, w.a, 4000);
        w.renewed(1100, w.a, 4000, 2);
        w.add(1100, Kind::Reentered, w.a, w.lock, 0, 2);
        w.released(2000, w.a, 0);
        break;
    case 2:
        w.take(1000, w.a, 4000);
        w.add(1100, Kind::ReleaseSent, w.a, w.lock);
        w.released(2000, w.a, 1);
        break;
    case 3:
        w.request(500, w.a);
        w.granted(2000, w.a, 0, 3);
        break;
    case 4:
        w.take(1000, w.a, 4000);
        w.renewed(2000, w.a, 4000, 3);
        break;
    case 5:
        w.take(1000, w.a, 4000);
        w.renewed(1100, w.a, 4000, 2);
        w.add(1100, Kind::Reentered, w.a, w.lock, 0, 2);
        w.freed(2000, FreedBy::Release, w.a, w.a);
        break;
    }
    const auto found = w.violations(Invariant::Reentrancy);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(2000));
    QCOMPARE(found[0].actors, (Actors{w.a}));
}

QTEST_APPLESS_MAIN(TestVerdictInvariants)
#include "tst_verdict_invariants.moc"
