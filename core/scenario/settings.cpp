// SPDX-License-Identifier: Apache-2.0
#include "scenario/settings.h"

#include "scenario/lock_times.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace lockscope::scenario {

namespace {

using L = QLatin1String;

QString tr(const char* text) {
    return QCoreApplication::translate("scenario", text);
}

std::unexpected<QString> wrong(const QString& setting, const QString& text, const QString& why) {
    return std::unexpected(tr("“%2” is no value for “%1”: %3.").arg(setting, text, why));
}

constexpr const char* kRangeForm =
    QT_TRANSLATE_NOOP("scenario", "a time such as 3s, or the shortest and the longest, such as 2s-4s");
constexpr const char* kSwitchForm = QT_TRANSLATE_NOOP("scenario", "on or off");

template <class... F>
struct Cases : F... {
    using F::operator()...;
};

} // namespace

const std::vector<Setting>& allSettings() {
    static const std::vector<Setting> kSettings{
        {L("recipe"), L(""), L("recipe"), QT_TRANSLATE_NOOP("scenario", "the id of a recipe, such as redis-set"),
         TextSetting{[](Scenario& s) -> QString& { return s.recipe; }}},
        {L("lease"), L("lock"), L("lease"), QT_TRANSLATE_NOOP("scenario", "a time of at least 1ms, such as 5s"),
         TimeSetting{[](Scenario& s) -> Nanos& { return s.lock.lease; }, 1ms, L(""), {}}},
        {L("watchdog"), L("lock"), L("watchdog"), QT_TRANSLATE_NOOP("scenario", "a time such as 10s, or off"),
         TimeSetting{[](Scenario& s) -> Nanos& { return s.lock.watchdog; }, {}, L("off"), {}}},
        {L("wait"), L("lock"), L("wait"), QT_TRANSLATE_NOOP("scenario", "a time such as 10s, or forever"),
         TimeSetting{[](Scenario& s) -> Nanos& { return s.lock.wait; }, {}, L("forever"), kNever}},
        {L("max_hold"), L("lock"), L("max_hold"), QT_TRANSLATE_NOOP("scenario", "a time such as 10s, or off"),
         TimeSetting{[](Scenario& s) -> Nanos& { return s.lock.maxHold; }, {}, L("off"), {}}, 2},
        {L("deadline"), L("lock"), L("deadline"), QT_TRANSLATE_NOOP("scenario", "honoured or ignored"),
         SwitchSetting{[](Scenario& s) -> bool& { return s.lock.honourDeadline; }, L("honoured"), L("ignored")}},
        {L("token"), L("lock"), L("token"), kSwitchForm,
         SwitchSetting{[](Scenario& s) -> bool& { return s.lock.token; }, L("on"), L("off")}},
        {L("permits"), L("lock"), L("permits"), QT_TRANSLATE_NOOP("scenario", "a whole number from 1 to 10000"),
         CountSetting{[](Scenario& s) -> int& { return s.lock.permits; }, 1, kMostPermits}, 2},
        {L("token_check"), L("resource"), L("token_check"), kSwitchForm,
         SwitchSetting{[](Scenario& s) -> bool& { return s.resource.tokenCheck; }, L("on"), L("off")}},
        {L("clients"), L("clients"), L("count"), QT_TRANSLATE_NOOP("scenario", "a whole number from 1 to 200"),
         CountSetting{[](Scenario& s) -> int& { return s.workload.clients; }, 1, kMostClients}},
        {L("hold"), L("clients"), L("hold"), kRangeForm,
         RangeSetting{[](Scenario& s) -> Range& { return s.workload.hold; }, {}}},
        {L("think"), L("clients"), L("think"), kRangeForm,
         RangeSetting{[](Scenario& s) -> Range& { return s.workload.think; }, {}}},
        {L("write_every"), L("clients"), L("write_every"), kRangeForm,
         RangeSetting{[](Scenario& s) -> Range& { return s.workload.writeEvery; }, Nanos(1)}},
        {L("on_loss"), L("clients"), L("on_loss"), QT_TRANSLATE_NOOP("scenario", "stop or carry-on"),
         SwitchSetting{[](Scenario& s) -> bool& { return s.workload.stopOnLoss; }, L("stop"), L("carry-on")}},
    };
    return kSettings;
}

const Setting* findSetting(const QString& id) {
    const auto found = std::ranges::find_if(allSettings(), [&](const Setting& setting) { return id == setting.id; });
    return found == allSettings().end() ? nullptr : &*found;
}

QString textOf(const Setting& setting, const Scenario& scenario) {
    Scenario& readOnly = const_cast<Scenario&>(scenario); // the table's places are for both ways
    return std::visit(
        Cases{
            [&](const TextSetting& value) { return value.of(readOnly); },
            [&](const CountSetting& value) { return QString::number(value.of(readOnly)); },
            [&](const TimeSetting& value) {
                const Nanos time = value.of(readOnly);
                const bool word = !value.word.isEmpty() && time == value.meaning;
                return word ? QString(value.word) : formatDuration(time);
            },
            [&](const RangeSetting& value) { return formatRange(value.of(readOnly)); },
            [&](const SwitchSetting& value) { return QString(value.of(readOnly) ? value.on : value.off); },
        },
        setting.value);
}

bool setText(const Setting& setting, Scenario& scenario, const QString& text) {
    const auto take = [](auto& place, auto read) {
        if (read) place = *read;
        return read.has_value();
    };
    return std::visit(Cases{
                          [&](const TextSetting& value) {
                              return take(value.of(scenario), text.isEmpty() ? std::nullopt : std::optional(text));
                          },
                          [&](const CountSetting& value) {
                              bool number = false;
                              const int count = text.toInt(&number);
                              const bool fine = number && count >= value.least && count <= value.most;
                              return take(value.of(scenario), fine ? std::optional(count) : std::nullopt);
                          },
                          [&](const TimeSetting& value) {
                              const bool word = !value.word.isEmpty() && text == value.word;
                              auto time = word ? std::optional(value.meaning) : parseDuration(text);
                              if (time && *time < value.least) time.reset();
                              return take(value.of(scenario), time);
                          },
                          [&](const RangeSetting& value) {
                              auto range = parseRange(text);
                              if (range && range->low < value.least) range.reset();
                              return take(value.of(scenario), range);
                          },
                          [&](const SwitchSetting& value) {
                              std::optional<bool> state;
                              if (text == value.on || text == L("on") || text == L("true")) state = true;
                              if (text == value.off || text == L("off") || text == L("false")) state = false;
                              return take(value.of(scenario), state);
                          },
                      },
                      setting.value);
}

std::optional<Range> parseRange(const QString& text) {
    // A comma too, as between the two ends in a file.
    static const QRegularExpression kBetween(QStringLiteral("\\s*(?:\\.\\.|–|-|…|,)\\s*"));
    const QStringList parts = text.split(kBetween);
    if (parts.size() > 2) return std::nullopt;
    auto low = parseDuration(parts.front());
    const auto high = parseDuration(parts.back());
    // "2 – 4 s": the unit stands once.
    if (!low && high) {
        const QString last = parts.back().trimmed();
        const qsizetype unit =
            std::distance(last.begin(), std::ranges::find_if(last, [](QChar c) { return c.isLetter(); }));
        low = parseDuration(QString(parts.front().trimmed() + last.mid(unit)));
    }
    if (!low || !high || *low < Nanos::zero() || *low > *high) return std::nullopt;
    return Range{*low, *high};
}

QString formatRange(const Range& range) {
    const QString low = formatDuration(range.low);
    return range.low == range.high ? low : low + QLatin1Char('-') + formatDuration(range.high);
}

std::expected<void, QString> applySetting(Scenario& scenario, const QString& setting, const QString& text) {
    const Setting* const known = findSetting(setting);
    if (!known) return std::unexpected(tr("There is no setting “%1”.").arg(setting));
    if (!setText(*known, scenario, text)) return wrong(setting, text, tr(known->form));
    // Checking tokens without having any would check nothing.
    if (scenario.resource.tokenCheck && setting == L("token_check")) scenario.lock.token = true;
    return {};
}

std::expected<void, QString> changeSetting(Scenario& scenario, const QString& setting, const QString& text) {
    Scenario changed = scenario;
    if (auto done = applySetting(changed, setting, text); !done) return done;
    const bool ofTimes = setting == L("lease") || setting == L("watchdog");
    const QString slow = ofTimes ? slowWatchdog(changed.lock) : QString();
    if (!slow.isEmpty()) return wrong(setting, text, slow);
    scenario = std::move(changed);
    return {};
}

Scenario settingsAt(Scenario scenario, Nanos t) {
    // By time, and in file order at one instant, as the world makes them.
    std::vector<const Fault*> changes;
    for (const Fault& fault : scenario.faults)
        if (fault.action == Action::Set && fault.at && *fault.at <= t) changes.push_back(&fault);
    std::ranges::stable_sort(changes, {}, [](const Fault* fault) { return *fault->at; });
    std::vector<std::pair<QString, QString>> settings;
    settings.reserve(changes.size());
    for (const Fault* fault : changes)
        settings.emplace_back(fault->setting, fault->text);
    for (const auto& [setting, text] : settings)
        (void)applySetting(scenario, setting, text); // what the world refused changed nothing there either
    return scenario;
}

} // namespace lockscope::scenario
