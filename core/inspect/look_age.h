// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <algorithm>

namespace lockscope::inspect {

/// From which age on what was seen is no longer what is, where looks are `period` apart.
constexpr Nanos oldAfter(Nanos period) {
    constexpr Nanos kFewSeconds = 4s, kLatest = 10s;
    return std::clamp<Nanos>(2 * period, kFewSeconds, kLatest);
}

} // namespace lockscope::inspect
