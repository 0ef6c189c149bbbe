// SPDX-License-Identifier: Apache-2.0
#include "hand_written.h"

#include "synthetic/synthetic.h"
#include "trace/state.h"
#include "verdict/why_unknown.h"

#include <algorithm>

using namespace lockscope;
using namespace lockscope::verdict;
using Kind = trace::EventKind;
using FreedBy = trace::FreedBy;
using Actors = std::vector<trace::EntityId>;

class TestVerdict : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void handOverIsNoViolation();
    void overlapIsOneInterval();
    void threeBelieversMakeOneMaximalInterval();
    void handOverWithinAnInstantIsNoOverlap();
    void beliefEndsOverlapBy_data();
    void beliefEndsOverlapBy();
    void ownDeadlineEndsOverlap();
    void threadsOfOneClientAreTwo();
    void otherLocksDoNotMatter();
    void openOverlapGoesOn();
    void nothingObservedIsUnknown();
    void onlyTheRecordObserved();
    void aGapLeavesOwnershipUnknown();
    void aGapOfASimulatedServerHidesNoRelease();
    void writesWhileTheServersAreDown_data();
    void writesWhileTheServersAreDown();
    void writesOfAHoldWhoseServerDied_data();
    void writesOfAHoldWhoseServerDied();
    void anOptimisticRecipeHasNoHoldToEnd();
    void progressNeedsAMajorityThatRuns();
    void overallAndAsOf();
    void whatWasUnknownIsNotMadeUpLater();
    void whatIsUnknownLaterHeldUntilThen();
    void finishingClosesOpenViolations();
    void anOverlapFromTheLastInstantOnIsSeenAtOnce();
    void outcomesAtAnInstant();
    void identifiersAreAContract();
    void incrementalEqualsAtOnce_data();
    void incrementalEqualsAtOnce();
    void overlapsEqualABruteForceSweep();
};

void TestVerdict::handOverIsNoViolation() {
    HandWritten w;
    w.started();
    w.take(1000, w.a, 4000);
    w.request(1500, w.b);
    w.write(2000, w.a);
    w.give(3000, w.a);
    w.held(3001, w.b, 6000);
    w.granted(3002, w.b);
    w.write(3500, w.b);
    w.give(5000, w.b);
    const Verdict v = w.judge();
    QCOMPARE(v.violations.size(), 0u);
    QCOMPARE(v.overall(), Outcome::Holds);
    QCOMPARE(v.rows, w.trace->size());
    QCOMPARE(v.reached, ms(5000));
}

void TestVerdict::overlapIsOneInterval() {
    HandWritten w;
    w.take(1000, w.a, 4000);
    w.freed(4000, FreedBy::Expiry, 0, w.a);
    w.take(4100, w.b, 8000);
    w.add(5300, Kind::Lost, w.a, w.lock);
    w.give(7000, w.b);
    const auto found = w.violations(Invariant::MutualExclusion);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(4100));
    QCOMPARE(found[0].to, ms(5300));
    QCOMPARE(found[0].lock, w.lock);
    QCOMPARE(found[0].actors, (Actors{w.a, w.b}));
    QCOMPARE(w.trace->at(found[0].row).kind, Kind::Granted);
    QCOMPARE(w.trace->at(found[0].row).actor, w.b);
}

void TestVerdict::threeBelieversMakeOneMaximalInterval() {
    HandWritten w;
    w.granted(1000, w.b);
    w.granted(2000, w.a);
    w.granted(3000, w.c);
    w.released(4000, w.b);
    w.released(5000, w.a); // C alone from here
    w.granted(6000, w.b);
    w.released(7000, w.c);
    w.released(8000, w.b);
    const auto found = w.violations(Invariant::MutualExclusion);
    QCOMPARE(found.size(), 2u);
    QCOMPARE(found[0].from, ms(2000));
    QCOMPARE(found[0].to, ms(5000));
    QCOMPARE(found[0].actors, (Actors{w.b, w.a, w.c}));
    QCOMPARE(found[1].from, ms(6000));
    QCOMPARE(found[1].to, ms(7000));
    QCOMPARE(found[1].actors, (Actors{w.c, w.b}));
}

void TestVerdict::handOverWithinAnInstantIsNoOverlap() {
    HandWritten w;
    w.granted(1000, w.a);
    w.granted(2000, w.b);
    w.released(2000, w.a);
    w.released(3000, w.b);
    QCOMPARE(w.violations(Invariant::MutualExclusion).size(), 0u);
}

void TestVerdict::beliefEndsOverlapBy_data() {
    QTest::addColumn<int>("kind");
    for (const Kind k : {Kind::Lost, Kind::Released, Kind::ReleaseSent, Kind::ReleaseRefused, Kind::ReleaseFailed})
        QTest::newRow(trace::kindName(k)) << int(k);
    QTest::newRow("client-killed") << int(Kind::ClientKilled);
}

void TestVerdict::beliefEndsOverlapBy() {
    QFETCH(int, kind);
    HandWritten w;
    w.granted(1000, w.a);
    w.granted(2000, w.b);
    w.add(2500, Kind::ClientPaused, w.clientA); // a pause ends nothing
    const bool kill = static_cast<Kind>(kind) == Kind::ClientKilled;
    w.add(3000, static_cast<Kind>(kind), kill ? w.clientA : w.a, kill ? 0 : w.lock);
    w.add(9000, Kind::Step, w.b, w.lock);
    const auto found = w.violations(Invariant::MutualExclusion);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].from, ms(2000));
    QCOMPARE(found[0].to, ms(3000));
}

void TestVerdict::ownDeadlineEndsOverlap() {
    HandWritten w;
    w.granted(1000, w.a);
    w.add(1000, Kind::BelievedUntil, w.a, w.lock, HandWritten::ns(2600));
    w.granted(2000, w.b);
    w.add(9000, Kind::Step, w.b, w.lock);
    auto found = w.violations(Invariant::MutualExclusion);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].to, ms(2600));

    HandWritten safe; // the deadline comes first
    safe.granted(1000, safe.a);
    safe.add(1000, Kind::BelievedUntil, safe.a, safe.lock, HandWritten::ns(2000));
    safe.granted(2000, safe.b);
    safe.add(9000, Kind::Step, safe.b, safe.lock);
    QCOMPARE(safe.violations(Invariant::MutualExclusion).size(), 0u);

    HandWritten still; // no row after it, but time goes on
    still.granted(1000, still.a);
    still.add(1000, Kind::BelievedUntil, still.a, still.lock, HandWritten::ns(2600));
    still.granted(2000, still.b);
    still.trace->reach(ms(2500));
    QCOMPARE(still.violations(Invariant::MutualExclusion).at(0).to, kNever);
    still.trace->reach(ms(2600));
    QCOMPARE(still.violations(Invariant::MutualExclusion).at(0).to, ms(2600));
}

void TestVerdict::threadsOfOneClientAreTwo() {
    HandWritten w;
    const auto second = w.thread(w.clientA, "2");
    w.granted(1000, w.a);
    w.granted(2000, second);
    w.released(3000, w.a);
    QCOMPARE(w.violations(Invariant::MutualExclusion).size(), 1u);
}

void TestVerdict::otherLocksDoNotMatter() {
    HandWritten w;
    const auto other = w.trace->intern(trace::EntityKind::Lock, "invoices", w.node);
    w.granted(1000, w.a);
    w.add(2000, Kind::Granted, w.b, other, 0, 1);
    w.released(3000, w.a);
    QCOMPARE(w.violations(Invariant::MutualExclusion).size(), 0u);
}

void TestVerdict::openOverlapGoesOn() {
    HandWritten w;
    Judge judge(w.trace);
    w.granted(1000, w.a);
    w.granted(2000, w.b);
    judge.consume();
    QCOMPARE(judge.begun(), 0u); // it has no length yet
    w.trace->reach(ms(2001));
    judge.consume();
    QCOMPARE(judge.begun(), 1u);
    QCOMPARE(judge.verdict().violations.at(0).to, kNever);
    w.released(3000, w.a);
    judge.consume();
    QCOMPARE(judge.verdict().violations.at(0).to, ms(3000));
    QCOMPARE(judge.begun(), 1u);
}

void TestVerdict::nothingObservedIsUnknown() {
    HandWritten w;
    w.trace->setOriginWallMs(1'700'000'000'000);
    w.started();
    const Verdict v = w.judge();
    for (const Outcome o : v.outcomes)
        QCOMPARE(o, Outcome::Unknown);
    QCOMPARE(v.overall(), Outcome::Unknown);
    HandWritten simulated;
    simulated.started();
    QCOMPARE(simulated.judge().overall(), Outcome::Holds); // so far: all of it is seen
    QCOMPARE(simulated.judge({}, true).overall(), Outcome::Unknown);
}

void TestVerdict::onlyTheRecordObserved() {
    HandWritten w;
    w.trace->setOriginWallMs(1'700'000'000'000);
    w.held(1000, w.a, 4000);
    w.freed(2000, FreedBy::Release, w.a, w.a);
    const Verdict v = w.judge();
    QCOMPARE(v.outcomes[std::size_t(Invariant::MutualExclusion)], Outcome::Unknown);
    QCOMPARE(v.outcomes[std::size_t(Invariant::Progress)], Outcome::Unknown);
    QCOMPARE(v.outcomes[std::size_t(Invariant::Ownership)], Outcome::Holds);
    QCOMPARE(v.outcomes[std::size_t(Invariant::Reentrancy)], Outcome::Holds);
}

void TestVerdict::aGapLeavesOwnershipUnknown() {
    HandWritten w;
    w.trace->setOriginWallMs(1'700'000'000'000);
    w.take(1000, w.a, 4000);
    w.add(1500, Kind::RecordUnobserved, 0, w.lock);
    w.add(1600, Kind::RecordObserved, 0, w.lock);
    QCOMPARE(w.judge().outcomes[std::size_t(Invariant::Ownership)], Outcome::Unknown);
    w.freed(2000, FreedBy::Release, w.b, w.a);
    QCOMPARE(w.judge().outcomes[std::size_t(Invariant::Ownership)], Outcome::Violated);
}

void TestVerdict::aGapOfASimulatedServerHidesNoRelease() {
    HandWritten w;
    w.take(1000, w.a, 4000);
    w.add(1500, Kind::RecordUnobserved, 0, w.lock);
    w.add(1600, Kind::RecordObserved, 0, w.lock);
    QCOMPARE(w.judge().outcomes[std::size_t(Invariant::Ownership)], Outcome::Holds);
}

void TestVerdict::writesWhileTheServersAreDown_data() {
    QTest::addColumn<bool>("watched");
    QTest::addColumn<int>("writtenAt");
    QTest::addColumn<int>("freedBy"); ///< when the servers are back; -1: the hold goes on
    QTest::addColumn<Outcome>("outcome");
    QTest::newRow("the hold goes on") << false << 2000 << -1 << Outcome::Holds;
    QTest::newRow("it has ended meanwhile, after the write") << false << 2000 << int(FreedBy::Expiry) << Outcome::Holds;
    QTest::newRow("it is lost") << false << 2000 << int(FreedBy::NodeLoss) << Outcome::Unknown;
    QTest::newRow("written after its deadline") << false << 4500 << int(FreedBy::Expiry) << Outcome::Unknown;
    QTest::newRow("others may have been there") << true << 2000 << -1 << Outcome::Unknown;
}

void TestVerdict::writesWhileTheServersAreDown() {
    QFETCH(bool, watched);
    QFETCH(int, writtenAt);
    QFETCH(int, freedBy);
    QFETCH(Outcome, outcome);
    HandWritten w;
    if (watched) w.trace->setOriginWallMs(1'700'000'000'000);
    const auto now = [&w] { return w.judge().outcomes[std::size_t(Invariant::StaleWrite)]; };
    w.take(1000, w.a, 4000);
    w.add(1500, Kind::RecordUnobserved, 0, w.lock);
    w.write(writtenAt, w.a);
    QCOMPARE(now(), watched || writtenAt > 4000 ? Outcome::Unknown : Outcome::Holds); // the hold lasts, so far
    QCOMPARE(w.judge({}, true).outcomes[std::size_t(Invariant::StaleWrite)], Outcome::Unknown); // nobody told
    w.add(5000, Kind::RecordObserved, 0, w.lock);
    if (freedBy >= 0) w.freed(5000, FreedBy(freedBy), 0, w.a);
    QCOMPARE(now(), outcome);
    // A later loss says nothing about that write.
    if (freedBy < 0) w.freed(6000, FreedBy::NodeLoss, 0, w.a);
    QCOMPARE(now(), outcome);
}

void TestVerdict::writesOfAHoldWhoseServerDied_data() {
    QTest::addColumn<int>("writtenAt");
    QTest::addColumn<QByteArray>("holder"); ///< by the server that decides next; empty: nobody
    QTest::addColumn<int>("heldAt");
    QTest::addColumn<Outcome>("outcome");
    QTest::newRow("the next one has a copy") << 2000 << QByteArray("A") << 5000 << Outcome::Holds;
    QTest::newRow("it has given the lock away") << 2000 << QByteArray("B") << 5000 << Outcome::Unknown;
    QTest::newRow("it has nothing") << 2000 << QByteArray() << 5000 << Outcome::Unknown;
    QTest::newRow("the same client takes it anew") << 2000 << QByteArray("A") << 5500 << Outcome::Unknown;
    QTest::newRow("written after its deadline") << 4500 << QByteArray("A") << 5000 << Outcome::Unknown;
}

void TestVerdict::writesOfAHoldWhoseServerDied() {
    QFETCH(int, writtenAt);
    QFETCH(QByteArray, holder);
    QFETCH(int, heldAt);
    QFETCH(Outcome, outcome);
    HandWritten w;
    const auto now = [&w] { return w.judge().outcomes[std::size_t(Invariant::StaleWrite)]; };
    w.take(1000, w.a, 4000);
    w.freed(1500, FreedBy::NodeLoss, 0, w.a);
    w.add(1500, Kind::RecordUnobserved, 0, w.lock);
    w.write(writtenAt, w.a);
    QCOMPARE(now(), writtenAt > 4000 ? Outcome::Unknown : Outcome::Holds); // the hold lasts, so far
    QCOMPARE(w.judge({}, true).outcomes[std::size_t(Invariant::StaleWrite)], Outcome::Unknown); // nobody told
    w.add(5000, Kind::RecordObserved, 0, w.lock);
    if (!holder.isEmpty()) w.held(heldAt, holder == "A" ? w.a : w.b, 9000);
    QCOMPARE(now(), outcome);
    // Its end says nothing about that write.
    if (!holder.isEmpty()) w.freed(6000, FreedBy::Expiry, 0, holder == "A" ? w.a : w.b);
    QCOMPARE(now(), outcome);
}

void TestVerdict::whatIsUnknownLaterHeldUntilThen() {
    HandWritten w;
    const auto staleWrite = [&w](int t) { return w.judge().outcomeAt(Invariant::StaleWrite, ms(t)); };
    QCOMPARE(staleWrite(0), Outcome::Unknown); // there is no row yet
    w.take(1000, w.a, 4000);
    w.add(1500, Kind::RecordUnobserved, 0, w.lock);
    w.write(2000, w.a);
    w.trace->reach(ms(3000));
    QCOMPARE(staleWrite(3000), Outcome::Holds);
    w.add(5000, Kind::RecordObserved, 0, w.lock);
    w.freed(5000, FreedBy::NodeLoss, 0, w.a);
    QCOMPARE(staleWrite(3000), Outcome::Holds);
    QCOMPARE(staleWrite(4999), Outcome::Holds);
    QCOMPARE(staleWrite(5000), Outcome::Unknown);
    const QString why = whyUnknown(w.judge(), Invariant::StaleWrite, *w.trace);
    QVERIFY2(why.contains(QLatin1String("The write at 2.000 s")), qPrintable(why)); // told by its own instant
}

void TestVerdict::anOptimisticRecipeHasNoHoldToEnd() {
    HandWritten w;
    w.trace->setOriginWallMs(1'700'000'000'000);
    Bounds bounds;
    bounds.recorded = false;
    const auto ownership = [&] { return w.judge(bounds).outcomes[std::size_t(Invariant::Ownership)]; };
    QCOMPARE(ownership(), Outcome::Unknown); // nothing was seen
    w.request(1000, w.a);
    w.granted(1000, w.a);
    QCOMPARE(ownership(), Outcome::Holds);
    QCOMPARE(w.judge().outcomes[std::size_t(Invariant::Ownership)], Outcome::Unknown); // others keep a record
}

void TestVerdict::progressNeedsAMajorityThatRuns() {
    HandWritten w;
    const trace::EntityId lock = w.trace->intern(trace::EntityKind::Lock, "shared");
    std::vector<trace::EntityId> nodes;
    for (const char* name : {"redis-2", "redis-3", "redis-4"}) {
        nodes.push_back(w.trace->intern(trace::EntityKind::Node, name));
        w.trace->intern(trace::EntityKind::Lock, "shared", nodes.back(), lock);
        w.add(0, Kind::NodeStarted, nodes.back());
    }
    w.started();
    w.add(0, Kind::RecordDecider, 0, lock, 2);
    w.add(1000, Kind::NodeKilled, nodes[0]);
    w.add(1000, Kind::NodePaused, nodes[1]);
    w.add(1000, Kind::Requested, w.a, lock, -1);
    w.trace->reach(ms(20000));
    QCOMPARE(w.violations(Invariant::Progress, {5s}).size(), 0u);
    w.add(20000, Kind::NodeResumed, nodes[1]); // two of three can grant it
    w.trace->reach(ms(26000));
    QCOMPARE(w.violations(Invariant::Progress, {5s}).at(0).from, ms(25000));
}

void TestVerdict::overallAndAsOf() {
    HandWritten w;
    w.take(1000, w.a, 4000);
    w.freed(4000, FreedBy::Expiry, 0, w.a);
    w.take(4100, w.b, 8000);
    w.add(5300, Kind::Lost, w.a, w.lock);
    w.give(7000, w.b);
    const Verdict v = w.judge();
    QCOMPARE(v.overall(), Outcome::Violated);
    QCOMPARE(v.asOf(ms(4099)).overall(), Outcome::Holds);
    QCOMPARE(v.asOf(ms(4099)).violations.size(), 0u);
    const Verdict then = v.asOf(ms(4500));
    QCOMPARE(then.overall(), Outcome::Violated);
    QCOMPARE(then.violations.at(0).to, ms(4500));
    QCOMPARE(then.reached, ms(4500));
    QCOMPARE(v.asOf(ms(60000)).violations, v.violations);
}

void TestVerdict::whatWasUnknownIsNotMadeUpLater() {
    HandWritten w;
    w.trace->setOriginWallMs(1'700'000'000'000);
    w.take(1000, w.a, 9000);
    w.add(1500, Kind::RecordUnobserved, 0, w.lock);
    w.add(1600, Kind::RecordObserved, 0, w.lock);
    const Verdict before = w.judge();
    w.freed(2000, FreedBy::Release, w.b, w.a);
    const Verdict after = w.judge();
    const auto at = [](const Verdict& v, int t) { return v.asOf(ms(t)).outcomes[std::size_t(Invariant::Ownership)]; };
    QCOMPARE(at(before, 1200), Outcome::Holds); // everything was seen by then
    QCOMPARE(at(before, 1700), Outcome::Unknown);
    QCOMPARE(at(after, 1200), Outcome::Holds);
    QCOMPARE(at(after, 1700), Outcome::Unknown);
    QCOMPARE(at(after, 2500), Outcome::Violated);
}

void TestVerdict::finishingClosesOpenViolations() {
    HandWritten w;
    w.granted(1000, w.a);
    w.granted(2000, w.b);
    w.trace->reach(ms(9000));
    QCOMPARE(w.judge({}, false).violations.at(0).to, kNever);
    QCOMPARE(w.judge({}, true).violations.at(0).to, ms(9000));
}

void TestVerdict::anOverlapFromTheLastInstantOnIsSeenAtOnce() {
    HandWritten w; // a run stopped at the very instant at which the second one believes
    w.granted(1000, w.a);
    w.granted(2000, w.b);
    const Verdict v = w.judge();
    QCOMPARE(v.violations.size(), 1u);
    QCOMPARE(v.violations[0].from, ms(2000));
    QCOMPARE(v.violations[0].to, kNever);
    QCOMPARE(v.outcomeAt(Invariant::MutualExclusion, ms(2000)), Outcome::Violated);
    QCOMPARE(w.judge({}, true).violations.size(), 0u); // an overlap of no length is none when nothing follows
    w.trace->reach(ms(2500));
    const Verdict later = w.judge();
    QCOMPARE(later.violations, v.violations); // the same one, not a second
}

void TestVerdict::outcomesAtAnInstant() {
    HandWritten w;
    w.trace->setOriginWallMs(1'700'000'000'000);
    w.take(1000, w.a, 9000);
    w.add(1500, Kind::RecordUnobserved, 0, w.lock);
    w.add(1600, Kind::RecordObserved, 0, w.lock);
    w.granted(3000, w.b);
    w.trace->reach(ms(4000));
    const Verdict v = w.judge();
    QCOMPARE(v.outcomeAt(Invariant::MutualExclusion, ms(2999)), Outcome::Holds);
    QCOMPARE(v.outcomeAt(Invariant::MutualExclusion, ms(3000)), Outcome::Violated);
    QCOMPARE(v.outcomeAt(Invariant::Ownership, ms(1499)), Outcome::Holds);
    QCOMPARE(v.outcomeAt(Invariant::Ownership, ms(1500)), Outcome::Unknown);
}

void TestVerdict::identifiersAreAContract() {
    QByteArrayList ids;
    for (const Invariant i : kInvariants) {
        ids << invariantId(i);
        QVERIFY(!invariantMeaning(i).isEmpty());
    }
    QCOMPARE(ids, (QByteArrayList{"mutual-exclusion", "stale-write", "ownership", "progress", "reentrancy", "fifo",
                                  "token-order", "no-deadlock"}));
}

void TestVerdict::incrementalEqualsAtOnce_data() {
    QTest::addColumn<int>("step");
    for (const int step : {1, 7, 1000})
        QTest::addRow("%d rows at a time", step) << step;
}

void TestVerdict::incrementalEqualsAtOnce() {
    QFETCH(int, step);
    const auto trace = trace::syntheticTrace(20'000, 12, 4);
    Judge once(trace, {500ms}), often(trace, {500ms});
    once.consume();
    std::size_t begun = 0;
    for (std::size_t rows = 0; rows < trace->size(); rows += std::size_t(step)) {
        often.consume(rows);
        QVERIFY(often.begun() >= begun);
        begun = often.begun();
    }
    often.consume();
    QCOMPARE(often.verdict().violations, once.verdict().violations);
    QCOMPARE(often.verdict().outcomes, once.verdict().outcomes);
    QVERIFY(once.verdict().violations.size() > 10);
    QVERIFY(std::ranges::is_sorted(once.verdict().violations, {}, &Violation::from));
}

void TestVerdict::overlapsEqualABruteForceSweep() {
    const auto trace = trace::syntheticTrace(30'000, 10, 9); // one lock
    // How many believe after each row, straight from the states: overlaps are where that is two or more.
    std::vector<std::pair<Nanos, Nanos>> expected;
    trace::State state;
    for (std::size_t i = 0; i < trace->size(); ++i) {
        state.apply(trace->at(i), *trace);
        const auto believers = std::ranges::count_if(
            state.beliefs, [](const auto& b) { return b.second.phase == trace::Belief::Phase::Holding; });
        const bool open = !expected.empty() && expected.back().second == kNever;
        if (believers >= 2 && !open) expected.emplace_back(trace->at(i).time(), kNever);
        if (believers < 2 && open) expected.back().second = trace->at(i).time();
    }
    std::erase_if(expected, [](const auto& span) { return span.first == span.second; });
    Judge judge(trace);
    judge.consume();
    std::vector<std::pair<Nanos, Nanos>> found;
    for (const Violation& v : judge.verdict().violations)
        if (v.invariant == Invariant::MutualExclusion) found.emplace_back(v.from, v.to);
    QCOMPARE(found, expected);
    QVERIFY(found.size() >= 5);
}

QTEST_APPLESS_MAIN(TestVerdict)
#include "tst_verdict.moc"
