// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <charconv>
#include <cstdint>

namespace lockscope::trace {

/// A number in digits, without leading zeros, in base 10 or 16. QByteArray::number() gives the same at ten times the
/// cost: a simulation names every waiter by a number at every change of a queue.
inline QByteArray digitsOf(std::uint64_t number, int base) {
    constexpr std::size_t kMost = 20;
    char digits[kMost];
    const char* const end = std::to_chars(digits, digits + kMost, number, base).ptr;
    return {digits, end - digits};
}

} // namespace lockscope::trace
