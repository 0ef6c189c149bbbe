// SPDX-License-Identifier: Apache-2.0
#include "experiment/run.h"

#include "session/bounds.h"
#include "sim/probe.h"
#include "sim/world.h"

namespace lockscope::experiment {

namespace {

constexpr int kStretches = 400; ///< of a run that somebody watches
constexpr int kPlayed = 90;     ///< percent of a run's work, as it is told; the rest is its judgement

/// False: it was stopped.
bool play(sim::World& world, Nanos until, const RunWatch& watch) {
    const int stretches = watch.tell || watch.stop.stop_possible() ? kStretches : 1;
    for (int i = 1; i <= stretches; ++i) {
        if (watch.stop.stop_requested()) return false;
        world.runUntil(i == stretches ? until : until / stretches * i);
        if (watch.tell) watch.tell(kPlayed * i / stretches);
    }
    return !watch.stop.stop_requested();
}

} // namespace

RunReport run(const scenario::Scenario& scenario, std::uint64_t seed) {
    return *run(scenario, seed, {});
}

std::optional<RunReport> run(const scenario::Scenario& scenario, std::uint64_t seed, const RunWatch& watch) {
    RunReport report;
    report.trace = std::make_shared<trace::Trace>();
    const auto before = sim::probeCounts();
    {
        sim::World world(scenario, seed, report.trace);
        if (!play(world, scenario.until, watch)) return std::nullopt;
    }
    for (std::size_t i = 0; i < sim::kProbes; ++i)
        if (sim::probeCounts()[i] > before[i]) report.reached += QString::fromLatin1(sim::probeName(sim::Probe(i)));
    verdict::Judge judge(report.trace, session::boundsFor(scenario));
    judge.consume();
    report.verdict = judge.verdict(true);
    for (std::size_t i = 0; i < report.trace->size(); ++i) {
        if (report.trace->kindAt(i) == trace::EventKind::Granted) ++report.acquisitions;
    }
    if (watch.tell) watch.tell(100);
    return report;
}

} // namespace lockscope::experiment
