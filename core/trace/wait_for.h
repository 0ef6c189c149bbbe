// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"

namespace lockscope::trace {

/// Who waits for whom at one instant: the locks that somebody waits for, their holders, and the circles among them.
/// Clients of our own wait and hold as they believe; others, as the server's record names them.
struct WaitForGraph {
    struct Wait {
        EntityId thread = kNoEntity, lock = kNoEntity;
        std::int64_t since = 0; ///< ns; of a client not ours: when it was first seen in the queue
        friend bool operator==(const Wait&, const Wait&) = default;
    };
    struct Hold {
        EntityId thread = kNoEntity, lock = kNoEntity;
        HoldMode mode = HoldMode::Exclusive;
        bool believed = false; ///< the client acts on it
        bool recorded = false; ///< the server's record names it
        friend bool operator==(const Hold&, const Hold&) = default;
    };
    /// threads[i] waits for locks[i], which the next thread holds alone, the last one's the first thread. A thread can
    /// wait for itself.
    struct Cycle {
        std::vector<EntityId> threads, locks;
        friend bool operator==(const Cycle&, const Cycle&) = default;
    };
    std::vector<Wait> waits;   ///< by lock, then whoever waits longest first
    std::vector<Hold> holds;   ///< of the locks in `waits`, by lock
    std::vector<Cycle> cycles; ///< at least one of each knot
    friend bool operator==(const WaitForGraph&, const WaitForGraph&) = default;

    /// How many waits would end for good if nobody held this lock: those for it, and those that wait for these waiters.
    /// Waits of a circle that only it closes are among them.
    std::size_t freedBy(EntityId lock) const;
};

/// The graph of `state`, a state of `trace`. Shared holders and permits are in `holds`, but close no cycle: nobody can
/// say whether the waiter would join them. Costs the locks and beliefs of the state, and little when nobody waits.
WaitForGraph waitForGraph(const State& state, const Trace& trace);

} // namespace lockscope::trace
