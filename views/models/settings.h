// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "scenario/scenario.h"

namespace lockscope::views {

/// The scenario with every change of settings up to and at `t` made: what its clients work by at that instant. Changes
/// that strike by a trigger instead of by the clock are left out, as is text that is no value of its setting.
scenario::Scenario settingsAt(scenario::Scenario scenario, Nanos t);

/// "3s", or the shortest and the longest as people write them: "2s-4s", "2 – 4 s", "2s..4s". nullopt when it is
/// neither, or upside down.
std::optional<scenario::Range> parseRange(const QString& text);
/// "2s-4s" or "3s": what a change of settings takes, and parseRange() reads back.
QString formatRange(const scenario::Range& range);

} // namespace lockscope::views
