// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>

namespace lockscope::recipes {

// A new counter of fencing tokens begins at the server's clock, so that tokens keep growing when a server has lost the
// old counter with all its data. The unit is 10 µs since the beginning of 2026. No lock is granted a hundred thousand
// times a second for long, so no counter overtakes the clock. Until the year 2115 the number fits in the 48 bits below
// LockOptions::epoch. Tokens can repeat on a server whose clock was set back by more than the time since the old
// counter began.

/// The instant from which the units are counted, in seconds since 1970.
inline constexpr std::int64_t kTokenEpoch = 1'767'225'600;
/// The number of units in a second.
inline constexpr std::int64_t kTokensInSecond = 100'000;
/// An unused counter expires after this time, where the server can delete it by itself; the next one begins higher.
inline constexpr std::chrono::hours kTokenCounterLife{30 * 24};

/// The first value of a counter that is created at this instant of the server's clock, in seconds since 1970; 0 for an
/// instant before the epoch.
constexpr std::int64_t tokenStart(std::int64_t wallSeconds) {
    return std::max<std::int64_t>(wallSeconds - kTokenEpoch, 0) * kTokensInSecond;
}

} // namespace lockscope::recipes
