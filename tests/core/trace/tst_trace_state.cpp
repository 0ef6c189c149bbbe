// SPDX-License-Identifier: Apache-2.0
#include "synthetic/synthetic.h"
#include "trace/state.h"

#include <QRandomGenerator>
#include <QTest>

using namespace lockscope;
using namespace lockscope::trace;

/// A world of one lock, two clients and a node, to write rows by hand.
struct World {
    std::shared_ptr<Trace> trace = std::make_shared<Trace>();
    EntityId a = trace->intern(EntityKind::Client, "A"), a1 = trace->intern(EntityKind::Thread, "1", a);
    EntityId b = trace->intern(EntityKind::Client, "B"), b1 = trace->intern(EntityKind::Thread, "1", b);
    EntityId node = trace->intern(EntityKind::Node, "redis-1");
    EntityId link = trace->intern(EntityKind::Link, {}, a, node);
    EntityId lock = trace->intern(EntityKind::Lock, "orders", node);
    EntityId resource = trace->intern(EntityKind::Resource, "stock", lock);

    void add(std::int64_t at, EventKind kind, EntityId actor, EntityId subject = 0, std::int64_t value = 0,
             std::uint32_t aux = 0, std::uint8_t flags = 0) {
        trace->append({at, value, actor, subject, aux, kind, flags});
    }
    State at(std::int64_t t) const { return StateIndex(trace).at(Nanos(t)); }
    Belief belief(std::int64_t t, EntityId thread) const {
        const State s = at(t);
        const auto found = s.beliefs.find({lock, thread});
        return found == s.beliefs.end() ? Belief{} : found->second;
    }
    Record record(std::int64_t t) const { return at(t).records[lock]; }
};

using Phase = Belief::Phase;
using Life = ClientState::Life;

class TestTraceState : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void beliefFollowsGrantAndRelease();
    void beliefEndsBy_data();
    void beliefEndsBy();
    void reentryCountsHolds();
    void ownDeadlineEndsBelief();
    void killEndsBeliefsOfItsThreadsOnly();
    void whoStartsInPlaceOfASleeperIsAwake();
    void recordFollowsTheServer();
    void grantsAreNumbered();
    void lifeOfClientsNodesAndLinks();
    void oneWayOfALinkIsCut();
    void clocksDrift();
    void lostReplyDisarmsItsLink();
    void theCopyOfARequestDisarmsItsLink();
    void effects();
    void indexEqualsNaiveFold_data();
    void indexEqualsNaiveFold();
    void indexFollowsAGrowingTrace();
    void canBePreparedInSlices();
    void staysWithin32BytesAnEvent();
};

void TestTraceState::beliefFollowsGrantAndRelease() {
    World w;
    w.add(10, EventKind::Requested, w.a1, w.lock, -1);
    w.add(20, EventKind::Granted, w.a1, w.lock, 33, 1);
    w.add(30, EventKind::Renewed, w.a1, w.lock);
    w.add(40, EventKind::ReleaseSent, w.a1, w.lock);
    w.add(50, EventKind::Released, w.a1, w.lock);
    QCOMPARE(w.belief(9, w.a1).phase, Phase::Idle);
    QCOMPARE(w.belief(10, w.a1).phase, Phase::Waiting);
    QCOMPARE(w.belief(20, w.a1).phase, Phase::Holding);
    QCOMPARE(w.belief(20, w.a1).token, 33);
    QCOMPARE(w.belief(20, w.a1).lastRenewal, -1);
    QCOMPARE(w.belief(35, w.a1).lastRenewal, 30);
    QCOMPARE(w.belief(35, w.a1).since, 20);
    QCOMPARE(w.belief(40, w.a1).phase, Phase::Idle);
    QCOMPARE(w.belief(60, w.a1).since, 40);
}

void TestTraceState::beliefEndsBy_data() {
    QTest::addColumn<int>("kind");
    for (const EventKind k : {EventKind::Lost, EventKind::ReleaseRefused, EventKind::ReleaseFailed,
                              EventKind::ReleaseSent, EventKind::Released})
        QTest::newRow(kindName(k)) << int(k);
}

void TestTraceState::beliefEndsBy() {
    QFETCH(int, kind);
    World w;
    w.add(20, EventKind::Granted, w.a1, w.lock, 0, 1);
    w.add(30, EventKind::RenewFailed, w.a1, w.lock);
    w.add(30, EventKind::RenewRefused, w.a1, w.lock);
    w.add(40, static_cast<EventKind>(kind), w.a1, w.lock);
    QCOMPARE(w.belief(39, w.a1).phase, Phase::Holding);
    QCOMPARE(w.belief(40, w.a1).phase, Phase::Idle);
    QCOMPARE(w.belief(40, w.a1).holds, 0u);
}

void TestTraceState::reentryCountsHolds() {
    World w;
    w.add(10, EventKind::Granted, w.a1, w.lock, 0, 1);
    w.add(15, EventKind::Requested, w.a1, w.lock, -1);
    w.add(20, EventKind::Reentered, w.a1, w.lock, 0, 2);
    w.add(30, EventKind::ReleaseSent, w.a1, w.lock);
    w.add(35, EventKind::Released, w.a1, w.lock, 0, 1);
    w.add(40, EventKind::ReleaseSent, w.a1, w.lock);
    QCOMPARE(w.belief(15, w.a1).phase, Phase::Holding);
    QCOMPARE(w.belief(20, w.a1).holds, 2u);
    QCOMPARE(w.belief(20, w.a1).since, 10);
    QCOMPARE(w.belief(30, w.a1).phase, Phase::Holding);
    QCOMPARE(w.belief(35, w.a1).holds, 1u);
    QCOMPARE(w.belief(40, w.a1).phase, Phase::Idle);
}

void TestTraceState::ownDeadlineEndsBelief() {
    World w;
    w.add(10, EventKind::Granted, w.a1, w.lock, 0, 1);
    w.add(10, EventKind::BelievedUntil, w.a1, w.lock, 100);
    w.add(50, EventKind::BelievedUntil, w.a1, w.lock, 200);
    w.add(500, EventKind::Step, w.b1, w.lock, 0, 1);
    QCOMPARE(w.belief(100, w.a1).phase, Phase::Holding);
    QCOMPARE(w.belief(199, w.a1).phase, Phase::Holding);
    QCOMPARE(w.belief(200, w.a1).phase, Phase::Idle);
    QCOMPARE(w.belief(600, w.a1).since, 200);
    w.add(600, EventKind::BelievedUntil, w.a1, w.lock, 900); // too late: it does not bring the lock back
    QCOMPARE(w.belief(700, w.a1).phase, Phase::Idle);
    w.add(800, EventKind::Granted, w.a1, w.lock, 0, 1);
    QCOMPARE(w.belief(950, w.a1).phase, Phase::Holding);
}

void TestTraceState::killEndsBeliefsOfItsThreadsOnly() {
    World w;
    w.add(10, EventKind::Granted, w.a1, w.lock, 0, 1);
    w.add(10, EventKind::Granted, w.b1, w.lock, 0, 1);
    w.add(20, EventKind::ClientKilled, w.a);
    QCOMPARE(w.belief(20, w.a1).phase, Phase::Idle);
    QCOMPARE(w.belief(20, w.b1).phase, Phase::Holding);
    QCOMPARE(w.at(20).clients[w.a].life, Life::Dead);
}

void TestTraceState::whoStartsInPlaceOfASleeperIsAwake() {
    World w;
    w.add(5, EventKind::Granted, w.a1, w.lock, 0, 1);
    w.add(10, EventKind::ClientPaused, w.a);
    w.add(20, EventKind::ClientKilled, w.a);
    w.add(30, EventKind::ClientStarted, w.a);
    w.add(40, EventKind::Granted, w.a1, w.lock, 0, 1);
    w.add(40, EventKind::BelievedUntil, w.a1, w.lock, 100);
    QCOMPARE(w.belief(99, w.a1).phase, Phase::Holding);
    QCOMPARE(w.belief(100, w.a1).phase, Phase::Idle);
}

void TestTraceState::recordFollowsTheServer() {
    World w;
    w.add(10, EventKind::RecordHeld, w.a1, w.lock, 110, 1);
    w.add(15, EventKind::RecordWaiters, 0, w.lock, 4);
    w.add(20, EventKind::RecordToken, 0, w.lock, 8);
    w.add(40, EventKind::RecordRenewed, w.a1, w.lock, 140, 1);
    w.add(50, EventKind::RecordRenewed, w.a1, w.lock, 140, 2);
    w.add(60, EventKind::RecordUnobserved, 0, w.lock);
    w.add(70, EventKind::RecordObserved, 0, w.lock);
    w.add(140, EventKind::RecordFreed, 0, w.lock, 0, w.a1, int(FreedBy::Expiry));
    Record r = w.record(30);
    QCOMPARE(r.owner, w.a1);
    QCOMPARE(r.deadline, 110);
    QCOMPARE(r.leaseFrom, 10);
    QCOMPARE(r.waiters, 4);
    QCOMPARE(r.token, 8);
    r = w.record(55);
    QCOMPARE(r.deadline, 140);
    QCOMPARE(r.leaseFrom, 40);
    QCOMPARE(r.since, 10);
    QCOMPARE(r.holds, 2u);
    QVERIFY(!w.record(60).observed);
    QVERIFY(w.record(70).observed);
    QCOMPARE(w.record(139).owner, w.a1); // a record ends only when the server says so
    QCOMPARE(w.record(140).owner, kNoEntity);
    QCOMPARE(w.record(140).grants, 1u);
}

void TestTraceState::grantsAreNumbered() {
    World w;
    w.add(10, EventKind::Requested, w.a1, w.lock, -1);
    w.add(11, EventKind::RecordHeld, w.a1, w.lock, 100, 1);
    w.add(12, EventKind::RecordFreed, 0, w.lock, 0, w.a1, int(FreedBy::Expiry));
    w.add(13, EventKind::Requested, w.b1, w.lock, -1);
    w.add(14, EventKind::RecordHeld, w.b1, w.lock, 200, 1);
    w.add(15, EventKind::Granted, w.b1, w.lock, 0, 1);
    w.add(16, EventKind::Granted, w.a1, w.lock, 0, 1); // its reply came late: it is still the first grant
    QCOMPARE(w.belief(16, w.b1).grant, 2u);
    QCOMPARE(w.belief(16, w.a1).grant, 1u);
    QCOMPARE(w.record(16).grants, 2u);

    World late; // watched from outside: the record is seen after the grant
    late.add(10, EventKind::Granted, late.a1, late.lock, 0, 1);
    late.add(20, EventKind::RecordHeld, late.a1, late.lock, 100, 1);
    QCOMPARE(late.belief(20, late.a1).grant, 1u);
    QCOMPARE(late.record(20).grants, 1u);
}

void TestTraceState::lifeOfClientsNodesAndLinks() {
    World w;
    w.add(1, EventKind::ClientStarted, w.a);
    w.add(1, EventKind::NodeStarted, w.node);
    w.add(2, EventKind::ClientPaused, w.a);
    w.add(3, EventKind::WatchdogStopped, w.a);
    w.add(4, EventKind::LinkCut, 0, w.link);
    w.add(5, EventKind::LinkDelayed, 0, w.link, 77);
    w.add(6, EventKind::ClockJumped, w.node, 0, -5);
    w.add(6, EventKind::ClockJumped, w.a, 0, 9);
    w.add(7, EventKind::NodePaused, w.node);
    w.add(8, EventKind::Healed, 0);
    w.add(9, EventKind::NodeKilled, w.node);
    State s = w.at(7);
    QCOMPARE(s.clients[w.a].life, Life::Paused);
    QCOMPARE(s.clients[w.a].since, 2);
    QVERIFY(s.clients[w.a].watchdogStopped);
    QCOMPARE(s.clients[w.a].clockOffset, 9);
    QVERIFY(s.links[w.link].cut);
    QCOMPARE(s.links[w.link].extraLatency, 77);
    QCOMPARE(s.nodes[w.node].clockOffset, -5);
    QCOMPARE(s.nodes[w.node].life, Life::Paused);
    s = w.at(8);
    QCOMPARE(s.clients[w.a].life, Life::Running);
    QCOMPARE(s.nodes[w.node].life, Life::Running);
    QCOMPARE(s.links[w.link], LinkState{});
    QCOMPARE(w.at(9).nodes[w.node].life, Life::Dead);
}

void TestTraceState::oneWayOfALinkIsCut() {
    World w;
    w.add(1, EventKind::LinkCut, 0, w.link, 1);
    w.add(2, EventKind::LinkCut, 0, w.link, 0);
    w.add(3, EventKind::LinkCut, 0, w.link, 2);
    w.add(4, EventKind::LinkMended, 0, w.link);
    QCOMPARE(w.at(1).links[w.link].ways, trace::CutWays::Forth);
    QCOMPARE(w.at(2).links[w.link].ways, trace::CutWays::Both);
    QCOMPARE(w.at(3).links[w.link].ways, trace::CutWays::Back);
    QVERIFY(w.at(3).links[w.link].cut);
    QCOMPARE(w.at(4).links[w.link], LinkState{});
    QCOMPARE(trace::cutWays(7), trace::CutWays::Both); // of a recording that is damaged
}

void TestTraceState::clocksDrift() {
    constexpr std::int64_t kSecond = 1'000'000'000;
    World w;
    const auto drift = [&](std::int64_t at, EntityId party, const char* gain) {
        w.add(at, EventKind::SettingChanged, party, 0, 0, w.trace->text(gain));
    };
    w.add(1, EventKind::ClientStarted, w.a);
    drift(kSecond, w.a, "drift=250ms");
    drift(kSecond, w.node, "drift=-50ms");
    w.add(3 * kSecond, EventKind::ClockJumped, w.node, 0, 7 * kSecond);
    w.add(3 * kSecond, EventKind::ClockJumped, w.a, 0, 7 * kSecond);
    drift(5 * kSecond, w.a, "drift=0s");
    w.add(8 * kSecond, EventKind::ClientStarted, w.a);
    w.add(9 * kSecond, EventKind::Healed, 0);
    State s = w.at(2 * kSecond);
    QCOMPARE(s.clients[w.a].clockGain, kSecond / 4);
    QCOMPARE(s.clients[w.a].offsetAt(2 * kSecond), kSecond / 4);
    QCOMPARE(s.nodes[w.node].offsetAt(2 * kSecond), -kSecond / 20);
    s = w.at(4 * kSecond);
    // A server's clock is set to that offset; a client counts on by what it has gained.
    QCOMPARE(s.nodes[w.node].offsetAt(4 * kSecond), 7 * kSecond - kSecond / 20);
    QCOMPARE(s.clients[w.a].offsetAt(4 * kSecond), 7 * kSecond + 3 * kSecond / 4);
    s = w.at(6 * kSecond);
    QCOMPARE(s.clients[w.a].clockGain, 0);
    QCOMPARE(s.clients[w.a].offsetAt(6 * kSecond), 8 * kSecond);
    QCOMPARE(w.at(8 * kSecond).clients[w.a].offsetAt(8 * kSecond), 7 * kSecond); // a new process
    s = w.at(9 * kSecond);
    QCOMPARE(static_cast<trace::WallClock&>(s.clients[w.a]), trace::WallClock{});
    QCOMPARE(static_cast<trace::WallClock&>(s.nodes[w.node]), trace::WallClock{});
}

void TestTraceState::lostReplyDisarmsItsLink() {
    World w;
    w.add(1, EventKind::ReplyLossArmed, 0, w.link);
    w.add(2, EventKind::Reply, w.node, w.b, -1);
    w.add(3, EventKind::Reply, w.node, w.a, 100);
    w.add(4, EventKind::Reply, w.node, w.a, -1);
    QVERIFY(w.at(3).links[w.link].replyLossArmed);
    QVERIFY(!w.at(4).links[w.link].replyLossArmed);
}

void TestTraceState::theCopyOfARequestDisarmsItsLink() {
    World w;
    w.add(1, EventKind::RepeatArmed, 0, w.link);
    w.add(2, EventKind::Request, w.a, w.node, 100);
    QVERIFY(w.at(2).links[w.link].repeatArmed);
    w.add(3, EventKind::Request, w.a, w.node, 100, 0, trace::kFault);
    QVERIFY(!w.at(3).links[w.link].repeatArmed);
}

void TestTraceState::effects() {
    World w;
    w.add(1, EventKind::WriteAccepted, w.a1, w.resource, 5);
    w.add(2, EventKind::WriteRefused, w.b1, w.resource, 4);
    const ResourceState r = w.at(2).resources[w.resource];
    QCOMPARE(r.accepted, 1);
    QCOMPARE(r.refused, 1);
    QCOMPARE(r.lastWriter, w.a1);
    QCOMPARE(r.lastToken, 5);
}

void TestTraceState::indexEqualsNaiveFold_data() {
    QTest::addColumn<uint>("clients");
    QTest::newRow("1 client") << 1u;
    QTest::newRow("8 clients") << 8u;
    QTest::newRow("200 clients") << 200u;
}

void TestTraceState::indexEqualsNaiveFold() {
    QFETCH(uint, clients);
    const auto trace = syntheticTrace(100'000, clients, 5);
    QRandomGenerator random(clients);
    std::vector<std::int64_t> times;
    for (int i = 0; i < 60; ++i)
        times.push_back(std::int64_t(random.generate64() % std::uint64_t(trace->reached().count())));
    times.push_back(0);
    times.push_back(trace->reached().count() + 1'000'000'000'000);
    std::vector<std::int64_t> sorted = times;
    std::sort(sorted.begin(), sorted.end());

    std::map<std::int64_t, State> expected;
    State naive;
    for (const std::int64_t t : sorted) {
        while (naive.rows < trace->size() && trace->timeAt(naive.rows) <= t)
            naive.apply(trace->at(naive.rows), *trace);
        State then = naive;
        then.passTime(t);
        expected.emplace(t, then);
    }
    StateIndex index(trace);
    for (const std::int64_t t : times)
        QVERIFY(index.at(Nanos(t)) == expected.at(t)); // in random order
    for (const std::int64_t t : sorted)
        QVERIFY(index.at(Nanos(t)) == expected.at(t));
    QVERIFY(!expected.at(sorted.back()).beliefs.empty());
}

void TestTraceState::indexFollowsAGrowingTrace() {
    World w;
    StateIndex index(w.trace);
    QCOMPARE(index.at(5ns).rows, 0u);
    w.add(1, EventKind::Granted, w.a1, w.lock, 0, 1);
    QCOMPARE(index.at(5ns).rows, 1u);
    w.add(5, EventKind::Released, w.a1, w.lock);
    QCOMPARE(index.at(5ns).rows, 2u);
    QCOMPARE(index.at(4ns).rows, 1u);
    QCOMPARE(index.atRow(99).rows, 2u);
}

void TestTraceState::canBePreparedInSlices() {
    const auto trace = syntheticTrace(10'000, 8, 5);
    StateIndex index(trace), other(trace);
    int slices = 1;
    while (!index.prepare(3000))
        ++slices;
    QCOMPARE(slices, 4);
    QVERIFY(index.prepare(SIZE_MAX));
    QVERIFY(index.at(trace->reached()) == other.at(trace->reached()));
}

void TestTraceState::staysWithin32BytesAnEvent() {
    for (const unsigned clients : {3u, 200u}) {
        const auto trace = syntheticTrace(200'000, clients, 1);
        StateIndex index(trace);
        index.at(trace->reached());
        const double perEvent = double(trace->memoryBytes() + index.memoryBytes()) / double(trace->size());
        QVERIFY2(perEvent <= 32.0, qPrintable(QString::number(perEvent)));
        QVERIFY(index.memoryBytes() > 0);
    }
}

QTEST_APPLESS_MAIN(TestTraceState)
#include "tst_trace_state.moc"
