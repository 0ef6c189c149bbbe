// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

namespace lockscope::trace {

class Trace;
struct State;

/// The server that decides from the instant of this RecordFreed on, if its lock ended only because that server does not
/// know it: the one that decided before may run on, and still have it. kNoEntity: the lock ended otherwise.
EntityId newDeciderAt(const Event& freed, const Trace& trace);

/// Whether `dead` of the servers that are known to have a copy leave fewer than the `deciders` that it takes.
bool tooFewDecide(std::int64_t deciders, std::int64_t copies, std::int64_t dead);
/// Whether so many of the independent servers of a lock are dead that nobody can get it. Ensembles tell that
/// themselves, by RecordDecider.
bool lacksMajority(EntityId lock, const Trace& trace, const State& state);

} // namespace lockscope::trace
