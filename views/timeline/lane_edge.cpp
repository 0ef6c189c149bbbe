// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lane_edge.h"

#include "timeline/timeline_view.h"

#include <QScrollBar>

namespace lockscope::views {

bool scrollsByLanes(const TimelineView& view) {
    return view.context() && view.context()->trace()->originWallMs() != 0;
}

int laneEdge(const TimelineView& view, int scroll, Qt::Edge side) {
    const bool below = side == Qt::BottomEdge;
    const TimelineLayout& lanes = view.layoutOfLanes();
    const TimelineLayout::Pinned pinned = lanes.pinned(scroll, view.viewport()->height());
    int edge = below ? view.verticalScrollBar()->maximum() : 0;
    const auto offer = [&](int y) {
        if (pinned.contains(y)) return;
        const int at = y < pinned.bottom ? y : y - pinned.height(); // other lanes begin below those that stay
        if (below ? at >= scroll && at < edge : at <= scroll && at > edge) edge = at;
    };
    for (const TimelineLayout::Row& row : lanes.rows())
        offer(row.y);
    for (const TimelineLayout::Section& section : lanes.sections())
        offer(section.y);
    return edge;
}

void scrollByLanes(const TimelineView& view) {
    QScrollBar* const bar = view.verticalScrollBar();
    const int by = bar->sliderPosition() - bar->value();
    // The fine steps of a touch pad stay as fine as they are.
    if (!scrollsByLanes(view) || std::abs(by) < bar->singleStep()) return;
    bar->setSliderPosition(laneEdge(view, bar->sliderPosition(), by > 0 ? Qt::BottomEdge : Qt::TopEdge));
}

} // namespace lockscope::views
