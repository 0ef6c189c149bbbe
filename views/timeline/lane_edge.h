// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <Qt>

namespace lockscope::views {

class TimelineView;

/// Whether it stops where no lane is cut at the top: with the lanes of a watched server, which may be thousands.
bool scrollsByLanes(const TimelineView& view);
/// From this scroll on, downwards or upwards, the first one at which no lane is cut at the top.
int laneEdge(const TimelineView& view, int scroll, Qt::Edge side);
/// Makes a coarse step of the scroll bar, which is under way, one of whole lanes.
void scrollByLanes(const TimelineView& view);

} // namespace lockscope::views
