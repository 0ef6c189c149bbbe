// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "experiment/outcome.h"

#include <functional>

namespace lockscope::experiment {

/// One recipe under one scenario, over several seeds.
struct Cell {
    QString recipe, scenario;
    CellOutcome outcome = CellOutcome::Safe;
    std::array<verdict::Outcome, verdict::kInvariants.size()> invariants{}; ///< by Invariant: the worst of all seeds
    Nanos recovery{};               ///< the longest of all seeds; kNever: no fault, or in some seed no grant after it
    std::uint64_t acquisitions = 0; ///< of all seeds
    std::uint64_t requests = 0;     ///< of all seeds
    Nanos waitP50{}, waitP99{};     ///< percentiles of the waits of all acquisitions; 0: there were none
    std::uint64_t seeds = 0;
    /// The seed that `outcome` tells of, of several the first; with Recovered the one of the longest outage.
    std::uint64_t told = 0;
    std::uint64_t starved = 0; ///< seeds in which a waiter starved to the end
    QString unknown;       ///< why an invariant could not be judged in the first such seed: "seed 7: …", translated
    bool promised = false; ///< the scenario's file promises something for this recipe
    std::optional<CellOutcome> expected; ///< by that promise; nullopt: it leaves the outcome open, or there is none
    bool asExpected = false;             ///< every seed kept what the scenario's file promises, and could be judged
    QString difference;                  ///< of the first seed that did not: "seed 7: …", translated
};

/// Each of these scenarios with each recipe that it can begin with and that `wanted` accepts: by scenario, then in the
/// documentation's order.
std::vector<scenario::Scenario> pairingsOf(const std::vector<scenario::Scenario>& scenarios,
                                           const std::function<bool(const QString& recipe)>& wanted);

/// Runs every scenario with its recipe and the seeds first…last, on all cores. `take` gets the cells on this thread, in
/// order, as soon as each is complete. Precondition: first <= last.
void compare(const std::vector<scenario::Scenario>& pairings, std::uint64_t first, std::uint64_t last,
             const std::function<void(const Cell&)>& take);

} // namespace lockscope::experiment
