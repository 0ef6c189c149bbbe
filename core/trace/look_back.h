// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace lockscope::trace {

// How many rows of a trace are looked at for the sake of one: a trace may have a hundred million of them.

/// By an explanation, to either side: a few milliseconds.
inline constexpr std::size_t kFarthest = 500'000;
/// By one that the window asks for anew at each instant: a small part of a millisecond.
inline constexpr std::size_t kNear = 50'000;

/// The first row that is looked at for the sake of row `row`.
constexpr std::size_t firstRowBefore(std::size_t row, std::size_t most = kFarthest) {
    return row > most ? row - most : 0;
}

} // namespace lockscope::trace
