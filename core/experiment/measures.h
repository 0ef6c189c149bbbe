// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <vector>

namespace lockscope::experiment {

/// The figures of one finished run.
struct Measures {
    std::vector<Nanos> waits; ///< from each request to its grant, lock by lock; re-entries not counted
    Nanos longestWait{}; ///< of all waits, those included that ended without a grant or with the run, but not by death
    std::uint64_t requests = 0;  ///< requests of clients to servers
    Nanos firstFault = kNever;   ///< when something first went wrong on purpose; kNever: nothing did
    Nanos grantedAgain = kNever; ///< the first grant of any lock after that; kNever: there was none
    /// The longest time after the first fault during which a running client waited for a lock and nobody alive believed
    /// to hold it.
    Nanos outage{};
    bool waitedInVain = false; ///< a running client waited at the end for a lock that nobody alive believed to hold

    /// From the first fault to the next grant; kNever: there was no fault, or no grant after it.
    Nanos recovery() const { return grantedAgain == kNever ? kNever : grantedAgain - firstFault; }
};

/// Measures a run that has ended. Reads the whole trace once.
Measures measure(const trace::Trace& trace);

} // namespace lockscope::experiment
