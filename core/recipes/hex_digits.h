// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <cstdint>

namespace lockscope::recipes {

constexpr qsizetype kHexDigits = 16;

/// Writes a number as 16 lower-case hex digits, the highest first, and returns where they end.
inline char* writeHexDigits(char* at, std::uint64_t bits) {
    for (qsizetype digit = 0; digit < kHexDigits; ++digit, bits <<= 4U)
        *at++ = "0123456789abcdef"[bits >> 60U];
    return at;
}

/// A number as 16 lower-case hex digits; used to make lock values unique.
inline QByteArray hexDigits(std::uint64_t bits) {
    QByteArray digits(kHexDigits, Qt::Uninitialized);
    writeHexDigits(digits.data(), bits);
    return digits;
}

} // namespace lockscope::recipes
