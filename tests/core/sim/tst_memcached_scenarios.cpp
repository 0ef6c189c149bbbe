// SPDX-License-Identifier: Apache-2.0
// Scenarios on a simulated memcached: the paths that their texts promise are really walked.
#include "scenario_runs.h"

using namespace lockscope;
using namespace lockscope::tests;
using sim::Probe;
using trace::Event;
using trace::EventKind;

namespace {

/// How the holder's record ended when the server dropped it.
std::optional<Event> freedAfter(const trace::Trace& trace, Nanos at) {
    for (const Event& event : rows(trace, EventKind::RecordFreed))
        if (event.time() >= at) return event;
    return std::nullopt;
}

} // namespace

class TestMemcachedScenarios : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRestartForgetsTheLock() {
        const auto scenario = builtin("memcached-restart");
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            sim::resetProbes();
            const auto report = experiment::run(scenario, seed);
            QCOMPARE(reachedSoFar(Probe::MemcachedForgot), std::uint64_t(1));
            const Event killed = rows(*report.trace, EventKind::NodeKilled).at(0);
            const auto freed = freedAfter(*report.trace, killed.time());
            QVERIFY(freed && freed->time() == killed.time());
            QCOMPARE(reasonOf(*freed), trace::FreedBy::NodeLoss);
            // The holder asks when it is connected again, and hears that its item is gone.
            const auto lost = rows(*report.trace, EventKind::Lost);
            QVERIFY(!lost.empty() && lost.front().time() > killed.time());
            QCOMPARE(lost.front().actor, freed->aux);
        }
    }
};

QTEST_GUILESS_MAIN(TestMemcachedScenarios)
#include "tst_memcached_scenarios.moc"
