// SPDX-License-Identifier: GPL-3.0-or-later
// How the timeline follows a lesson's spotlight: the stretch of time and the lanes that a step speaks of come in sight.
#include "timeline/timeline_view.h"

#include <QScrollBar>

namespace lockscope::views {

void TimelineView::takeSpotlight() {
    const auto& spotlight = m_context->spotlight();
    const auto window = spotlight ? spotlight->window : std::nullopt;
    if (std::exchange(m_spotWindow, window) != window && window) { // once: a person may look elsewhere
        m_rangeChosen = true;
        m_zoom->setEnd(std::max(m_zoom->end(), window->second.count()));
        m_zoom->setRange(window->first.count(), window->second.count());
    }
    if (spotlight) revealRows(spotlight->lanes);
    updateAll();
}

void TimelineView::revealRows(const std::vector<trace::EntityId>& lanes) {
    // From the lowest one up: where not all have room, the uppermost are in sight.
    int highest = -1, lowest = -1;
    for (int row = int(m_layout.rows().size()) - 1; row >= 0; --row) {
        if (std::ranges::find(lanes, m_layout.rows()[std::size_t(row)].lane->entity) == lanes.end()) continue;
        if (lowest < 0) lowest = row;
        highest = row;
        ensureRowVisible(row);
    }
    if (highest >= 0) keepTopWhole(highest, lowest);
}

/// Scrolls a little further, so that the first lane in sight is not cut; the rows from `highest` to `lowest` stay as
/// they are in sight.
void TimelineView::keepTopWhole(int highest, int lowest) {
    const int top = verticalScrollBar()->value();
    const auto& rows = m_layout.rows();
    const auto cut = std::ranges::find_if(
        rows, [&](const TimelineLayout::Row& row) { return row.y < top && row.y + row.height > top; });
    if (cut == rows.end()) return;
    const auto& last = rows[std::size_t(lowest)];
    const int down = cut->y + cut->height, up = cut->y - m_metrics.captionHeight();
    const bool hides = int(cut - rows.begin()) >= highest;
    if (!hides && down <= verticalScrollBar()->maximum())
        verticalScrollBar()->setValue(down);
    else if (last.y + last.height - up <= viewport()->height())
        verticalScrollBar()->setValue(up);
}

} // namespace lockscope::views
