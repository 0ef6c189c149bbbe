// SPDX-License-Identifier: Apache-2.0
#include "experiment/run.h"

#include "session/bounds.h"
#include "sim/probe.h"
#include "sim/world.h"

namespace lockscope::experiment {

RunReport run(const scenario::Scenario& scenario, std::uint64_t seed) {
    RunReport report;
    report.trace = std::make_shared<trace::Trace>();
    const auto before = sim::probeCounts();
    {
        sim::World world(scenario, seed, report.trace);
        world.runUntil(scenario.until);
    }
    for (std::size_t i = 0; i < sim::kProbes; ++i)
        if (sim::probeCounts()[i] > before[i]) report.reached += QString::fromLatin1(sim::probeName(sim::Probe(i)));
    verdict::Judge judge(report.trace, session::boundsFor(scenario));
    judge.consume();
    report.verdict = judge.verdict(true);
    for (std::size_t i = 0; i < report.trace->size(); ++i) {
        if (report.trace->kindAt(i) == trace::EventKind::Granted) ++report.acquisitions;
    }
    report.digest = report.trace->digest();
    return report;
}

} // namespace lockscope::experiment
