// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <vector>

namespace lockscope::experiment {

/// One request for a lock by a thread, and the hold that came of it, as a trace tells of them.
struct ObservedUse {
    trace::EntityId thread = trace::kNoEntity, lock = trace::kNoEntity;
    trace::HoldMode mode = trace::HoldMode::Exclusive;
    std::uint32_t permits = 1; ///< with HoldMode::Permit
    Nanos wait = kNever;       ///< the longest wait that it asked for; kNever: no bound, or it is not known
    Nanos asked{};
    Nanos got = kNever;   ///< kNever: it never held
    Nanos ended = kNever; ///< when it began to give the lock back, or gave up waiting; kNever: not within the stretch
    Nanos done = kNever;  ///< when the lock was given back
    bool gaveUp = false;  ///< the wait ended without the lock
    bool died = false;    ///< its client ended in between: nobody gave the lock back
};

/// The end of a client in the middle of its work.
struct ObservedDeath {
    trace::EntityId thread = trace::kNoEntity;
    Nanos at{};
    bool told = false; ///< a row tells of it; else a lease that ran out does
};

struct ObservedUses {
    std::vector<ObservedUse> uses;     ///< in the order of requests
    std::vector<ObservedDeath> deaths; ///< in time's order
    bool gaps = false;                 ///< records could not be seen for a part of the stretch
};

/// The uses of all locks between two instants of a trace. A client of our own tells by its own words when it asked, got
/// and gave back; of all others the servers' records tell: they asked when they came into the queue, or else when they
/// held. A hold of such a client that ended by its deadline is its death soon after its last renewal. Uses that had
/// begun before `from` begin at `from`: holders first, then waiters in their order. One pass over the rows up to `to`.
ObservedUses observedUses(const trace::Trace& trace, Nanos from, Nanos to);

} // namespace lockscope::experiment
