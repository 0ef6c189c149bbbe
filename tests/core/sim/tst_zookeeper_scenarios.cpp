// SPDX-License-Identifier: Apache-2.0
// Scenarios on a simulated ZooKeeper: the paths that their texts promise are really walked.
#include "scenario_runs.h"

using namespace lockscope;
using namespace lockscope::tests;
using trace::Event;
using trace::EventKind;

namespace {

/// The phases of a client's session after an instant, in their order.
std::vector<trace::SessionPhase> phasesAfter(const trace::Trace& trace, trace::EntityId client, Nanos from) {
    std::vector<trace::SessionPhase> phases;
    for (const Event& event : rows(trace, EventKind::SessionChanged))
        if (event.actor == client && event.time() >= from) phases.push_back(trace::SessionPhase(event.value));
    return phases;
}

using trace::SessionPhase;

} // namespace

class tst_zookeeper_scenarios : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aSuspendedHolderKeepsItsLock() {
        const auto scenario = builtin("zk-suspended");
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            const trace::Trace& trace = *report.trace;
            const Nanos from = rows(trace, EventKind::NodeKilled).at(0).time();
            const auto grants = rows(trace, EventKind::Granted);
            const auto next = std::ranges::find_if(grants, [&](const Event& e) { return e.time() > from; });
            QVERIFY(next != grants.begin());
            const trace::EntityId holder = trace.clientOf(std::prev(next)->actor);
            const auto phases = phasesAfter(trace, holder, from);
            const auto broken = std::ranges::find(phases, SessionPhase::Suspended);
            QVERIFY(broken != phases.end() && std::next(broken) != phases.end());
            QCOMPARE(*std::next(broken), SessionPhase::Connected);
            QVERIFY(next == grants.end() || next->time() > from + 8s); // it kept the lock meanwhile
            QVERIFY(rows(trace, EventKind::Lost).empty());
        }
    }

    void aHolderIsNotToldOfTheOneBeforeIt() {
        // The news of the release and the answer to the new holder's request are lost with one connection, and the
        // server that it goes to lags: it tells of the release again, to a client that finds its own node there.
        auto scenario = builtin("missed-wakeup");
        scenario.recipe = QStringLiteral("zk-ephemeral");
        for (std::uint64_t seed = 1; seed <= 10 * kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            QVERIFY2(rows(*report.trace, EventKind::Lost).empty(), QByteArray::number(qulonglong(seed)));
            QCOMPARE(outcome(report, verdict::Invariant::Progress), verdict::Outcome::Holds);
        }
    }

    void aSessionEndsWhileItsClientSleeps() {
        const auto scenario = builtin("zk-session-expiry");
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            const trace::Trace& trace = *report.trace;
            const Event paused = rows(trace, EventKind::ClientPaused).at(0);
            const auto freed = rows(trace, EventKind::RecordFreed);
            const auto end = std::ranges::find_if(freed, [&](const Event& e) { return e.time() > paused.time(); });
            QVERIFY(end != freed.end());
            // From T to T + 1.5 ticks after the last sign of life, which came a third of T before the pause at most.
            const Nanos after = end->time() - paused.time();
            QVERIFY2(after > 5s - 5s / 3 && after < 6600ms, qPrintable(formatDuration(after)));
        }
    }

    /// The resource refuses what a lock cannot: the write of one whose session is over.
    void tokensRefuseTheLateWrite() {
        auto scenario = builtin("zk-session-expiry");
        scenario.lock.token = scenario.resource.tokenCheck = true;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            QCOMPARE(outcome(report, verdict::Invariant::StaleWrite), verdict::Outcome::Holds);
            QVERIFY(!rows(*report.trace, EventKind::WriteRefused).empty());
        }
    }

    void aLostReplyBreaksTheConnectionAndNothingElse() {
        const auto scenario = builtin("zk-lost-reply");
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            const trace::Trace& trace = *report.trace;
            const Event armed = rows(trace, EventKind::ReplyLossArmed).at(0);
            const auto phases = phasesAfter(trace, armed.actor, armed.time());
            QVERIFY(phases.size() >= 2);
            QCOMPARE(phases[0], SessionPhase::Suspended);
            QCOMPARE(phases[1], SessionPhase::Connected);
        }
    }

    void withoutAQuorumNobodyGetsIn() {
        const auto scenario = builtin("zk-leader-loss");
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            const trace::Trace& trace = *report.trace;
            const auto killed = rows(trace, EventKind::NodeKilled), started = rows(trace, EventKind::NodeStarted);
            QCOMPARE(killed.size(), std::size_t(2));
            QVERIFY(killed[0].actor != killed[1].actor);
            QVERIFY(started.at(0).time() > killed[1].time());
            const Nanos lost = killed[1].time() + 1s, back = started[0].time();
            QVERIFY(lost < back);
            for (const Event& granted : rows(trace, EventKind::Granted))
                QVERIFY(granted.time() < lost || granted.time() > back);
            QVERIFY(rows(trace, EventKind::Granted).back().time() > back); // and then somebody does
        }
    }

    /// A fault at a step of a recipe comes between the step and its request.
    void aFaultAtAStepComesBeforeItsRequest() {
        auto scenario = builtin("contention");
        scenario.recipe = QStringLiteral("zk-mutex");
        scenario::Fault pause;
        pause.when = scenario::Trigger{.on = scenario::Trigger::On::Step, .nth = 3, .step = 1};
        pause.action = scenario::Action::PauseClient;
        pause.target = QStringLiteral("same");
        pause.duration = 2s;
        scenario.setServices({scenario::defaultService(QStringLiteral("zookeeper"))});
        scenario.faults = {pause};
        const auto report = experiment::run(scenario, 1);
        const trace::Trace& trace = *report.trace;
        const Event paused = rows(trace, EventKind::ClientPaused).at(0);
        const auto requests = rows(trace, EventKind::Request);
        const auto next = std::ranges::find_if(
            requests, [&](const Event& e) { return e.actor == paused.actor && e.time() >= paused.time(); });
        QVERIFY(next != requests.end());
        QVERIFY(next->time() >= paused.time() + 2s);
    }
};

QTEST_GUILESS_MAIN(tst_zookeeper_scenarios)
#include "tst_zookeeper_scenarios.moc"
