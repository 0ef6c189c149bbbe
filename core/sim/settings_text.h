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

} // namespace lockscope::sim
