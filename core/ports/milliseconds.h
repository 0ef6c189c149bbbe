// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <algorithm>

namespace lockscope {

/// A time that a server tells in milliseconds, or a difference of two. One that is longer than any wait is cut: anybody
/// may let a lock end in the year 9999, which is more than nanoseconds can count.
constexpr Nanos timeOfMs(std::int64_t ms) {
    constexpr std::int64_t kMost = 100 * 366 * std::int64_t(24h / 1ms);
    return std::chrono::milliseconds(std::clamp(ms, -kMost, kMost));
}

/// The instant so many milliseconds after `now`; one that is beyond 90 years of the trace is always the same.
constexpr Nanos instantAfterMs(Nanos now, std::int64_t ms) {
    constexpr Nanos kFarthest = 90 * 366 * 24h;
    return std::min(now + timeOfMs(ms), kFarthest);
}

} // namespace lockscope
