// SPDX-License-Identifier: Apache-2.0
// Several locks: each with a record of its own, taken one by one or as one.
#include "program_runs.h"

using namespace lockscope;
using namespace lockscope::tests;
using trace::Belief;
using trace::EventKind;
using verdict::Invariant;
using verdict::Outcome;

namespace {

// Sanitizers take many times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSeeds = 5;
#else
constexpr std::uint64_t kSeeds = 50;
#endif

/// Two clients of each program; the programs take two locks one by one, in their orders: "ab".
scenario::Scenario inTurn(const QByteArray& first, const QByteArray& second, std::optional<Nanos> wait = {}) {
    const auto program = [&](const QByteArray& order) {
        std::vector<scenario::ProgramStep> steps{lasting(Do::Think, 5ms, 20ms)};
        for (const char lock : order) {
            steps.push_back(take(QByteArray(1, lock).constData()));
            if (wait) steps.back().wait = wait;
            steps.push_back(lasting(Do::Work, 10ms, 30ms));
        }
        for (const char lock : {order[1], order[0]})
            steps.push_back(step(Do::Release, QByteArray(1, lock).constData()));
        return steps;
    };
    auto made = programs("redis-reentrant", {{2, program(first)}, {2, program(second)}});
    made.lock.watchdog = 3s;
    addLock(made, "b");
    return made;
}

bool holds(const trace::State& state, trace::EntityId lock, trace::EntityId thread) {
    const auto belief = state.beliefs.find({lock, thread});
    return belief != state.beliefs.end() && belief->second.phase == Belief::Phase::Holding;
}

} // namespace

class tst_program_locks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachLockHasARecordOfItsOwn() {
        auto scenario =
            programs("redis-set", {{2, {step(Do::Think), take("a"), step(Do::Work), step(Do::Release, "a")}},
                                   {2, {step(Do::Think), take("b"), step(Do::Work), step(Do::Release, "b")}}});
        addLock(scenario, "b", "redis-reentrant");
        const auto report = experiment::run(scenario, 1);
        const trace::Trace& trace = *report.trace;
        std::map<QByteArray, int> held;
        for (std::size_t i = 0; i < trace.size(); ++i) {
            const trace::Event event = trace.at(i);
            if (event.kind != EventKind::RecordHeld) continue;
            const QByteArray lock = trace.entity(event.subject).name, who = clientOf(trace, event.actor);
            QCOMPARE(lock, who == "A" || who == "B" ? QByteArray("a") : QByteArray("b"));
            ++held[lock];
        }
        QVERIFY(held["a"] > 10 && held["b"] > 10);
        QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
        // Each lock guards a resource: writes under the one say nothing of the other.
        QVERIFY(count(trace, EventKind::WriteAccepted) > 20);
        QCOMPARE(outcome(report, Invariant::StaleWrite), Outcome::Holds);
    }

    void aCircleOfTwoIsADeadlock() {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const auto report = experiment::run(inTurn("ab", "ba"), seed);
            QCOMPARE(outcome(report, Invariant::NoDeadlock), Outcome::Violated);
            const auto& all = report.verdict.violations;
            const auto cycle = std::ranges::find(all, Invariant::NoDeadlock, &verdict::Violation::invariant);
            QCOMPARE(cycle->actors.size(), std::size_t(2));
            QVERIFY(cycle->wanted.at(0) != cycle->wanted.at(1));
            QCOMPARE(cycle->to, report.verdict.reached); // it lasts
            // Nobody gets anything any more.
            const trace::Trace& trace = *report.trace;
            for (std::size_t i = 0; i < trace.size(); ++i)
                if (trace.kindAt(i) == EventKind::Granted) QVERIFY(Nanos(trace.timeAt(i)) <= cycle->from + 1s);
        }
    }

    void timeOutsEndACircle() {
        int cycles = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const auto report = experiment::run(inTurn("ab", "ba", 500ms), seed);
            for (const verdict::Violation& violation : report.verdict.violations) {
                QCOMPARE(violation.invariant, Invariant::NoDeadlock);
                QVERIFY(violation.to - violation.from <= 600ms);
                ++cycles;
            }
            QVERIFY(report.acquisitions > 40);
        }
        QVERIFY(cycles > 20);
    }

    void oneOrderForAllIsNoCircle() {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const auto report = experiment::run(inTurn("ab", "ab"), seed);
            QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
            QVERIFY(report.acquisitions > 40);
        }
    }

    void severalAsOneAreAllOrNone_data() {
        QTest::addColumn<QByteArray>("recipe");
        for (const char* recipe : {"redis-set", "redis-reentrant", "redis-multi"})
            QTest::newRow(recipe) << QByteArray(recipe);
    }
    void severalAsOneAreAllOrNone() {
        QFETCH(const QByteArray, recipe);
        int timedOut = 0, granted = 0;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            // Named in the two orders: the lock takes them in one.
            const auto both = [](const char* names) {
                return std::vector{step(Do::Think), within(take(names), 300ms), step(Do::Work),
                                   step(Do::Release, names)};
            };
            const auto one = [](const char* name) {
                return std::vector{lasting(Do::Think, 50ms, 300ms), take(name), lasting(Do::Work, 50ms, 400ms),
                                   step(Do::Release, name)};
            };
            auto scenario =
                programs(recipe.constData(), {{1, both("a,b")}, {1, both("b,a")}, {1, one("a")}, {1, one("b")}});
            scenario.until = 15s;
            addLock(scenario, "b");
            const auto report = experiment::run(scenario, seed);
            const trace::Trace& trace = *report.trace;
            const trace::EntityId a = lockOf(trace, "a"), b = lockOf(trace, "b");
            trace::State state;
            for (std::size_t i = 0; i < trace.size(); ++i) {
                const trace::Event event = trace.at(i);
                state.apply(event, trace);
                const QByteArray who = trace::isBelief(event.kind) ? clientOf(trace, event.actor) : QByteArray();
                if (who != "A" && who != "B") continue;
                if (event.kind == EventKind::Granted) {
                    granted += event.subject == a ? 1 : 0;
                    // The server has recorded the hold that the client believes in.
                    QCOMPARE(state.records.at(event.subject).owner, event.actor);
                }
                if (event.kind != EventKind::TimedOut) continue;
                timedOut += event.subject == a ? 1 : 0;
                QVERIFY(state.records[a].owner != event.actor && state.records[b].owner != event.actor);
            }
            atEachInstant(trace, [&](const trace::State& now) {
                for (const char* client : {"A", "B"}) {
                    const trace::EntityId thread = threadOf(trace, client);
                    QCOMPARE(holds(now, a, thread), holds(now, b, thread));
                }
            });
            QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
        }
        QVERIFY2(timedOut > int(kSeeds) / 2 && granted > int(kSeeds),
                 qPrintable(QStringLiteral("%1, %2").arg(timedOut).arg(granted)));
    }

    void theHolderIsTheFirstLocks() {
        auto scenario =
            programs("redis-set", {{1, {take("b"), lasting(Do::Work, 20s, 20s), step(Do::Release, "b")}},
                                   {1, {step(Do::Think), take(), lasting(Do::Work, 10s, 10s), step(Do::Release)}}});
        addLock(scenario, "b");
        scenario::Fault pause;
        pause.action = scenario::Action::PauseClient;
        pause.target = QStringLiteral("holder");
        pause.at = 5s;
        scenario.faults = {pause};
        const auto report = experiment::run(scenario, 1);
        const trace::Trace& trace = *report.trace;
        QByteArrayList paused;
        for (std::size_t i = 0; i < trace.size(); ++i)
            if (trace.kindAt(i) == EventKind::ClientPaused) paused += trace.entity(trace.at(i).actor).name;
        QCOMPARE(paused, QByteArrayList{"B"});
    }

private:
    static trace::EntityId threadOf(const trace::Trace& trace, const QByteArray& client) {
        for (trace::EntityId id = 1; id < trace.entityCount(); ++id)
            if (trace.entity(id).kind == trace::EntityKind::Thread && clientOf(trace, id) == client) return id;
        return trace::kNoEntity;
    }
};

QTEST_GUILESS_MAIN(tst_program_locks)
#include "tst_program_locks.moc"
