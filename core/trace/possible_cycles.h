// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/wait_for.h"

namespace lockscope::trace {

/// Whether the thread of a client is told by a long number, as processes draw one each time that they start, and not
/// counted as threads within one process are. Clients of one name with such threads may be one client: a script that
/// takes one lock within another has a process for each.
bool isProcessOfItsOwn(const QByteArray& thread);

/// Rings that close only if clients of one name are one client, though they are told as processes of their own
/// (isProcessOfItsOwn()): possible deadlocks, which are none of graph.cycles. Each edge's holder has the name of the
/// next one's waiter.
std::vector<WaitCycle> possibleCycles(const WaitGraph& graph, const State& state, const Trace& trace);

} // namespace lockscope::trace
