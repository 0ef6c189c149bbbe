// SPDX-License-Identifier: Apache-2.0
#include "trace/duration.h"

#include <algorithm>
#include <array>

namespace lockscope {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Unit {
    QLatin1String name;
    std::int64_t nanos;
};
constexpr std::array kUnits{
    Unit{QLatin1String("h"), 3'600'000'000'000},
    Unit{QLatin1String("m"), 60'000'000'000},
    Unit{QLatin1String("s"), kSecond},
    Unit{QLatin1String("ms"), 1'000'000},
    Unit{QLatin1String("us"), 1'000},
    Unit{QLatin1String("ns"), 1},
};

// Decimal fractions of a duration are exact or refused, so sums are made in 128 bits: 9 digits of hours times ns of an
// hour do not fit in 64.
__extension__ using Wide = __int128;
constexpr int kMostDigits =
    19; ///< of the number, before and after its point together; more cannot be an exact duration

bool isDigit(QChar c) {
    return c >= QLatin1Char('0') && c <= QLatin1Char('9');
}

/// `magnitude` in `unit` as decimal digits. Precondition: that takes finitely many, as in units up to a second.
QString decimal(std::uint64_t magnitude, std::uint64_t unit) {
    QString text = QString::number(magnitude / unit);
    std::uint64_t rest = magnitude % unit;
    if (rest == 0) return text;
    text += QLatin1Char('.');
    while (rest != 0) {
        const Wide scaled = Wide(rest) * 10;
        text += QChar(static_cast<char16_t>(u'0' + static_cast<int>(scaled / unit)));
        rest = static_cast<std::uint64_t>(scaled % unit);
    }
    return text;
}

} // namespace

std::optional<Nanos> parseDuration(QStringView text) {
    text = text.trimmed();
    const bool negative = text.startsWith(QLatin1Char('-'));
    if (negative) text = text.mid(1);

    Wide digits = 0, scale = 1;
    int count = 0;
    bool point = false;
    qsizetype i = 0;
    for (; i < text.size(); ++i) {
        if (text[i] == QLatin1Char('.') && !point && i > 0) {
            point = true;
        } else if (isDigit(text[i])) {
            if (digits != 0 && ++count > kMostDigits) return std::nullopt;
            digits = digits * 10 + (text[i].unicode() - u'0');
            if (point) scale *= 10;
            if (scale > Wide(1'000'000'000'000'000'000)) return std::nullopt;
        } else {
            break;
        }
    }
    if (i == 0 || !isDigit(text[i - 1])) return std::nullopt;

    const QStringView name = text.mid(i).trimmed();
    const auto unit = std::ranges::find_if(kUnits, [&](const Unit& u) { return name == u.name; });
    if (unit == kUnits.end()) return std::nullopt;
    const Wide scaled = digits * unit->nanos;
    if (scaled % scale != 0) return std::nullopt;
    const Wide nanos = negative ? -(scaled / scale) : scaled / scale;
    if (nanos > Nanos::max().count() || nanos < Nanos::min().count()) return std::nullopt;
    return Nanos(static_cast<std::int64_t>(nanos));
}

QString formatDuration(Nanos duration) {
    if (duration == Nanos::zero()) return QStringLiteral("0s");
    const std::int64_t count = duration.count();
    const std::uint64_t magnitude =
        count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
    const auto unit = std::ranges::find_if(kUnits, [magnitude](const Unit& each) {
        const auto one = static_cast<std::uint64_t>(each.nanos);
        // Nobody reads fractions of a minute.
        return magnitude >= one && (each.nanos <= kSecond || magnitude % one == 0);
    });
    const QString sign = count < 0 ? QStringLiteral("-") : QString();
    return sign + decimal(magnitude, static_cast<std::uint64_t>(unit->nanos)) + unit->name;
}

} // namespace lockscope
