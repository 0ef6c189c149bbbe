// SPDX-License-Identifier: Apache-2.0
// Scenarios on a simulated etcd: the paths that their texts promise are really walked.
#include "scenario_runs.h"

using namespace lockscope;
using namespace lockscope::tests;
using sim::Probe;
using trace::Event;
using trace::EventKind;

namespace {

/// The members that lead, in the order in which they came to.
std::vector<Event> leaders(const trace::Trace& trace) {
    std::vector<Event> found = rows(trace, EventKind::NodeRole);
    std::erase_if(found, [&](const Event& event) { return trace.entity(event.aux).name != "leader"; });
    return found;
}

/// The record of the lock itself, not of a member's copy.
std::vector<Event> recordRows(const trace::Trace& trace, EventKind kind) {
    std::vector<Event> found = rows(trace, kind);
    std::erase_if(found, [&](const Event& event) { return trace.entity(event.subject).parent != trace::kNoEntity; });
    return found;
}

} // namespace

class TestEtcdScenarios : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aLeaseEndsWithoutItsKeepAlives() {
        const auto scenario = builtin("etcd-lease-lost");
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            sim::resetProbes();
            const auto report = experiment::run(scenario, seed);
            QVERIFY(reachedSoFar(Probe::EtcdLeaseEnded) >= 1);
            const Event cut = rows(*report.trace, EventKind::LinkCut).at(0);
            const auto freed = recordRows(*report.trace, EventKind::RecordFreed);
            const auto end = std::ranges::find_if(freed, [&](const Event& e) { return e.time() > cut.time(); });
            QVERIFY(end != freed.end());
            QCOMPARE(reasonOf(*end), trace::FreedBy::Expiry);
            // The last keep-alive came up to a third of the lease before the grant, a second before the cut; a leader
            // looks every half second.
            const Nanos after = end->time() - cut.time();
            QVERIFY2(after > 2s && after < 5600ms, qPrintable(formatDuration(after)));
        }
    }

    /// A client has a session as long as the cluster has a lease of its. A lease that is given back ends none.
    void aLeaseIsTheSessionOfItsClient() {
        using Phase = trace::SessionPhase;
        const auto phasesOf = [](const trace::Trace& trace, trace::EntityId client) {
            std::vector<std::pair<Nanos, Phase>> phases;
            for (const Event& event : rows(trace, EventKind::SessionChanged))
                if (event.actor == client) phases.emplace_back(event.time(), Phase(event.value));
            return phases;
        };
        const auto lost = builtin("etcd-lease-lost");
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(lost, seed);
            const trace::Trace& trace = *report.trace;
            const Event cut = rows(trace, EventKind::LinkCut).at(0);
            const auto freed = recordRows(trace, EventKind::RecordFreed);
            const auto end = std::ranges::find_if(freed, [&](const Event& e) { return e.time() > cut.time(); });
            const auto phases = phasesOf(trace, trace.clientOf(end->aux));
            QVERIFY(!phases.empty() && phases.front().second == Phase::Connected);
            const auto ended = std::ranges::find(phases, Phase::Expired, &std::pair<Nanos, Phase>::second);
            QVERIFY(ended != phases.end());
            QCOMPARE(ended->first, end->time());
        }
        auto calm = builtin("contention");
        calm.recipe = QStringLiteral("etcd-lease");
        const auto report = experiment::run(calm, 1);
        QVERIFY(report.acquisitions > 5);
        for (const Event& event : rows(*report.trace, EventKind::SessionChanged))
            QCOMPARE(Phase(event.value), Phase::Connected);
        QCOMPARE(rows(*report.trace, EventKind::SessionChanged).size(),
                 std::size_t(calm.workload.clients)); // told once
    }

    void aDeadlineOrATokenHelps() {
        auto honoured = builtin("etcd-lease-lost"), checked = honoured;
        honoured.lock.honourDeadline = true;
        checked.lock.token = checked.resource.tokenCheck = true;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto safe = experiment::run(honoured, seed);
            QCOMPARE(outcome(safe, verdict::Invariant::MutualExclusion), verdict::Outcome::Holds);
            const auto refused = experiment::run(checked, seed);
            QVERIFY(!rows(*refused.trace, EventKind::WriteRefused).empty());
            // Once the resource has seen the new holder's token, it takes no older one.
            const auto writes = rows(*refused.trace, EventKind::WriteAccepted);
            QVERIFY(std::ranges::is_sorted(writes, {}, &Event::value));
        }
    }

    void aNewLeaderGivesLeasesTheirTimeAnew() {
        const auto scenario = builtin("etcd-leader-loss");
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            sim::resetProbes();
            const auto report = experiment::run(scenario, seed);
            QVERIFY(reachedSoFar(Probe::EtcdLeasesAnew) >= 1);
            const auto led = leaders(*report.trace);
            QVERIFY(led.size() >= 2 && led[0].actor != led[1].actor);
            const Event died = rows(*report.trace, EventKind::ClientKilled).at(0);
            const auto freed = recordRows(*report.trace, EventKind::RecordFreed);
            const auto end = std::ranges::find_if(freed, [&](const Event& e) { return e.time() > died.time(); });
            QVERIFY(end != freed.end());
            QVERIFY(end->time() - led[1].time() > 6s); // its whole time, from the new leader's beginning on
        }
    }

    void aLeaderWithoutAQuorumStepsDown() {
        const auto scenario = builtin("etcd-quorum-loss");
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            sim::resetProbes();
            const auto report = experiment::run(scenario, seed);
            QVERIFY(reachedSoFar(Probe::EtcdSteppedDown) >= 1);
            const auto led = leaders(*report.trace);
            QVERIFY(led.size() >= 2);
            const Nanos mended = rows(*report.trace, EventKind::LinkMended).at(0).time();
            QVERIFY(led[1].time() < mended); // the others did not wait for it
        }
    }

    void aTransactionWithoutAnAnswerIsSentAgain() {
        const auto scenario = builtin("etcd-lost-reply");
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            sim::resetProbes();
            const auto report = experiment::run(scenario, seed);
            QVERIFY(reachedSoFar(Probe::EtcdAskedAgain) >= 1);
            const auto lost = messages(*report.trace, EventKind::Reply, "txn");
            const auto reply = std::ranges::find(lost, -1, &Event::value);
            QVERIFY(reply != lost.end());
        }
    }

    /// The watch that would have told a waiter breaks, and the waiter looks again.
    void aLostMessageBreaksTheWatchAndNothingElse() {
        auto scenario = builtin("missed-wakeup");
        scenario.recipe = QStringLiteral("etcd-lease");
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            const auto pushes = rows(*report.trace, EventKind::Push);
            QVERIFY(std::ranges::find(pushes, -1, &Event::value) != pushes.end());
        }
    }

    void anOperatorMovesTheLeader() {
        auto scenario = builtin("contention");
        scenario.recipe = QStringLiteral("etcd-lease");
        scenario.setServices({scenario::defaultService(QStringLiteral("etcd"))});
        scenario::Fault handOver;
        handOver.at = 20s;
        handOver.action = scenario::Action::Failover;
        handOver.target = QStringLiteral("leader");
        scenario.faults = {handOver};
        const auto report = experiment::run(scenario, 1);
        QVERIFY(report.verdict.violations.empty());
        const auto led = leaders(*report.trace);
        QCOMPARE(led.size(), std::size_t(2));
        QVERIFY(led[1].time() > 20s && led[1].time() < 20100ms);
    }
};

QTEST_GUILESS_MAIN(TestEtcdScenarios)
#include "tst_etcd_scenarios.moc"
