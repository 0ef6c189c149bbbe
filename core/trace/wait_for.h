// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"

#include <vector>

namespace lockscope::trace {

/// One client waits for a lock that another one holds. Clients of our own wait and hold as they believe, others as the
/// servers' records tell. Clients are threads; a client that a rule has joined out of several
/// servers' names is the Client as a whole.
struct WaitEdge {
    EntityId waiter = kNoEntity, lock = kNoEntity, holder = kNoEntity;
    friend auto operator<=>(const WaitEdge&, const WaitEdge&) = default;
};

/// Clients that wait for each other in a ring: none of them goes on by itself.
struct WaitCycle {
    std::vector<WaitEdge> edges; ///< each one's holder is the next one's waiter
    /// The edge whose lock has the most waiters, of equals the first by name: if its holder gives it up, they go on.
    std::size_t weakest = 0;
    std::int64_t freed = 0; ///< how many waiters that lock has
};

/// The waiters and holders of all locks at an instant.
struct WaitGraph {
    std::vector<WaitEdge> edges;   ///< sorted, each once
    std::vector<WaitCycle> cycles; ///< at most one for each group of clients that are tied together
};

/// The client that stands in the graph for a thread: the thread itself, or its Client if a rule joined that.
EntityId partyInGraph(const Trace& trace, EntityId thread);

/// Reads the graph off the beliefs and the records. Waiters and holders without a name are left out, and so are entries
/// that nobody waits behind any more. Two readers of one lock do not wait for each other, nor does anybody of whom it
/// is not known that it wants the lock alone wait for a reader. Cycles are the strongly connected groups (Tarjan 1972),
/// each told by its shortest ring through its lowest entity.
WaitGraph waitGraph(const State& state, const Trace& trace);

/// How many wait for a lock: those that are named, or as many as its server counts.
std::int64_t waiterCount(const State& state, EntityId lock);

/// Since when something lasts.
struct Beginning {
    std::int64_t at =
        kSinceNotTold;  ///< ns of the trace, below 0 where the trace began later; kSinceNotTold: it does not
    bool known = false; ///< false: it was first seen then, and had begun before
};

/// Since when a client of the graph (see partyInGraph()) waits for a lock: as it believes, as the server tells, or as
/// the record first named it, whichever is earliest.
Beginning waitingSince(const State& state, const Trace& trace, EntityId party, EntityId lock);

/// As waitingSince(), of a client that holds the lock.
Beginning holdingSince(const State& state, const Trace& trace, EntityId party, EntityId lock);

} // namespace lockscope::trace
