// SPDX-License-Identifier: Apache-2.0
#include "session/run.h"

#include "sim/world.h"

namespace lockscope::session {

verdict::Bounds boundsFor(const scenario::Scenario& scenario) {
    // A dead holder's lock is free when its lease ends; then a waiter polls or is woken, through time-outs if a reply
    // is lost.
    return {scenario.lock.lease + 3s};
}

RunReport run(const scenario::Scenario& scenario, std::uint64_t seed) {
    RunReport report;
    report.trace = std::make_shared<trace::Trace>();
    {
        sim::World world(scenario, seed, report.trace);
        world.runUntil(scenario.until);
    }
    verdict::Judge judge(report.trace, boundsFor(scenario));
    judge.consume();
    report.verdict = judge.verdict(true);
    for (std::size_t i = 0; i < report.trace->size(); ++i) {
        if (report.trace->kindAt(i) == trace::EventKind::Granted) ++report.acquisitions;
    }
    report.digest = report.trace->digest();
    return report;
}

} // namespace lockscope::session
