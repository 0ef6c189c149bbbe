// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "trace/trace.h"
#include "verdict/verdict.h"

#include <functional>
#include <optional>
#include <stop_token>

namespace lockscope::experiment {

/// A finished simulation: what happened, and the judgement of it.
struct RunReport {
    std::shared_ptr<trace::Trace> trace;
    verdict::Verdict verdict;
    std::uint64_t acquisitions = 0; ///< grants, re-entries not counted
    QStringList reached;            ///< the rare paths of the simulator that the run took, by their probes' names

    /// Equal for equal scenario and seed, on every machine and build. Reads the whole trace.
    QByteArray digest() const { return trace->digest(); }
};

/// Simulates a scenario to its end, as fast as it goes. Any thread; several at once do not disturb each other.
RunReport run(const scenario::Scenario& scenario, std::uint64_t seed);

/// The way of a run back to somebody who waits for it.
struct RunWatch {
    std::stop_token stop{};                     ///< looked at between stretches of the run
    std::function<void(int percent)> tell = {}; ///< from the run's thread, with growing numbers up to 100
};
/// Simulates it likewise, and tells how far it is; nullopt when it was stopped on the way.
std::optional<RunReport> run(const scenario::Scenario& scenario, std::uint64_t seed, const RunWatch& watch);

} // namespace lockscope::experiment
