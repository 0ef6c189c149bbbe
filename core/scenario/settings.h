// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"

#include <expected>
#include <variant>

namespace lockscope::scenario {

/// The most clients of a workload.
inline constexpr int kMostClients = 200;

/// The most permits of a semaphore.
inline constexpr int kMostPermits = 10'000;

/// The kinds of values that settings have. `of` is the value's place in a scenario.
struct TextSetting {
    QString& (*of)(Scenario&);
};
struct CountSetting {
    int& (*of)(Scenario&);
    int least, most;
};
struct TimeSetting {
    Nanos& (*of)(Scenario&);
    Nanos least;
    QLatin1String word; ///< may be written for `meaning`; empty: none
    Nanos meaning;
};
struct RangeSetting {
    Range& (*of)(Scenario&);
    Nanos least; ///< of its shorter end
};
struct SwitchSetting {
    bool& (*of)(Scenario&);
    QLatin1String on, off; ///< in a file; the words on and off stand for a boolean there
};

/// One setting of a scenario: the file, changes during a run, and the form of the window all know it from this table.
struct Setting {
    QLatin1String id;     ///< as a change names it (Fault::setting)
    QLatin1String object; ///< the object in a file that it stands in; empty: the top
    QLatin1String key;    ///< its name there
    const char* form;     ///< what a value looks like; of the translation context "scenario"
    std::variant<TextSetting, CountSetting, TimeSetting, RangeSetting, SwitchSetting> value;
    int since = 1; ///< the first version of files that has it
};

/// All settings, in the order of a file.
const std::vector<Setting>& allSettings();
/// nullptr: there is no such setting.
const Setting* findSetting(const QString& id);

/// The value as a change carries it: "3s", "2s-4s", "off", "honoured".
QString textOf(const Setting& setting, const Scenario& scenario);
/// Sets the value; false when the text is none, then nothing has changed. Reads what textOf() writes, and what people
/// type: "2 – 4 s", "true".
bool setText(const Setting& setting, Scenario& scenario, const QString& text);

/// "3s", or the shortest and the longest as people write them: "2s-4s", "2 – 4 s", "2s..4s". nullopt when it is
/// neither, or upside down, or negative.
std::optional<Range> parseRange(const QString& text);
/// "2s-4s" or "3s".
QString formatRange(const Range& range);

/// Changes one setting by its id, as Action::Set does. The complaint is a sentence; then nothing has changed.
std::expected<void, QString> applySetting(Scenario& scenario, const QString& setting, const QString& text);

/// As applySetting(), for a change that is being made now: a lease that would end before its watchdog renews it is
/// refused, too. Recordings of earlier versions may have such changes.
std::expected<void, QString> changeSetting(Scenario& scenario, const QString& setting, const QString& text);

/// The scenario with every change of settings up to and at `t` made: what its clients work by at that instant. Changes
/// that strike by a trigger instead of by the clock are left out, as is text that is no value of its setting.
Scenario settingsAt(Scenario scenario, Nanos t);

} // namespace lockscope::scenario
