// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/settings.h"

#include <QRegularExpression>

namespace lockscope::views {

std::optional<scenario::Range> parseRange(const QString& text) {
    // A comma too, as between the two ends in a file.
    static const QRegularExpression kBetween(QStringLiteral("\\s*(?:\\.\\.|–|-|…|,)\\s*"));
    const QStringList parts = text.split(kBetween);
    if (parts.size() > 2) return std::nullopt;
    auto low = scenario::parseDuration(parts.front());
    const auto high = scenario::parseDuration(parts.back());
    // "2 – 4 s": the unit stands once.
    if (!low && high) {
        const QString last = parts.back().trimmed();
        const qsizetype unit =
            std::distance(last.begin(), std::ranges::find_if(last, [](QChar c) { return c.isLetter(); }));
        low = scenario::parseDuration(QString(parts.front().trimmed() + last.mid(unit)));
    }
    if (!low || !high || *low < Nanos::zero() || *low > *high) return std::nullopt;
    return scenario::Range{*low, *high};
}

QString formatRange(const scenario::Range& range) {
    const QString low = scenario::formatDuration(range.low);
    return range.low == range.high ? low : low + QLatin1Char('-') + scenario::formatDuration(range.high);
}

} // namespace lockscope::views
