// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"

#include <expected>

namespace lockscope::sim {

/// Changes one setting of a scenario by its name, as Action::Set does: "lease" = "3s", "hold" = "2s-4s", "watchdog" =
/// "off", "token_check" = "on", "deadline" = "ignored", "on_loss" = "carry-on", "clients" = "5", "recipe" =
/// "redis-set", "token" = "on", "think", "write_every", "wait" = "forever". The complaint is a sentence; then nothing
/// has changed.
std::expected<void, QString> applySetting(scenario::Scenario& scenario, const QString& setting, const QString& text);

/// As applySetting(), for a change that is being made now: a lease that would end before its watchdog renews it is
/// refused, too. Recordings of earlier versions may have such changes.
std::expected<void, QString> changeSetting(scenario::Scenario& scenario, const QString& setting, const QString& text);

/// The scenario with every change of settings up to and at `t` made: what its clients work by at that instant. Changes
/// that strike by a trigger instead of by the clock are left out, as is text that is no value of its setting.
scenario::Scenario settingsAt(scenario::Scenario scenario, Nanos t);

} // namespace lockscope::sim
