// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/settings.h"

namespace lockscope::views {

std::optional<scenario::Range> parseRange(const QString& text) {
    // People write ranges with a dash too: "2s – 4s".
    QString plain = text;
    plain.replace(QChar(0x2013), QLatin1Char(','));
    plain.replace(QLatin1Char('-'), QLatin1Char(','));
    const QStringList parts = plain.split(QLatin1Char(','));
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
    return range.low == range.high ? low : low + QLatin1Char(',') + scenario::formatDuration(range.high);
}

bool applySetting(scenario::Scenario& scenario, const QString& setting, const QString& text) {
    const auto is = [&setting](const char* name) { return setting == QLatin1String(name); };
    const auto choose = [&text](bool& flag, const char* yes, const char* no) {
        if (text != QLatin1String(yes) && text != QLatin1String(no)) return false;
        flag = text == QLatin1String(yes);
        return true;
    };
    if (is("recipe")) {
        scenario.recipe = text;
        return !text.isEmpty();
    }
    if (is("clients")) {
        bool number = false;
        const int clients = text.toInt(&number);
        if (number) scenario.workload.clients = clients;
        return number;
    }
    if (is("lease") || is("watchdog")) {
        const bool off = is("watchdog") && text == QLatin1String("off");
        const auto value = off ? std::optional<Nanos>(Nanos::zero()) : scenario::parseDuration(text);
        if (!value) return false;
        (is("lease") ? scenario.lock.lease : scenario.lock.watchdog) = *value;
        return true;
    }
    if (is("hold") || is("think")) {
        const auto range = parseRange(text);
        if (!range) return false;
        (is("hold") ? scenario.workload.hold : scenario.workload.think) = *range;
        return true;
    }
    if (is("token_check")) return choose(scenario.resource.tokenCheck, "true", "false");
    if (is("deadline")) return choose(scenario.lock.honourDeadline, "honoured", "ignored");
    if (is("on_loss")) return choose(scenario.workload.stopOnLoss, "stop", "carry-on");
    return false;
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
        applySetting(scenario, setting, text);
    return scenario;
}

} // namespace lockscope::views
