// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/small_call.h"
#include "trace/time.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace lockscope {

/// Virtual time: a queue of calls ordered by (instant, rank, order of adding). Never reads a real clock.
class VirtualScheduler {
public:
    using Callback = SmallCall;
    using TimerId = std::uint64_t;
    /// Order at equal instants: the simulation's own events, then a scenario's faults, then actions by hand, whose
    /// author has already seen everything else of that instant.
    enum class Rank : std::uint8_t { Normal, Late, Last };

    /// The present virtual time, from 0.
    Nanos now() const { return m_now; }
    /// `when` in the past means now.
    TimerId at(Nanos when, Callback callback, Rank rank = Rank::Normal);
    void cancel(TimerId id);

    /// When the next call is due; nullopt: there is none.
    std::optional<Nanos> nextAt();
    /// Runs the next call if it is due by `limit`; false when there is none.
    bool runNext(Nanos limit);
    /// Runs everything due by `t`; then now() is `t`.
    void runUntil(Nanos t);

private:
    struct Entry {
        Nanos when;
        std::uint64_t order; ///< rank in the top bits
        std::uint32_t slot;
        std::uint32_t generation;
        bool operator<(const Entry& other) const { // std::push_heap keeps the greatest on top: the earliest here
            return when != other.when ? when > other.when : order > other.order;
        }
    };
    struct Slot {
        Callback callback;
        std::uint32_t generation = 1;
    };
    /// A call that was cancelled leaves its entry behind.
    bool isVoid(const Entry& entry) const { return m_slots[entry.slot].generation != entry.generation; }
    void release(std::uint32_t slot);
    void dropCancelled();
    /// Whether the next call is the first of m_soon. Precondition: dropCancelled() ran, and there is a call.
    bool soonIsNext() const;

    Nanos m_now{};
    std::uint64_t m_order = 0;
    std::vector<Entry> m_heap;
    std::deque<Entry> m_soon; ///< added for the instant at which they were added: in their order already
    std::vector<Slot> m_slots;
    std::vector<std::uint32_t> m_free;
};

} // namespace lockscope
