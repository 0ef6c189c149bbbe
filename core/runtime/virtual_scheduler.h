// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace lockscope {

/// Virtual time: a queue of things to do, ordered by (instant, rank, order of asking). Never looks at a real clock.
class VirtualScheduler {
public:
    using Callback = std::function<void()>;
    using TimerId = std::uint64_t;
    /// At equal instants: first what happens by itself, then a scenario's faults, then what a person did by hand, who
    /// saw all the rest of that instant before.
    enum class Rank : std::uint8_t { Normal, Late, Last };

    /// Virtual time, from 0.
    Nanos now() const { return m_now; }
    /// `when` in the past means now.
    TimerId at(Nanos when, Callback callback, Rank rank = Rank::Normal);
    void cancel(TimerId id);

    /// When the next thing is due; nullopt: nothing is.
    std::optional<Nanos> nextAt();
    /// Does the next thing, if it is due by `limit`; false when there is none.
    bool runNext(Nanos limit);
    /// Does everything due by t; then it is t.
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
    void release(std::uint32_t slot);
    bool dropCancelled();

    Nanos m_now{};
    std::uint64_t m_order = 0;
    std::vector<Entry> m_heap;
    std::vector<Slot> m_slots;
    std::vector<std::uint32_t> m_free;
};

} // namespace lockscope
