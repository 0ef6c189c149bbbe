// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "scenario/scenario.h"

namespace lockscope::views {

/// "3s", or the shortest and the longest as people write them: "2s-4s", "2 – 4 s", "2s..4s". nullopt when it is
/// neither, or upside down.
std::optional<scenario::Range> parseRange(const QString& text);
/// "2s-4s" or "3s": what a change of settings takes, and parseRange() reads back.
QString formatRange(const scenario::Range& range);

} // namespace lockscope::views
