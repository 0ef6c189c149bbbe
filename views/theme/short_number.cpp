// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/short_number.h"

namespace lockscope::views {

QString shortNumber(std::int64_t number) {
    constexpr std::int64_t kShort = 1'000'000; // a number of six digits is read at a glance
    constexpr qsizetype kLast = 4;
    constexpr int kOwnBits = 48; // of a recipe's own token; above them stands the epoch of a manager's engine
    const QString all = QString::number(number);
    if (number < kShort) return all;
    const std::int64_t epoch = number >> kOwnBits;
    return (epoch > 0 ? QString::number(epoch) : QString()) + QChar(0x2026) + all.right(kLast);
}

} // namespace lockscope::views
