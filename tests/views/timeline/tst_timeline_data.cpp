// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenes.h"
#include "synthetic/synthetic.h"
#include "timeline/timeline_loader.h"
#include "timeline/violation_bands.h"
#include "timeline/words.h"
#include "trace/state.h"
#include "trace/trace_time.h"

#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using trace::EventKind;

namespace {

const Lane* laneOf(const TimelineData& data, LaneKind kind, trace::EntityId entity) {
    for (const auto& lane : data.lanes())
        if (lane->kind == kind && lane->entity == entity) return lane.get();
    return nullptr;
}

QString spansText(const Lane& lane) {
    QStringList texts;
    for (std::size_t i = 0; i < lane.spans.size(); ++i) {
        const Span& s = lane.spans[i];
        texts << QStringLiteral("%1:%2-%3").arg(s.state).arg(s.from / 1'000'000).arg(s.open() ? -1 : s.to / 1'000'000);
    }
    return texts.join(QLatin1Char(' '));
}

} // namespace

class TestTimelineData : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aWriteByOneOfSeveralHoldersIsNoDamage() {
        auto trace = std::make_shared<trace::Trace>();
        const auto lock = trace->intern(trace::EntityKind::Lock, "catalogue");
        const auto stock = trace->intern(trace::EntityKind::Resource, "stock", lock);
        std::vector<trace::EntityId> threads;
        for (const char* name : {"A", "B"}) {
            const auto client = trace->intern(trace::EntityKind::Client, name);
            threads.push_back(trace->intern(trace::EntityKind::Thread, "1", client));
        }
        trace->append({1'000'000'000, -1, threads[0], lock, 1, EventKind::RecordHeld});
        for (const auto thread : threads) {
            trace->append({1'000'000'000, 1, thread, lock, 1, EventKind::GrantedAs});
            trace->append({1'000'000'000, 0, thread, lock, 1, EventKind::Granted});
        }
        trace->append({2'000'000'000, 0, threads[1], stock, 0, EventKind::WriteAccepted});
        trace->append({3'000'000'000, 0, threads[1], lock, 0, EventKind::Released});
        trace->append({4'000'000'000, 0, threads[1], stock, 0, EventKind::WriteAccepted}); // holds no more
        TimelineData data(trace);
        data.consume();
        const Lane* lane = laneOf(data, LaneKind::Effect, stock);
        QCOMPARE(lane->ticks.size(), std::size_t(2));
        QCOMPARE(unsigned(lane->ticks[0].kind), unsigned(EffectTick::Accepted));
        QCOMPARE(unsigned(lane->ticks[1].kind), unsigned(EffectTick::Stale));
    }

    // The record names one of those who read; the others are stale when it names nobody any more.
    void readersAreStaleOnceTheRecordIsFree() {
        auto trace = std::make_shared<trace::Trace>();
        const auto lock = trace->intern(trace::EntityKind::Lock, "catalogue");
        std::vector<trace::EntityId> threads;
        for (const char* name : {"A", "B"}) {
            const auto client = trace->intern(trace::EntityKind::Client, name);
            threads.push_back(trace->intern(trace::EntityKind::Thread, "1", client));
        }
        const auto reads = [&](std::int64_t at, trace::EntityId thread) {
            trace->append({at, 1, thread, lock, 1, EventKind::GrantedAs});
            trace->append({at, 0, thread, lock, 1, EventKind::Granted});
        };
        reads(1'000'000'000, threads[0]); // the watcher's look comes a little later
        trace->append({1'001'000'000, -1, threads[0], lock, 1, EventKind::RecordHeld});
        reads(2'000'000'000, threads[1]);
        trace->append({3'000'000'000, 0, threads[0], lock, 0, EventKind::Released});
        trace->append({5'000'000'000, 0, 0, lock, threads[0], EventKind::RecordFreed});
        trace->append({6'000'000'000, 0, threads[1], lock, 0, EventKind::Released});
        TimelineData data(trace);
        data.consume();
        QCOMPARE(spansText(*laneOf(data, LaneKind::Belief, threads[0])), QStringLiteral("1:1000-3000"));
        QCOMPARE(spansText(*laneOf(data, LaneKind::Belief, threads[1])), QStringLiteral("1:2000-5000 2:5000-6000"));
    }

    void aServerThatNobodyLooksAtIsNotUp() {
        auto trace = std::make_shared<trace::Trace>();
        const auto server = trace->intern(trace::EntityKind::Node, "127.0.0.1:6379");
        const auto looks = trace->intern(trace::EntityKind::Client, "lockscope");
        const auto client = trace->intern(trace::EntityKind::Client, "A");
        trace->append({0, 0, server, 0, 0, EventKind::NodeStarted});
        trace->append({0, 0, client, 0, 0, EventKind::ClientStarted});
        trace->append({1'000'000'000, 0, client, server, 0, EventKind::ConnectionLost}); // others see it
        trace->append({2'000'000'000, 0, looks, server, 0, EventKind::ConnectionLost});
        trace->append({5'000'000'000, 0, looks, server, 0, EventKind::ConnectionRestored});
        TimelineData data(trace);
        data.consume();
        QCOMPARE(spansText(*laneOf(data, LaneKind::Node, server)), QStringLiteral("0:0-2000 3:2000-5000 0:5000--1"));
    }

    void aLeaseThatWasNotSeenToBeginIsSaidByItsEnd() {
        auto trace = std::make_shared<trace::Trace>();
        const auto lock = trace->intern(trace::EntityKind::Lock, "orders");
        const auto thread =
            trace->intern(trace::EntityKind::Thread, "1", trace->intern(trace::EntityKind::Client, "stranger"));
        trace->append({0, 4'200'000'000, thread, lock, 1, EventKind::RecordHeld});
        trace->append({2'000'000'000, 32'000'000'000, thread, lock, 1, EventKind::RecordRenewed});
        TimelineData data(trace);
        data.consume();
        const Lane* lane = laneOf(data, LaneKind::Record, lock);
        QCOMPARE(lane->spans.size(), std::size_t(2));
        QCOMPARE(leaseWords(*trace, lane->spans[0]).front(), QStringLiteral("stranger · expires 4.2 s"));
        QVERIFY(leaseWords(*trace, lane->spans[1]).front().contains(QStringLiteral("lease 30")));
    }

    void aPauseLongerThanTheLeaseLeavesABeliefWithoutRecord() {
        const Cast s = gcPause();
        TimelineData data(s.trace);
        data.consume();
        const Lane* a = laneOf(data, LaneKind::Belief, s.a.thread);
        QVERIFY(a);
        // Waits, holds, believes without record from the expiry until the refused release, waits again.
        QCOMPARE(spansText(*a), QStringLiteral("0:780-800 1:800-5800 2:5800-7200 0:8300--1"));
        QVERIFY(a->life);
        QCOMPARE(a->life->spans.size(), std::size_t(1));
        QCOMPARE(a->life->spans[0].from, 3'000'000'000);
        QCOMPARE(a->life->spans[0].to, 7'000'000'000);
        QCOMPARE(a->life->faults.size(), std::size_t(2));
        QCOMPARE(unsigned(a->life->faults[0].kind), unsigned(FaultTick::ByHand));
        QCOMPARE(unsigned(a->life->faults[1].kind), unsigned(FaultTick::Planned));

        const Lane* lock = laneOf(data, LaneKind::Record, s.lock);
        QCOMPARE(spansText(*lock), QStringLiteral("0:799-5800 0:5999-9000 0:9049--1"));
        const Lane* stock = laneOf(data, LaneKind::Effect, s.stock);
        QCOMPARE(stock->ticks.size(), std::size_t(5));
        QCOMPARE(unsigned(stock->ticks[3].kind), unsigned(EffectTick::Stale));
        QCOMPARE(damageWords(data.damage(stock->ticks[3].label)), QStringLiteral("damage: no longer held"));
        // A number that is no token would be taken for one.
        QCOMPARE(laneState(data, *a, Nanos(2s).count()), QStringLiteral("holds"));
        QCOMPARE(data.writeToken(stock->ticks[0]), 0);
        for (std::size_t i = 0; i < stock->ticks.size(); ++i)
            QVERIFY(!tickSentence(data, *stock, stock->ticks[i]).contains(QLatin1Char('#')));
        for (std::size_t i = 0; i < a->spans.size(); ++i)
            QVERIFY(!spanSentence(data, *a, a->spans[i]).contains(QLatin1Char('#')));
    }

    void tokensAreAsLargeAsServersMakeThem() {
        constexpr std::int64_t old = 0x1'0000'0006, fresh = 0x1'0000'0007;
        Cast s;
        for (const auto& [t, who, token] : {std::tuple(1s, s.a, old), std::tuple(3s, s.b, fresh)}) {
            s.at(t, EventKind::RecordHeld, who.thread, s.lock, Nanos(t + 5s).count(), 1);
            s.at(t, EventKind::RecordToken, 0, s.lock, token);
            s.at(t, EventKind::Granted, who.thread, s.lock, token, 1);
            s.at(t + 1s, EventKind::WriteAccepted, who.thread, s.stock, token);
        }
        s.at(5s, EventKind::WriteAccepted, s.a.thread, s.stock, old);
        s.at(6s, EventKind::WriteRefused, s.a.thread, s.stock, 5);
        s.trace->reach(7s);
        TimelineData data(s.trace);
        data.consume();
        const Lane* b = laneOf(data, LaneKind::Belief, s.b.thread);
        QVERIFY2(laneState(data, *b, Nanos(4s).count()).contains(QStringLiteral("#4294967303")),
                 qPrintable(laneState(data, *b, Nanos(4s).count())));
        const Lane* stock = laneOf(data, LaneKind::Effect, s.stock);
        QCOMPARE(stock->ticks.size(), std::size_t(4));
        QCOMPARE(unsigned(stock->ticks[0].kind), unsigned(EffectTick::Accepted));
        QVERIFY(tickSentence(data, *stock, stock->ticks[0]).contains(QStringLiteral("#4294967302")));
        QVERIFY(tickSentence(data, *stock, stock->ticks[1]).contains(QStringLiteral("#4294967303")));
        QCOMPARE(unsigned(stock->ticks[2].kind), unsigned(EffectTick::Stale));
        QCOMPARE(damageWords(data.damage(stock->ticks[2].label)),
                 QStringLiteral("damage: #4294967302 after #4294967303"));
        QVERIFY(tickSentence(data, *stock, stock->ticks[3]).contains(QStringLiteral("#5")));
    }

    void aBeliefEndsByItsOwnDeadline() {
        Cast s;
        s.ask(1s, s.a);
        s.at(2s, EventKind::RecordHeld, s.a.thread, s.lock, 5'000'000'000, 1);
        s.at(2s, EventKind::Granted, s.a.thread, s.lock, 0, 1);
        s.at(2s, EventKind::BelievedUntil, s.a.thread, s.lock, std::chrono::nanoseconds(5s).count());
        s.trace->reach(3s);
        TimelineData data(s.trace);
        data.consume();
        const Lane* a = laneOf(data, LaneKind::Belief, s.a.thread);
        QCOMPARE(a->endOf(a->spans.back(), 3'000'000'000), 3'000'000'000);
        QCOMPARE(a->endOf(a->spans.back(), 9'000'000'000), 5'000'000'000); // nothing has to happen for it to end
        s.at(8s, EventKind::ClientPaused, s.b.client);
        data.consume();
        QCOMPARE(spansText(*a), QStringLiteral("0:1000-2000 1:2000-5000"));
    }

    void whatWasNotObservedIsAGap() {
        Cast s;
        s.at(1s, EventKind::RecordHeld, s.a.thread, s.lock, -1, 1);
        s.at(2s, EventKind::RecordUnobserved, 0, s.lock);
        s.at(5s, EventKind::RecordObserved, 0, s.lock);
        s.at(6s, EventKind::RecordFreed, 0, s.lock, 0, s.a.thread);
        TimelineData data(s.trace);
        data.consume();
        QCOMPARE(spansText(*laneOf(data, LaneKind::Record, s.lock)),
                 QStringLiteral("0:1000-2000 1:2000-5000 0:5000-6000"));
    }

    void nobodyRenewsAtTheEndOfAGap() {
        Cast s;
        s.at(0s, EventKind::ClientStarted, s.a.client); // our own: its holds are seen from their beginning
        s.at(1s, EventKind::RecordHeld, s.a.thread, s.lock, Nanos(9s).count(), 1);
        s.at(2s, EventKind::RecordUnobserved, 0, s.lock);
        s.at(4s, EventKind::RecordObserved, 0, s.lock);
        s.at(5s, EventKind::RecordRenewed, s.a.thread, s.lock, Nanos(12s).count(), 1);
        s.at(6s, EventKind::RecordUnobserved, 0, s.lock);
        s.at(7s, EventKind::RecordObserved, 0, s.lock);
        s.trace->reach(8s);
        TimelineData data(s.trace);
        data.consume();
        const Lane* lock = laneOf(data, LaneKind::Record, s.lock);
        const auto span = [&](Nanos t) { return lock->spans[lock->spans.firstEndingAfter(t.count())]; };
        QVERIFY(!(span(4500ms).flags & kRenewedFlag));
        QVERIFY(span(4500ms).flags & kResumedFlag);
        QVERIFY2(spanSentence(data, *lock, span(4500ms)).contains(QStringLiteral("since 1.000 s")),
                 qPrintable(spanSentence(data, *lock, span(4500ms))));
        QVERIFY(span(5500ms).flags & kRenewedFlag);
        QVERIFY(!(span(7500ms).flags & kRenewedFlag));
        QVERIFY2(spanSentence(data, *lock, span(7500ms)).contains(QStringLiteral("renewed at 5.000 s")),
                 qPrintable(spanSentence(data, *lock, span(7500ms))));
    }

    void aDeadlineThatNobodyMovedRefillsNoLease() {
        Cast s;
        s.at(0s, EventKind::ClientStarted, s.a.client);
        s.at(1s, EventKind::RecordHeld, s.a.thread, s.lock, Nanos(6s).count(), 1);
        // Half a lease later the server's clock is set back by a second: nobody renewed.
        s.at(3500ms, EventKind::RecordDeadline, s.a.thread, s.lock, Nanos(7s).count(), 2500);
        s.trace->reach(5s);
        TimelineData data(s.trace);
        data.consume();
        const Lane* lock = laneOf(data, LaneKind::Record, s.lock);
        QCOMPARE(lock->spans.size(), std::size_t(2));
        const Span& moved = lock->spans[1];
        QVERIFY(!(moved.flags & kRenewedFlag));
        const Lease lease = leaseOf(*s.trace, moved);
        QCOMPARE(lease.from, Nanos(1s).count()); // as old as it was
        QVERIFY(lease.fraction(moved.from) < 0.6);
        QVERIFY2(spanSentence(data, *lock, moved).contains(QStringLiteral("since 1.000 s, expires at 7.000 s")),
                 qPrintable(spanSentence(data, *lock, moved)));
    }

    void aLeaseThatWasNotSeenToBeginHasNoWedge() {
        Cast s;
        s.trace->setOriginWallMs(1'700'000'000'000);
        s.at(1s, EventKind::RecordHeld, s.a.thread, s.lock, Nanos(9s).count(), 1);
        s.at(4s, EventKind::RecordRenewed, s.a.thread, s.lock, Nanos(14s).count(), 1);
        s.trace->reach(8s);
        TimelineData data(s.trace);
        data.consume();
        const Lane* lock = laneOf(data, LaneKind::Record, s.lock);
        QCOMPARE(lock->spans.size(), std::size_t(2));
        QVERIFY(!leaseOf(*s.trace, lock->spans[0]).fractionKnown());
        const QString sentence = spanSentence(data, *lock, lock->spans[0]);
        const QString seen = QStringLiteral("already when first seen at %1,").arg(instantText(*s.trace, 1s));
        QVERIFY2(sentence.contains(seen), qPrintable(sentence));
        QVERIFY2(sentence.contains(QStringLiteral("The length of its lease is not known")), qPrintable(sentence));
        // The renewal was seen: from there on its length is known.
        QVERIFY(leaseOf(*s.trace, lock->spans[1]).fractionKnown());
        QVERIFY(!spanSentence(data, *lock, lock->spans[1]).contains(QStringLiteral("not known")));
    }

    void aGuessIsSaidToBeOne() {
        Cast s;
        s.trace->setOriginWallMs(1'700'000'000'000);
        s.at(1s, EventKind::RecordCertainty, 0, s.lock, std::int64_t(trace::Certainty::Guess));
        s.at(1s, EventKind::RecordHeld, s.a.thread, s.lock, Nanos(9s).count(), 1);
        s.at(4s, EventKind::RecordCertainty, 0, s.lock, std::int64_t(trace::Certainty::Certain));
        s.trace->reach(8s);
        TimelineData data(s.trace);
        data.consume();
        const Lane* lock = laneOf(data, LaneKind::Record, s.lock);
        QCOMPARE(lock->spans.size(), std::size_t(2));
        const QString before = laneState(data, *lock, Nanos(2s).count()),
                      after = laneState(data, *lock, Nanos(5s).count());
        QVERIFY2(before.startsWith(QStringLiteral("perhaps held by A")), qPrintable(before));
        QVERIFY2(after.startsWith(QStringLiteral("held by A")), qPrintable(after));
        QVERIFY(spanSentence(data, *lock, lock->spans[0]).contains(QStringLiteral("only a guess")));
        QVERIFY(leaseWords(*s.trace, lock->spans[0]).front().startsWith(QStringLiteral("perhaps A")));
        QCOMPARE(leaseOf(*s.trace, lock->spans[1]).deadline, Nanos(9s).count()); // the same hold, nobody renewed it
        QVERIFY(!(lock->spans[1].flags & kRenewedFlag));
    }

    void whatAServerHeldBeforeTheFirstLookIsNotKnown() {
        Cast s;
        s.at(3s, EventKind::RecordHeld, s.a.thread, s.lock, Nanos(9s).count(), 1);
        TimelineData data(s.trace);
        data.consume();
        const Lane* lock = laneOf(data, LaneKind::Record, s.lock);
        QCOMPARE(laneState(data, *lock, Nanos(1s).count()), QStringLiteral("free")); // a simulated server begins empty
        s.trace->setOriginWallMs(1'700'000'000'000);
        QCOMPARE(laneState(data, *lock, Nanos(1s).count()), QStringLiteral("not observed"));
    }

    void everyClientHasALaneFromItsStartOn() {
        auto trace = std::make_shared<trace::Trace>();
        const auto node = trace->intern(trace::EntityKind::Node, "redis-1");
        const auto orders = trace->intern(trace::EntityKind::Lock, "orders", node);
        std::vector<trace::EntityId> clients, threads;
        for (const char* name : {"A", "B", "C"}) {
            clients.push_back(trace->intern(trace::EntityKind::Client, name));
            threads.push_back(trace->intern(trace::EntityKind::Thread, "1", clients.back()));
        }
        for (const auto client : clients)
            trace->append({.at = 0, .actor = client, .kind = EventKind::ClientStarted});
        TimelineData data(trace);
        data.consume();
        for (const auto thread : threads)
            QVERIFY(laneOf(data, LaneKind::Belief, thread));
        // Killed before it ever asked.
        trace->append({.at = Nanos(500ms).count(), .actor = clients[0], .kind = EventKind::ClientKilled});
        trace->append(
            {.at = Nanos(900ms).count(), .actor = threads[1], .subject = orders, .kind = EventKind::Requested});
        trace->reach(2s);
        data.consume();
        QCOMPARE(laneState(data, *laneOf(data, LaneKind::Belief, threads[0]), Nanos(1s).count()),
                 QStringLiteral("dead"));
        int beliefs = 0;
        for (const auto& lane : data.lanes())
            beliefs += lane->kind == LaneKind::Belief;
        QCOMPARE(beliefs, 3); // the one that asked goes on in the lane that it had
    }

    void whoTookItWhileNobodyLookedHasItsOwnLease() {
        Cast s;
        s.at(1s, EventKind::RecordHeld, s.a.thread, s.lock, Nanos(3s).count(), 1);
        s.at(2s, EventKind::RecordUnobserved, 0, s.lock);
        s.at(4s, EventKind::RecordHeld, s.b.thread, s.lock, Nanos(9s).count(), 1); // our own client's: it knows
        s.at(5s, EventKind::RecordObserved, 0, s.lock);
        s.at(6s, EventKind::RecordUnobserved, 0, s.lock);
        s.at(7s, EventKind::RecordRenewed, s.b.thread, s.lock, Nanos(12s).count());
        s.at(8s, EventKind::RecordObserved, 0, s.lock);
        TimelineData data(s.trace);
        data.consume();
        const Lane* lock = laneOf(data, LaneKind::Record, s.lock);
        const auto lease = [&](Nanos t) {
            return leaseOf(*s.trace, lock->spans[lock->spans.firstEndingAfter(t.count())]);
        };
        QCOMPARE(lease(5500ms).owner, s.b.thread);
        QCOMPARE(lease(5500ms).deadline, Nanos(9s).count());
        QCOMPARE(lease(8500ms).owner, s.b.thread);
        QCOMPARE(lease(8500ms).deadline, Nanos(12s).count());
    }

    void aCrashEndsBeliefAndCutsAreKept() {
        Cast s;
        s.at(0s, EventKind::ClientStarted, s.a.client);
        s.ask(1s, s.a);
        s.at(2s, EventKind::LinkCut, 0, s.a.link, 0, 0, trace::kFault);
        s.at(3s, EventKind::ClientKilled, s.a.client, 0, 0, 0, trace::kFault | trace::kByHand);
        s.at(4s, EventKind::Healed, 0);
        s.trace->reach(5s);
        TimelineData data(s.trace);
        data.consume();
        QCOMPARE(spansText(*laneOf(data, LaneKind::Belief, s.a.thread)), QStringLiteral("0:1000-3000"));
        QCOMPARE(spansText(*laneOf(data, LaneKind::Link, s.a.link)), QStringLiteral("0:2000-4000"));
        QCOMPARE(data.faults().size(), std::size_t(3));
    }

    void aSessionThatIsInDoubtOrOverHasItsLabel() {
        Cast s;
        const auto session = [&](Nanos t, trace::SessionPhase phase) {
            s.at(t, EventKind::SessionChanged, s.a.client, s.node, std::int64_t(phase));
        };
        session(1s, trace::SessionPhase::Connected);
        session(2s, trace::SessionPhase::Suspended);
        session(3s, trace::SessionPhase::Expired);
        session(4s, trace::SessionPhase::GivenUp); // no server has said so
        s.trace->reach(5s);
        TimelineData data(s.trace);
        data.consume();
        QCOMPARE(data.faults().size(), std::size_t(3));
        QCOMPARE(faultLabel(*s.trace, data.faults()[2]), QStringLiteral("session given up by A"));
        QVERIFY(faultSentence(*s.trace, data.faults()[2]).contains(QLatin1String("by its own clock")));
        QCOMPARE(data.faults()[0].at, Nanos(2s).count());
        QCOMPARE(faultLabel(*s.trace, data.faults()[0]), QStringLiteral("session of A suspended"));
        QVERIFY(faultSentence(*s.trace, data.faults()[0]).contains(QLatin1String("its locks are kept")));
        QCOMPARE(data.faults()[1].at, Nanos(3s).count());
        QCOMPARE(faultLabel(*s.trace, data.faults()[1]), QStringLiteral("session of A expired"));
        QVERIFY(faultSentence(*s.trace, data.faults()[1]).contains(QLatin1String("its locks are freed")));
    }

    void aDelayIsTheSameBeforeAndAfterACut() {
        Cast s;
        s.at(1s, EventKind::LinkDelayed, 0, s.a.link, Nanos(500ms).count(), 0, trace::kFault);
        s.at(2s, EventKind::LinkCut, 0, s.a.link, 0, 0, trace::kFault);
        s.at(4s, EventKind::LinkMended, 0, s.a.link, 0, 0, trace::kFault);
        s.trace->reach(5s);
        TimelineData data(s.trace);
        data.consume();
        const Lane* link = laneOf(data, LaneKind::Link, s.a.link);
        QCOMPARE(spansText(*link), QStringLiteral("1:1000-2000 0:2000-4000 1:4000--1"));
        QCOMPARE(s.trace->at(link->spans[0].row).value, Nanos(500ms).count());
        QCOMPARE(s.trace->at(link->spans[2].row).value, Nanos(500ms).count());
    }

    void lanesAgreeWithTheStateAtAnyInstant() {
        const auto trace = trace::syntheticTrace(30'000, 12, 5);
        TimelineData data(trace);
        data.consume();
        trace::StateIndex index(trace);
        int holding = 0;
        for (std::int64_t t = 0; t < data.now(); t += data.now() / 200) {
            const trace::State state = index.at(Nanos(t));
            for (const auto& lane : data.lanes()) {
                if (lane->kind != LaneKind::Belief) continue;
                const std::size_t i = lane->spans.firstEndingAfter(t);
                const bool on = i < lane->spans.size() && lane->spans[i].from <= t;
                const bool holds = on && lane->spans[i].state != unsigned(BeliefState::Waiting);
                const auto belief = state.beliefs.find({lane->other, lane->entity});
                const auto phase = belief == state.beliefs.end() ? trace::Belief::Phase::Idle : belief->second.phase;
                QCOMPARE(holds, phase == trace::Belief::Phase::Holding);
                QCOMPARE(on && !holds, phase == trace::Belief::Phase::Waiting);
                if (holds && belief->second.token == 0)
                    QCOMPARE(std::uint32_t(lane->spans[i].label), belief->second.grant);
                holding += holds;
                if (!holds) continue;
                const bool stale = state.records.at(lane->other).owner != lane->entity;
                QCOMPARE(lane->spans[i].state == unsigned(BeliefState::Stale), stale);
            }
        }
        QVERIFY(holding > 100);
    }

    void foldingInPiecesGivesTheSame() {
        const auto trace = trace::syntheticTrace(20'000, 8, 9);
        TimelineData whole(trace), pieces(trace);
        whole.consume();
        for (std::size_t row = 0; row < trace->size(); row += 777)
            pieces.consume(row);
        pieces.consume();
        QCOMPARE(pieces.lanes().size(), whole.lanes().size());
        for (std::size_t i = 0; i < whole.lanes().size(); ++i) {
            QCOMPARE(spansText(*pieces.lanes()[i]), spansText(*whole.lanes()[i]));
            QCOMPARE(pieces.lanes()[i]->ticks.size(), whole.lanes()[i]->ticks.size());
        }
    }

    void aLongTraceIsFoldedOnAnotherThread() {
        const auto trace = trace::syntheticTrace(200'000, 10, 2);
        TimelineLoader loader;
        QSignalSpy finished(&loader, &TimelineLoader::finished);
        loader.open(trace);
        QVERIFY(loader.isBusy());
        QVERIFY(finished.wait(60'000));
        QCOMPARE(loader.rows(), trace->size());
        QVERIFY(!loader.isBusy());
    }

    void cancellingKeepsWhatIsThere() {
        const auto trace = trace::syntheticTrace(300'000, 10, 2);
        TimelineLoader loader;
        loader.open(trace);
        loader.cancel();
        QVERIFY(!loader.isBusy());
        QVERIFY(loader.rows() <= trace->size());
        QCOMPARE(loader.rows(), loader.data()->rows());
        loader.grow();
        QTRY_COMPARE_WITH_TIMEOUT(loader.rows(), trace->size(), 60'000);
    }

    void bandsCoverEveryViolationAtEveryZoom() {
        const auto trace = trace::syntheticTrace(100'000, 10, 4);
        FixedSession session(trace);
        const auto verdict = session.verdict();
        QVERIFY(verdict->violations.size() > 20);
        ViolationBands bands;
        bands.setVerdict(verdict);
        const std::int64_t now = trace->reached().count();
        for (const double width : {50.0, 900.0, 30'000.0}) {
            const TimelineCoordinates c(0, now, width);
            std::vector<std::pair<double, double>> drawn;
            bands.visit(c, now, [&](const ViolationBands::Band&, double x, double w) { drawn.emplace_back(x, x + w); });
            for (const verdict::Violation& v : verdict->violations) {
                const double x = c.x(v.from.count());
                QVERIFY(std::any_of(drawn.begin(), drawn.end(), [&](auto d) {
                    return d.first <= x + ViolationBands::kLeastWidth && d.second >= x - ViolationBands::kLeastWidth;
                }));
                const auto at = bands.at(v.from.count(), 0, now);
                QVERIFY(!at.empty());
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestTimelineData)
#include "tst_timeline_data.moc"
