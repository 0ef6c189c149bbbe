// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>

namespace lockscope::recipes {

// Where a new counter of fencing tokens begins: at the server's clock, so that tokens go on growing when a server has
// lost the old counter with all its data. In units of 10 µs since the beginning of 2026: no lock is granted a hundred
// thousand times a second for long, so that no counter overtakes the clock; and until the year 2115 the number fits
// below the 48 bits over which LockOptions::epoch stands. A server whose clock was set back by more than what has
// passed since the old counter began can repeat its numbers.

/// What the numbers are counted from, in seconds since 1970.
inline constexpr std::int64_t kTokenEpoch = 1'767'225'600;
/// How many there are in a second.
inline constexpr std::int64_t kTokensInSecond = 100'000;
/// A counter that nobody has used for so long may go, where the server can end it by itself: the next one begins later.
inline constexpr std::chrono::hours kTokenCounterLife{30 * 24};

/// Where a counter begins at an instant of the server's clock, in seconds since 1970; 0 for clocks before the epoch.
constexpr std::int64_t tokenStart(std::int64_t wallSeconds) {
    return std::max<std::int64_t>(wallSeconds - kTokenEpoch, 0) * kTokensInSecond;
}

} // namespace lockscope::recipes
