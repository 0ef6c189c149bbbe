// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace lockscope::trace {

/// Event::value of LinkCut: the directions in which nothing passes from now on, seen from the link's parent. There is a
/// row for each change of them, also where only one of two ways is mended.
enum class CutWays : std::uint8_t { Both = 0, Forth = 1, Back = 2 };
/// A number of no direction is Both, as in recordings that do not tell directions apart.
constexpr CutWays cutWays(std::int64_t value) {
    return value == 1 || value == 2 ? CutWays(value) : CutWays::Both;
}

} // namespace lockscope::trace
