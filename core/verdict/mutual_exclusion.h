// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"
#include "verdict/ledger.h"

#include <map>
#include <optional>

namespace lockscope::verdict {

/// An interval sweep over beliefs: a violation lasts while the clients that believe to hold one lock may not hold it
/// together, and is one violation however many join and leave meanwhile. An exclusive hold goes with no other; readers
/// go together; permits go together up to the lock's capacity, where the trace told it. An overlap of no length (a
/// hand-over within one instant) is none.
class MutualExclusionJudge {
public:
    explicit MutualExclusionJudge(Ledger& ledger) : m_ledger(ledger) {}

    /// How a thread holds a lock; holds nothing by default.
    struct Hold {
        bool holding = false;
        trace::HoldMode mode = trace::HoldMode::Exclusive;
        std::uint32_t permits = 0;
        static Hold of(const trace::Belief& belief) {
            return {belief.phase == trace::Belief::Phase::Holding, belief.mode, belief.permits};
        }
        friend bool operator==(const Hold&, const Hold&) = default;
    };
    /// A thread's belief began, changed or ended.
    void changed(trace::EntityId lock, trace::EntityId thread, const Hold& hold, Nanos at, std::size_t row);
    /// How many permits a lock has.
    void hasCapacity(trace::EntityId lock, std::int64_t permits) { m_locks[lock].capacity = permits; }
    /// Everything before `now` is known: overlaps that began before it have a length.
    void timePassed(Nanos now);
    /// Overlaps that began at the very instant to which the trace has come and go on there. They are no violations yet,
    /// but a picture of that instant already shows two believers.
    std::vector<Violation> pending() const;

private:
    struct Lock {
        std::vector<std::pair<trace::EntityId, Hold>> believers; ///< in order of grant
        std::int64_t capacity = 0;                               ///< 0 = not known
        std::optional<Violation> fresh;                          ///< an overlap that began at this very instant
        std::optional<std::size_t> open;                         ///< its number in the ledger
        bool inConflict() const;
    };
    void file(Lock& lock);

    Ledger& m_ledger;
    std::map<trace::EntityId, Lock> m_locks;
    std::vector<trace::EntityId> m_fresh; ///< locks with a fresh overlap
};

} // namespace lockscope::verdict
