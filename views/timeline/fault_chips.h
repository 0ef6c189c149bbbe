// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/scene.h"

namespace lockscope::views {

/// The mark of a fault in the strip below the time scale: a flag, with words where there is room. Filled: done by hand;
/// outlined: the scenario's.
struct FaultChip {
    double x = 0; ///< of the instant, right of the labels
    QRectF box;   ///< of the whole mark, right of the labels; y counts from the top of the strip
    std::int64_t at = 0;
    bool byHand = false;
    QString words; ///< empty: there is room for the flag only
};
/// The marks in sight, from left to right. Faults of one instant share one. None where they are so many that a mark for
/// each would say nothing.
std::vector<FaultChip> faultChips(const TimelineScene& scene, const TimelineCoordinates& coordinates);
/// Paints them into a strip whose top is at `top`.
void paintFaultChips(const PaintKit& kit, const std::vector<FaultChip>& chips, int top);

} // namespace lockscope::views
