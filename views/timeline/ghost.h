// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/paint_kit.h"

#include <memory>

namespace lockscope::views {

/// The run as it was before a change in its past: drawn faintly behind the new one. Undo makes it the run again.
struct GhostRun {
    std::shared_ptr<TimelineData> data; ///< null: there is none
    std::int64_t from = 0;              ///< before this instant both are equal
};

/// The lane of the former run that shows the same client's belief about the same lock; nullptr: it had none. Ids differ
/// from trace to trace: names tell.
const Lane* ghostLane(const GhostRun& ghost, const trace::Trace& trace, const Lane& lane);
/// Paints the former holds of this belief lane from `ghost.from` on, to be painted over by what is true now. Takes the
/// former data's mutex.
void paintGhost(const PaintKit& kit, const GhostRun& ghost, const Lane& lane);

} // namespace lockscope::views
