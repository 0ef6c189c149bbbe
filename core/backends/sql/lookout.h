// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>
#include <thread>

namespace lockscope::sql {

/// A moment in which a thread stays awake for what another one is about to do. Between threads that answer each other
/// at once, putting one to sleep and waking it costs as much as the statement. Whoever looked out in vain does so ever
/// more rarely, but never gives up; a machine with one processor does not.
///
/// It gives the processor away all the while: on a small machine the server needs this very one.
class Lookout {
public:
    explicit Lookout(std::chrono::nanoseconds longest) : m_longest(longest) {}

    /// True when the condition came true meanwhile. It is asked many times.
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
        // Who gave the processor away and did not get it back for long had better sleep: sleepers are woken first.
        m_misses = came && !late ? 0 : std::min(m_misses + 1, kMostMisses);
        m_abstain = m_misses <= kForgiven ? 0 : (1U << (m_misses - kForgiven)) - 1;
        return came;
    }

private:
    static constexpr unsigned kForgiven = 1;   ///< the end of each exchange is a miss
    static constexpr unsigned kMostMisses = 8; ///< then one time in 128
    std::chrono::nanoseconds m_longest;
    unsigned m_misses = 0;  ///< in a row
    unsigned m_abstain = 0; ///< times still to leave out
};

} // namespace lockscope::sql
