// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/short_number.h"

namespace lockscope::views {

QString shortNumber(std::int64_t number) {
    constexpr std::int64_t kShort = 1'000'000; // a number of six digits is read at a glance
    constexpr qsizetype kLast = 4;
    const QString all = QString::number(number);
    return number < kShort ? all : QChar(0x2026) + all.right(kLast);
}

} // namespace lockscope::views
