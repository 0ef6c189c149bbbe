// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>
#include <thread>

namespace lockscope::sql {

/// A short wait in which a thread stays awake for another one's result. Between threads that answer at once, sleeping
/// and waking costs as much as the statement. After vain waits it is tried more and more rarely, but never given up;
/// with a single processor it is not used.
///
/// The thread yields the processor all the while, because on a small machine the server needs it.
class Lookout {
public:
    explicit Lookout(std::chrono::nanoseconds longest) : m_longest(longest) {}

    /// Polls `come` for a while; true when it became true.
    template <typename Condition>
    bool until(Condition come) {
        if (m_abstain > 0) {
            --m_abstain;
            return false;
        }
        static const bool alone = std::thread::hardware_concurrency() < 2;
        if (alone) return false;
        const auto end = std::chrono::steady_clock::now() + m_longest;
        bool came = false, late = false;
        while (!came && !late) {
            std::this_thread::yield();
            came = come();
            late = std::chrono::steady_clock::now() >= end;
        }
        // If others kept the processor for long, sleeping is better: sleepers are woken first.
        m_misses = came && !late ? 0 : std::min(m_misses + 1, kMostMisses);
        m_abstain = m_misses <= kForgiven ? 0 : (1U << (m_misses - kForgiven)) - 1;
        return came;
    }

private:
    static constexpr unsigned kForgiven = 1;   ///< the end of each exchange is a miss
    static constexpr unsigned kMostMisses = 8; ///< then one time in 128
    std::chrono::nanoseconds m_longest;
    unsigned m_misses = 0;  ///< failures in a row
    unsigned m_abstain = 0; ///< attempts still to skip
};

} // namespace lockscope::sql
