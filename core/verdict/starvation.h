// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"
#include "verdict/verdict.h"

#include <map>
#include <set>

namespace lockscope::verdict {

/// Finds waiters that starve: see Starved.
///
/// It is no invariant, since no recipe without a queue promises a turn, and one with a queue is judged by `fifo`. Only
/// readers let others in while they hold, so only while a lock is held by readers without a gap can it be given again
/// and again and yet never be free. A hand-over from the last reader to the next that takes no longer than a message is
/// no gap: the record had none.
class StarvationJudge {
public:
    explicit StarvationJudge(const Bounds& bounds) : m_bound(bounds.progress), m_gap(2 * bounds.roundTrip) {}

    void setBounds(const Bounds& bounds) { m_bound = bounds.progress; }
    /// A thread's belief about a lock changed: it asks, holds, or does neither any more.
    void changed(trace::EntityId lock, trace::EntityId thread, const trace::Belief& belief, Nanos at);
    /// The belief ended without a row of its own.
    void ended(trace::EntityId lock, trace::EntityId thread, Nanos at) { changed(lock, thread, {}, at); }
    /// This client was paused, cut off or suspended, or comes back: what it waits for says nothing of the lock.
    void away(trace::EntityId client, Nanos at, const trace::Trace& trace);
    /// All that were found, by their beginnings; to = kNever: it starves still.
    const std::vector<Starved>& all() const { return m_all; }

private:
    struct Waiter {
        Nanos asked{};
        bool away = false;
        std::uint32_t overtaken = 0;   ///< since the readers' spell began, or since it asked
        std::size_t number = SIZE_MAX; ///< in m_all, once it starves
    };
    struct Lock {
        std::set<trace::EntityId> readers;
        std::map<trace::EntityId, Waiter> waiters;
        Nanos spell = kNever;   ///< since when readers hold it without a gap
        Nanos emptied = kNever; ///< when the last reader left
    };
    void readerComes(Lock& lock, Nanos at);
    void overtake(trace::EntityId id, Lock& lock, Nanos asked, Nanos at);
    void forget(Lock& lock, Nanos at);
    void close(Waiter& waiter, Nanos at);

    Nanos m_bound, m_gap;
    std::map<trace::EntityId, Lock> m_locks;
    std::vector<Starved> m_all;
};

} // namespace lockscope::verdict
