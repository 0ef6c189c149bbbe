// SPDX-License-Identifier: Apache-2.0
// A trace tells what happened in the simulation, and the judge blames no client for behaviour that its recipe never
// promised.
#include "experiment/run.h"
#include "session/bounds.h"
#include "sim/fitting_recipes.h"
#include "sim/world.h"
#include "trace/state.h"
#include "verdict/chronicle.h"

#include <QTest>

using namespace lockscope;
using scenario::Action;
using scenario::Fault;
using trace::Event;
using trace::EventKind;
using trace::FreedBy;
using verdict::Invariant;
using verdict::Outcome;

namespace {

scenario::Scenario simple(const char* recipe, int clients, Nanos lease) {
    scenario::Scenario s;
    s.id = s.title = QStringLiteral("truth");
    s.recipe = QString::fromLatin1(recipe);
    s.until = 30s;
    s.lock.lease = lease;
    s.workload.clients = clients;
    return s;
}

Fault fault(Action action, const char* target, Nanos at, std::optional<Nanos> duration = {}, Nanos value = {}) {
    Fault f;
    f.at = at;
    f.action = action;
    f.target = QString::fromLatin1(target);
    f.duration = duration;
    f.value = value;
    return f;
}

Fault when(scenario::Trigger::On on, int nth, Nanos after, Action action, const char* target,
           std::optional<Nanos> duration = {}) {
    Fault f = fault(action, target, Nanos(0), duration);
    f.at.reset();
    f.when = scenario::Trigger{on, nth, after};
    return f;
}

Outcome outcome(const experiment::RunReport& report, Invariant invariant) {
    return report.verdict.outcomes[std::size_t(invariant)];
}

std::vector<Event> rows(const trace::Trace& trace, EventKind kind) {
    std::vector<Event> found;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (trace.kindAt(i) == kind) found.push_back(trace.at(i));
    return found;
}

QByteArray nameOf(const trace::Trace& trace, trace::EntityId id) {
    return trace.entity(trace.clientOf(id)).name;
}

QByteArray at(std::uint64_t seed) {
    return "seed " + QByteArray::number(qulonglong(seed));
}

/// The sentences of all violations of an invariant.
QString sentences(const experiment::RunReport& report, Invariant invariant) {
    QString all;
    for (const verdict::Violation& violation : report.verdict.violations)
        if (violation.invariant == invariant) all += verdict::explain(violation, *report.trace) + u'\n';
    return all;
}

void recipeColumn() {
    QTest::addColumn<QByteArray>("recipe");
    for (const auto& recipe : sim::recipesFor({}))
        QTest::newRow(recipe.id.constData()) << recipe.id;
}

} // namespace

class TestSimulationTruth : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // --- renewals ---
    void lateExpireThatProlongsAnothersHoldBreaksOwnership() {
        // A's SETNX succeeds while the first holder works on beyond its lease; before its PEXPIRE, A is stopped. The
        // first holder's DEL then deletes A's lock, a third client takes it, and A goes on with its PEXPIRE.
        scenario::Scenario s = simple("redis-setnx-expire", 3, 2s);
        s.lock.honourDeadline = false;
        s.workload.hold = {3s, 3s};
        s.workload.think = {1s, 1s};
        s.network.clientLatency = {100ms, 100ms};
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            const auto trace = std::make_shared<trace::Trace>();
            sim::World world(s, seed, trace);
            std::size_t looked = 0;
            // The next row of that kind; nobody's when none comes.
            const auto next = [&](EventKind kind) {
                for (;; ++looked) {
                    while (looked >= trace->size())
                        if (!world.runNext(s.until)) return Event{};
                    if (trace->kindAt(looked) == kind) return trace->at(looked++);
                }
            };
            next(EventKind::RecordHeld);
            const QByteArray a = nameOf(*trace, next(EventKind::RecordHeld).actor);
            QVERIFY(world.apply(fault(Action::PauseClient, a.constData(), world.now())));
            next(EventKind::RecordFreed);
            const QByteArray third = nameOf(*trace, next(EventKind::RecordHeld).actor);
            QVERIFY2(!third.isEmpty() && third != a, at(seed));
            world.runUntil(world.now() + 500ms); // its own PEXPIRE has come
            QVERIFY(world.apply(fault(Action::ResumeClient, a.constData(), world.now())));
            looked = trace->size();
            const Event renewed = next(EventKind::RecordRenewed);
            QCOMPARE(nameOf(*trace, renewed.actor), a);
            world.runUntil(world.now() + 1s);
            verdict::Judge judge(trace, session::boundsFor(s));
            judge.consume();
            QString all;
            for (const verdict::Violation& violation : judge.verdict(true).violations)
                if (violation.invariant == Invariant::Ownership) all += verdict::explain(violation, *trace) + u'\n';
            const QString told = QStringLiteral("%1 renewed orders at ").arg(QString::fromUtf8(a));
            QVERIFY2(all.contains(told) &&
                         all.contains(QStringLiteral("it was %1 that held it").arg(QString::fromUtf8(third))),
                     qPrintable(all));
        }
    }

    void nobodyRenewsWithoutAWatchdog() {
        for (const char* recipe : {"redis-fair", "redis-reentrant", "redis-set", "redis-set-del", "redis-fenced"}) {
            scenario::Scenario s = simple(recipe, 3, 5s);
            s.workload.hold = {2s, 4s};
            const auto report = experiment::run(s, 1);
            QVERIFY(rows(*report.trace, EventKind::RecordHeld).size() > 5);
            QVERIFY2(rows(*report.trace, EventKind::RecordRenewed).empty(), recipe);
            QVERIFY2(rows(*report.trace, EventKind::RecordDeadline).empty(), recipe);
        }
    }

    void overrunIsToldAsSuchWhereOthersQueue() {
        scenario::Scenario s = simple("redis-fair", 3, 5s);
        s.lock.honourDeadline = false;
        s.workload.hold = {6s, 7s};
        s.workload.stopOnLoss = false;
        const auto report = experiment::run(s, 1);
        QVERIFY2(sentences(report, Invariant::MutualExclusion)
                     .contains(QLatin1String("worked for longer than its lease, and nothing renewed it")),
                 qPrintable(sentences(report, Invariant::MutualExclusion)));
    }

    void healingAndStandingStillRenewNothing_data() { recipeColumn(); }
    void healingAndStandingStillRenewNothing() {
        QFETCH(QByteArray, recipe);
        scenario::Scenario s = simple(recipe.constData(), 3, 5s);
        auto trace = std::make_shared<trace::Trace>();
        sim::World world(s, 1, trace);
        Nanos t = 3s; // until somebody has held for a while
        const auto held = [&] {
            trace::State state;
            for (std::size_t i = 0; i < trace->size(); ++i)
                state.apply(trace->at(i), *trace);
            const trace::Record& record = state.records.begin()->second;
            return record.owner != trace::kNoEntity && t.count() - record.leaseFrom > Nanos(1s).count();
        };
        world.runUntil(t);
        while (!held() && t < 20s)
            world.runUntil(t += 100ms);
        QVERIFY(held());
        const std::size_t before = trace->size();
        QVERIFY(world.apply(fault(Action::HealAll, "", t)).has_value());
        for (std::size_t i = before; i < trace->size(); ++i)
            QVERIFY2(!trace::isRecord(trace->kindAt(i)), trace::kindName(trace->kindAt(i)));
    }

    void jumpOfTheServersClockMovesDeadlinesAndRenewsNothing() {
        scenario::Scenario s = simple("redis-set", 1, 5s);
        s.workload.hold = {4s, 4s};
        s.workload.think = {1s, 1s};
        s.network.clientLatency = {100us, 100us};
        s.faults = {fault(Action::JumpClock, "redis-1", 2s, {}, 1s), fault(Action::HealAll, "", 3s)};
        s.until = 4s;
        const auto report = experiment::run(s, 1);
        QVERIFY(rows(*report.trace, EventKind::RecordRenewed).empty());
        const auto held = rows(*report.trace, EventKind::RecordHeld);
        const auto moved = rows(*report.trace, EventKind::RecordDeadline);
        QCOMPARE(held.size(), 1u);
        QCOMPARE(moved.size(), 2u);
        constexpr std::int64_t kRounding = 1'000'000; // TTLs are whole milliseconds
        QVERIFY(std::abs(moved[0].value - (held[0].value - Nanos(1s).count())) <= kRounding);
        QVERIFY(std::abs(moved[1].value - held[0].value) <= kRounding);
        trace::State state;
        for (std::size_t i = 0; i < report.trace->size(); ++i)
            state.apply(report.trace->at(i), *report.trace);
        QCOMPARE(state.records.begin()->second.leaseFrom, held[0].at);
    }

    // --- how holds end ---
    void deadServerIsNoForce() {
        scenario::Scenario s = simple("redis-set", 3, 5s);
        s.workload.hold = {4s, 4s};
        // A holder that reaches the server when it is back would ask, and hear of it.
        s.faults = {when(scenario::Trigger::On::Granted, 2, 500ms, Action::KillNode, "redis-1", 1s),
                    when(scenario::Trigger::On::Granted, 2, 500ms, Action::CutLink, "holder", 4s)};
        const auto report = experiment::run(s, 1);
        const auto freed = rows(*report.trace, EventKind::RecordFreed);
        const auto isLoss = [](const Event& e) { return FreedBy(e.flags & trace::kFreedByMask) == FreedBy::NodeLoss; };
        const auto isForce = [](const Event& e) { return FreedBy(e.flags & trace::kFreedByMask) == FreedBy::Force; };
        QVERIFY(std::ranges::any_of(freed, isLoss));
        QVERIFY(std::ranges::none_of(freed, isForce));
        QVERIFY2(sentences(report, Invariant::MutualExclusion)
                     .contains(QLatin1String("redis-1 died at 5.1 s with the lock of A, and knew nothing of it")),
                 qPrintable(sentences(report, Invariant::MutualExclusion)));
    }

    void loserOfAGetsetRaceHoldsNothing() {
        scenario::Scenario s = simple("redis-setnx", 3, 5s);
        s.until = 40s;
        s.workload.hold = {6s, 7s};
        s.network.clientLatency = {10ms, 20ms}; // two often read the same expired time
        int races = 0;
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const auto report = experiment::run(s, seed);
            const trace::Trace& trace = *report.trace;
            trace::State state;
            for (std::size_t i = 0; i < trace.size(); ++i) {
                const Event e = trace.at(i);
                if (e.kind == EventKind::RecordRenewed && e.actor != state.records[e.subject].owner)
                    ++races; // the loser wrote its expiry over the winner's
                state.apply(e, trace);
                // The client that is granted the lock is its owner on the server, also when another's GETSET came
                // meanwhile.
                if (e.kind == EventKind::Granted) QVERIFY2(state.records[e.subject].owner == e.actor, at(seed));
            }
        }
        QVERIFY(races > 0); // the rare path was reached
    }

    void lockOfSeveralKeysHasARecord() {
        scenario::Scenario s = simple("redis-multi", 3, 5s);
        s.lock.name = QStringLiteral("a,b");
        s.workload.hold = {2s, 4s};
        const auto report = experiment::run(s, 1);
        const auto held = rows(*report.trace, EventKind::RecordHeld);
        const auto granted = rows(*report.trace, EventKind::Granted);
        QVERIFY(granted.size() > 3);
        QVERIFY(held.size() >= granted.size());
        for (const Invariant invariant : {Invariant::StaleWrite, Invariant::Ownership, Invariant::MutualExclusion})
            QCOMPARE(outcome(report, invariant), Outcome::Holds);
        for (const Event& e : held)
            QCOMPARE(report.trace->entity(e.subject).name, QByteArray("a,b"));
    }

    void queueOfAFreeLockIsSeen() {
        scenario::Scenario s = simple("redis-fair", 4, 2s);
        s.workload.hold = {1s, 1s};
        s.faults = {when(scenario::Trigger::On::Requested, 5, 400ms, Action::KillClient, "waiter")};
        const auto report = experiment::run(s, 1);
        // Nobody holds while the dead first waiter is waited for, and the queue is as long as it is.
        trace::State state;
        bool seen = false;
        for (std::size_t i = 0; i < report.trace->size(); ++i) {
            state.apply(report.trace->at(i), *report.trace);
            const trace::Record& record = state.records[report.trace->at(i).subject];
            seen = seen || (record.seen && record.owner == trace::kNoEntity && record.waiters > 1);
        }
        QVERIFY(seen);
    }

    // --- clients ---
    void honouringClientWritesNothingAfterItsDeadline_data() { recipeColumn(); }
    void honouringClientWritesNothingAfterItsDeadline() {
        QFETCH(QByteArray, recipe);
        scenario::Scenario s = simple(recipe.constData(), 3, 5s);
        s.workload.hold = {3500ms, 4500ms};
        s.faults = {when(scenario::Trigger::On::Granted, 2, 300ms, Action::PauseClient, "holder", 8s)};
        int paused = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const auto report = experiment::run(s, seed);
            paused += int(rows(*report.trace, EventKind::ClientPaused).size());
            QVERIFY2(outcome(report, Invariant::StaleWrite) == Outcome::Holds,
                     at(seed) + ' ' + sentences(report, Invariant::StaleWrite).toUtf8());
            QVERIFY2(outcome(report, Invariant::Ownership) != Outcome::Violated || recipe == "redis-setnx",
                     at(seed) + ' ' + sentences(report, Invariant::Ownership).toUtf8());
            QVERIFY2(outcome(report, Invariant::MutualExclusion) == Outcome::Violated, at(seed)); // it believed asleep
        }
        QCOMPARE(paused, 20);
    }

    void faultStrikesAWaiterWhoWaits() {
        for (const char* recipe : {"redis-set", "redis-fair", "redis-set-del"}) {
            scenario::Scenario s = simple(recipe, 3, 5s);
            s.workload.hold = {12s, 13s};
            s.workload.stopOnLoss = false; // one that lost its lock works on, and waits for nothing
            s.faults = {when(scenario::Trigger::On::Granted, 1, 6500ms, Action::PauseClient, "waiter", 2s)};
            for (std::uint64_t seed = 1; seed <= 20; ++seed) {
                const auto report = experiment::run(s, seed);
                const trace::Trace& trace = *report.trace;
                trace::State state;
                for (std::size_t i = 0; i < trace.size(); ++i) {
                    const Event e = trace.at(i);
                    if (e.kind == EventKind::ClientPaused) {
                        const bool waits = std::ranges::any_of(state.beliefs, [&](const auto& entry) {
                            return trace.clientOf(entry.first.second) == e.actor &&
                                   entry.second.phase == trace::Belief::Phase::Waiting;
                        });
                        QVERIFY2(waits, at(seed) + ' ' + recipe);
                    }
                    state.apply(e, trace);
                }
            }
        }
    }

    void everyClientIsThereFromTheStart() {
        scenario::Scenario s = simple("redis-set", 3, 5s);
        s.faults = {fault(Action::KillClient, "A", 1ms)};
        const auto report = experiment::run(s, 1);
        trace::State start;
        for (std::size_t i = 0; i < report.trace->size() && report.trace->timeAt(i) == 0; ++i)
            start.apply(report.trace->at(i), *report.trace);
        QCOMPARE(start.clients.size(), 3u);
        QCOMPARE(start.beliefs.size(), 3u);
    }

    // --- faults that overlap ---
    void longerOfTwoPausesLasts() {
        scenario::Scenario s = simple("redis-set", 3, 5s);
        s.faults = {fault(Action::PauseClient, "A", 5s, 3s), fault(Action::PauseClient, "A", 6s, 10s)};
        const auto resumed = rows(*experiment::run(s, 1).trace, EventKind::ClientResumed);
        QCOMPARE(resumed.size(), 1u);
        QCOMPARE(resumed[0].time(), Nanos(16s));
    }
    void pauseWithoutEndOutlastsOneWith() {
        scenario::Scenario s = simple("redis-set", 3, 5s);
        s.faults = {fault(Action::PauseNode, "redis-1", 5s), fault(Action::PauseNode, "redis-1", 6s, 1s)};
        QVERIFY(rows(*experiment::run(s, 1).trace, EventKind::NodeResumed).empty());
    }
    void resumingEndsAllPauses() {
        scenario::Scenario s = simple("redis-set", 3, 5s);
        s.faults = {fault(Action::PauseClient, "A", 5s, 3s), fault(Action::PauseClient, "A", 6s, 10s),
                    fault(Action::ResumeClient, "A", 7s), fault(Action::PauseClient, "A", 15s)};
        const auto resumed = rows(*experiment::run(s, 1).trace, EventKind::ClientResumed);
        QCOMPARE(resumed.size(), 1u);
        QCOMPARE(resumed[0].time(), Nanos(7s));
    }
    void shorterDelayLeavesTheLongerOne() {
        scenario::Scenario s = simple("redis-set", 3, 5s);
        s.faults = {fault(Action::DelayLink, "A-redis-1", 5s, 10s, 100ms),
                    fault(Action::DelayLink, "A-redis-1", 6s, 2s, 300ms)};
        const auto delays = rows(*experiment::run(s, 1).trace, EventKind::LinkDelayed);
        std::vector<std::pair<Nanos, Nanos>> told;
        for (const Event& e : delays)
            told.emplace_back(e.time(), Nanos(e.value));
        const std::vector<std::pair<Nanos, Nanos>> expected{{5s, 100ms}, {6s, 300ms}, {8s, 100ms}, {15s, 0s}};
        QCOMPARE(told, expected);
    }

    // --- what is promised ---
    void deadFirstWaiterOfAFairLockHasItsTime() {
        scenario::Scenario s = simple("redis-fair", 4, 2s);
        s.workload.hold = {1s, 1s};
        s.faults = {when(scenario::Trigger::On::Requested, 5, 400ms, Action::KillClient, "waiter")};
        int stood = 0; // a dead waiter in the way: nobody got the lock for longer than a lease and some tries
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const auto report = experiment::run(s, seed);
            QVERIFY2(outcome(report, Invariant::Progress) == Outcome::Holds, at(seed));
            Nanos last{};
            for (const Event& e : rows(*report.trace, EventKind::Granted)) {
                stood += e.time() - last > 6s ? 1 : 0;
                last = e.time();
            }
        }
        QVERIFY(stood > 0);
    }

    void sentenceNamesTheDeadFirstWaiter() {
        scenario::Scenario s = simple("redis-fair", 4, 2s);
        s.workload.hold = {1s, 1s};
        s.faults = {when(scenario::Trigger::On::Requested, 5, 400ms, Action::KillClient, "waiter")};
        const auto report = experiment::run(s, 1);
        const auto killed = rows(*report.trace, EventKind::ClientKilled);
        QCOMPARE(killed.size(), 1u);
        verdict::Bounds strict = session::boundsFor(s);
        strict.progress = 5s; // less than the recipe promises: what does the sentence say then?
        strict.follow = nullptr;
        verdict::Judge judge(report.trace, strict);
        judge.consume();
        const verdict::Verdict verdict = judge.verdict(true);
        QString said;
        for (const verdict::Violation& violation : verdict.violations)
            if (violation.invariant == Invariant::Progress) said += verdict::explain(violation, *report.trace);
        const QString name = QString::fromUtf8(report.trace->entity(killed[0].actor).name);
        QVERIFY2(said.contains(name + QLatin1String(", which died at")), qPrintable(said));
        QVERIFY2(said.contains(QLatin1String("a place in the queue")), qPrintable(said));
    }

    void waiterThatWasAwayMayComeLate() {
        scenario::Scenario s = simple("redis-fair", 5, 5s);
        s.until = 60s;
        s.lock.watchdog = 1500ms;
        s.workload.hold = {2s, 4s};
        s.faults = {fault(Action::PauseClient, "A", 5s),
                    fault(Action::CutLink, "B-redis-1", 5s),
                    fault(Action::DelayLink, "C-redis-1", 5s, {}, 700ms),
                    fault(Action::KillClient, "D", 5s),
                    fault(Action::JumpClock, "redis-1", 5s, {}, -2s),
                    fault(Action::PauseNode, "redis-1", 6s),
                    fault(Action::StopWatchdog, "E", 7s),
                    fault(Action::HealAll, "", 15s)};
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const auto report = experiment::run(s, seed);
            QVERIFY2(outcome(report, Invariant::Fifo) == Outcome::Holds,
                     at(seed) + ' ' + sentences(report, Invariant::Fifo).toUtf8());
        }
    }

    void waiterThatIsHeardKeepsItsPlace() {
        // B's requests arrive, the answers are lost, for much longer than a silent waiter may be silent.
        scenario::Scenario s = simple("redis-fair", 3, 5s);
        s.until = 45s;
        s.lock.watchdog = 1500ms;
        s.workload.hold = {25s, 25s};
        for (int i = 0; i < 100; ++i)
            s.faults.push_back(fault(Action::LoseReply, "B", 2s + i * 300ms));
        int waited = 0;
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            const auto report = experiment::run(s, seed);
            const trace::Trace& trace = *report.trace;
            const auto granted = rows(trace, EventKind::Granted);
            if (granted.empty() || nameOf(trace, granted.front().actor) == "B") continue; // it is to wait
            std::int64_t most = 0;
            for (std::size_t i = 0; i < trace.size(); ++i) {
                const Event e = trace.at(i);
                if (e.kind != EventKind::RecordWaiters || e.time() > 20s) continue;
                QVERIFY2(e.value >= most, at(seed)); // nobody leaves the queue while the first holder works
                most = e.value;
            }
            waited += most == 2 ? 1 : 0;
        }
        QVERIFY(waited > 0);
    }

    void lossIsNoStall() {
        for (const char* recipe : {"redis-setnx", "redis-setnx-expire", "redis-set-del", "redis-set", "redis-fair"}) {
            scenario::Scenario s = simple(recipe, 3, 5s);
            s.until = 60s;
            s.network.lossPerMille = 200;
            for (std::uint64_t seed = 1; seed <= 20; ++seed)
                QVERIFY2(outcome(experiment::run(s, seed), Invariant::Progress) == Outcome::Holds,
                         at(seed) + ' ' + recipe);
        }
    }

    void stoppedServerIsNamedAndAJumpBackIsNoReason() {
        scenario::Scenario s = simple("redis-set-del", 2, 5s);
        s.lock.honourDeadline = false;
        s.workload.hold = {3s, 3s};
        s.workload.stopOnLoss = false;
        s.faults = {fault(Action::JumpClock, "redis-1", 500ms, {}, -2s),
                    when(scenario::Trigger::On::Granted, 1, 2s, Action::PauseNode, "redis-1", 8s)};
        int told = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const auto report = experiment::run(s, seed);
            for (const verdict::Violation& violation : report.verdict.violations) {
                const QString said = verdict::explain(violation, *report.trace);
                QVERIFY2(!said.contains(QLatin1String("The clock of redis-1 jumped")), qPrintable(said));
                told += said.contains(QLatin1String("redis-1 was stopped from")) ? 1 : 0;
            }
        }
        QVERIFY(told > 0);
    }
};

QTEST_GUILESS_MAIN(TestSimulationTruth)
#include "tst_simulation_truth.moc"
