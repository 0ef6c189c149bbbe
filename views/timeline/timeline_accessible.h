// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAccessible>

namespace lockscope::views {

class TimelineView;

/// Makes timelines readable by screen readers: a list whose items are the lanes, each saying how it stands at the
/// playhead. Call once or often, before the first interface is asked for.
void installTimelineAccessibility();
/// Names of the lanes may have changed: tells about the lane in focus.
void announceTimelineChange(TimelineView* view);
/// The playhead has come to rest: how it stands there is another story, the timeline's description.
void announceTimelineStory(TimelineView* view);
/// Another lane has the keyboard's frame.
void announceTimelineFocus(TimelineView* view, int row);

} // namespace lockscope::views
