// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

namespace lockscope {

/// Sums of several times of a configuration must not overflow.
constexpr Nanos kLongestTime = 365 * 24h;
/// Engines of a namespace: the primary, and up to two fallbacks.
constexpr std::size_t kMostEngines = 3;

} // namespace lockscope
