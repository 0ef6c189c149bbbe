// SPDX-License-Identifier: Apache-2.0
#include "sim/settings_text.h"

#include "scenario/lock_times.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace lockscope::sim {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Settings", text);
}

std::unexpected<QString> wrongFor(const QString& setting, const QString& text, const QString& why) {
    return std::unexpected(tr("“%2” is no value for “%1”: %3.").arg(setting, text, why));
}
std::unexpected<QString> wrong(const QString& setting, const QString& text, const char* right) {
    return wrongFor(setting, text, tr(right));
}

std::optional<scenario::Range> parseRange(const QString& text) {
    static const QRegularExpression between(QStringLiteral("\\s*(?:\\.\\.|–|-|…)\\s*"));
    const QStringList parts = text.split(between, Qt::SkipEmptyParts);
    if (parts.isEmpty() || parts.size() > 2) return std::nullopt;
    const auto low = scenario::parseDuration(parts.first());
    const auto high = scenario::parseDuration(parts.last());
    if (!low || !high || *low < Nanos(0) || *low > *high) return std::nullopt;
    return scenario::Range{*low, *high};
}

std::optional<bool> parseSwitch(const QString& text, const char* on, const char* off) {
    if (text == QLatin1String(on) || text == QLatin1String("on") || text == QLatin1String("true")) return true;
    if (text == QLatin1String(off) || text == QLatin1String("off") || text == QLatin1String("false")) return false;
    return std::nullopt;
}

} // namespace

std::expected<void, QString> applySetting(scenario::Scenario& scenario, const QString& setting, const QString& text) {
    const auto is = [&setting](const char* name) { return setting == QLatin1String(name); };
    if (is("recipe")) {
        scenario.recipe = text;
        return {};
    }
    if (is("clients")) {
        bool number = false;
        const int clients = text.toInt(&number);
        if (!number || clients < 1 || clients > 200) return wrong(setting, text, "a number from 1 to 200");
        scenario.workload.clients = clients;
        return {};
    }
    if (is("lease")) {
        const auto lease = scenario::parseDuration(text);
        if (!lease || *lease < 1ms) return wrong(setting, text, "a duration of at least 1ms, such as “5s”");
        scenario.lock.lease = *lease;
        return {};
    }
    if (is("watchdog")) {
        const auto period = text == QLatin1String("off") ? std::optional(Nanos(0)) : scenario::parseDuration(text);
        if (!period || *period < Nanos(0)) return wrong(setting, text, "“off”, or a duration such as “10s”");
        scenario.lock.watchdog = *period;
        return {};
    }
    if (is("wait")) {
        const auto wait = text == QLatin1String("forever") ? std::optional(kNever) : scenario::parseDuration(text);
        if (!wait || *wait < Nanos(0)) return wrong(setting, text, "“forever”, or a duration such as “10s”");
        scenario.lock.wait = *wait;
        return {};
    }
    if (is("hold") || is("think") || is("write_every")) {
        const auto range = parseRange(text);
        if (!range || (is("write_every") && range->low <= Nanos(0))) {
            return wrong(setting, text, "a duration such as “2s”, or two such as “2s-4s”");
        }
        (is("hold")    ? scenario.workload.hold
         : is("think") ? scenario.workload.think
                       : scenario.workload.writeEvery) = *range;
        return {};
    }
    struct Switch {
        const char* name;
        const char* on;
        const char* off;
        bool* value;
    };
    const Switch switches[] = {{"token_check", "on", "off", &scenario.resource.tokenCheck},
                               {"token", "on", "off", &scenario.lock.token},
                               {"deadline", "honoured", "ignored", &scenario.lock.honourDeadline},
                               {"on_loss", "stop", "carry-on", &scenario.workload.stopOnLoss}};
    for (const Switch& candidate : switches) {
        if (!is(candidate.name)) continue;
        const auto value = parseSwitch(text, candidate.on, candidate.off);
        if (!value) {
            return std::unexpected(tr("“%2” is no value for “%1”: “%3” or “%4”.")
                                       .arg(setting, text, QLatin1String(candidate.on), QLatin1String(candidate.off)));
        }
        *candidate.value = *value;
        // Checking tokens without having any would check nothing.
        if (is("token_check") && *value) scenario.lock.token = true;
        return {};
    }
    return std::unexpected(tr("There is no setting “%1”.").arg(setting));
}

std::expected<void, QString> changeSetting(scenario::Scenario& scenario, const QString& setting, const QString& text) {
    scenario::Scenario changed = scenario;
    if (auto done = applySetting(changed, setting, text); !done) return done;
    const bool ofTimes = setting == QLatin1String("lease") || setting == QLatin1String("watchdog");
    const QString slow = ofTimes ? scenario::slowWatchdog(changed.lock) : QString();
    if (!slow.isEmpty()) return wrongFor(setting, text, slow);
    scenario = std::move(changed);
    return {};
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
        (void)applySetting(scenario, setting, text); // what the world refused changed nothing there either
    return scenario;
}

} // namespace lockscope::sim
