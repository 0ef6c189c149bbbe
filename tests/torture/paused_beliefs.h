// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "herd.h"
#include "trace/trace.h"

namespace lockscope::torture {

/// A client that stood still.
struct Stop {
    trace::EntityId client = trace::kNoEntity;
    Nanos from{}, to{}; ///< until it went on, or was killed
};

/// The stops and deaths that the clients and servers of a trace went through.
struct Ordeal {
    std::vector<Stop> stops;
    std::vector<Nanos> serverDeaths;
};

/// Copies the trace, with the same entities, without the beliefs that no recipe can prevent: beliefs of a client that
/// was stopped when its hold ended, from then on until the client learned of that: within a second of going on, or
/// nothing of it is excused. Nor is a hold that began after the client went on, nor the part of one in which it cannot
/// have ended:
/// - a lease or a session lasts at least as long as its holder was going to rely on it;
/// - what a connection holds ends with the server only. A wait is excused like a hold there: the server may have
/// granted
///   it to the stopped one and died.
/// Violations that are left in this trace are a recipe's fault.
std::shared_ptr<const trace::Trace> withoutPausedBeliefs(const trace::Trace& trace, const Ordeal& ordeal,
                                                         recipes::HeldBy heldBy, Nanos lease);

} // namespace lockscope::torture
