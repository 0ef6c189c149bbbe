// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/words.h"

namespace lockscope::views {

/// The state of a lane of belief or record at t for a note beside it, the fullest wording first: "paused; still
/// thinks it holds #2", "thinks it holds".
QStringList laneNotes(const TimelineData& data, const Lane& lane, std::int64_t t);

/// Whether the client of this lane of beliefs waits at t for the next engine: a change of engines has interrupted its
/// waiting. One that has just released rests, as far as a trace tells.
bool waitsForEngines(const TimelineData& data, const Lane& lane, std::int64_t t);

} // namespace lockscope::views
