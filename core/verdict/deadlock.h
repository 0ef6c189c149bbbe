// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"
#include "verdict/ledger.h"

#include <map>

namespace lockscope::verdict {

/// The wait-for graph over all locks has no cycle.
///
/// A thread that waits for a lock waits for the thread that believes to hold it exclusively. A thread that tries once
/// does not wait. A holder that asks for its lock again waits for itself if the recipe does not count holds. Shared
/// holders are left out: nobody can say whether the waiter would join them. A cycle lasts until one of its waits or
/// holds ends, be it by a time-out or a lease; one of no length is none.
class DeadlockJudge {
public:
    explicit DeadlockJudge(Ledger& ledger) : m_ledger(ledger) {}

    /// A thread's belief about a lock changed at `row`; `tries` = it waits not at all.
    void changed(trace::EntityId lock, trace::EntityId thread, const trace::Belief& belief, bool tries, Nanos at,
                 std::size_t row);
    /// A thread asks, by a recipe that does not count, for a lock that it believes to hold. It waits for itself, if it
    /// holds it alone, until it is answered() or holds no more.
    void asksAgain(trace::EntityId lock, trace::EntityId thread, Nanos at, std::size_t row);
    void answered(trace::EntityId lock, trace::EntityId thread, Nanos at);
    /// Everything before `now` is known.
    void timePassed(Nanos now);

private:
    struct Edge {
        trace::EntityId thread, lock, holder; ///< thread waits for lock, which holder holds
    };
    struct Cycle {
        std::vector<Edge> edges;
        Violation violation;
        std::size_t number = SIZE_MAX; ///< in the ledger, once it has a length
    };
    bool holds(trace::EntityId lock, trace::EntityId thread) const;
    bool waits(trace::EntityId thread, trace::EntityId lock) const;
    bool search(trace::EntityId thread, trace::EntityId target, std::vector<Edge>& path) const;
    void look(trace::EntityId thread, Nanos at, std::size_t row);
    void open(std::vector<Edge> edges, Nanos at, std::size_t row);
    void closeBroken(Nanos at);

    Ledger& m_ledger;
    std::map<trace::EntityId, std::vector<trace::EntityId>> m_holders; ///< by lock
    std::map<trace::EntityId, std::vector<trace::EntityId>> m_waits;   ///< the locks that a thread waits for
    std::vector<Cycle> m_open;
    mutable std::vector<trace::EntityId> m_visited;
};

} // namespace lockscope::verdict
