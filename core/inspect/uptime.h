// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <algorithm>

namespace lockscope::inspect {

/// A server's uptime by its own word, in seconds. A program that only speaks the protocol may tell any number.
constexpr Nanos uptimeOf(std::int64_t seconds) {
    constexpr std::int64_t kMost = 4'000'000'000; // some 127 years: there is room to add another time to it
    return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, kMost));
}

} // namespace lockscope::inspect
