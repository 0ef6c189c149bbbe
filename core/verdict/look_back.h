// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace lockscope::verdict {

/// How many rows of a trace an explanation looks at, to either side: a few milliseconds.
inline constexpr std::size_t kFarthest = 500'000;

/// The first row that an explanation of row `row` looks at.
constexpr std::size_t firstRowBefore(std::size_t row) {
    return row > kFarthest ? row - kFarthest : 0;
}

} // namespace lockscope::verdict
