// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/settings.h"

#include "sim/settings_text.h"

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

scenario::Scenario settingsAt(scenario::Scenario scenario, Nanos t) {
    // By time, and in file order at one instant, as the world makes them.
    std::vector<const scenario::Fault*> changes;
    for (const scenario::Fault& fault : scenario.faults)
        if (fault.action == scenario::Action::Set && fault.at && *fault.at <= t) changes.push_back(&fault);
    std::ranges::stable_sort(changes, {}, [](const scenario::Fault* fault) { return *fault->at; });
    std::vector<std::pair<QString, QString>> settings;
    settings.reserve(changes.size());
    for (const scenario::Fault* fault : changes)
        settings.emplace_back(fault->setting, fault->text);
    for (const auto& [setting, text] : settings)
        (void)sim::applySetting(scenario, setting, text); // what the world refused changed nothing there either
    return scenario;
}

} // namespace lockscope::views
