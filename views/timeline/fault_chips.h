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
    std::int64_t last = 0; ///< of the last fault that this mark stands for, ns; `at` is the first one's
    bool byHand = false;
    bool decisive = false; ///< a death, a restart, an election, a switch, or done by hand: it keeps its words
    QString words;         ///< empty: there is room for the flag only
    std::optional<std::size_t> deed{}; ///< which of the session's faults done by hand, if it can be changed
    std::int64_t until = -1;           ///< ns: the deed's end; -1: it has none of its own
    bool awaited = false;              ///< nothing has struck yet: it is planned for later, or waits for its condition
};
/// The marks in sight, from left to right. Faults of one instant share one; where there are many, so do faults of one
/// kind that stand close, and then only decisive ones have marks. Where those are many, too, all that stand close share
/// one. None for more faults in sight than a picture can be made of in time: tens of thousands. Faults that are
/// planned for later have marks, too, and faults by a condition have one where they begin to count.
std::vector<FaultChip> faultChips(const TimelineScene& scene, const TimelineCoordinates& coordinates);
/// Where the handle at the end of a deed stands, in the coordinates of FaultChip::box; empty: the deed has no end.
QRectF deedHandle(const FaultChip& chip, const TimelineScene& scene, const TimelineCoordinates& coordinates);
/// Paints them into a strip whose top is at `top`.
void paintFaultChips(const PaintKit& kit, const TimelineScene& scene, const std::vector<FaultChip>& chips, int top);

} // namespace lockscope::views
