// SPDX-License-Identifier: GPL-3.0-or-later
// Which lanes a TimelineView shows, and how tall.
#include "timeline/timeline_view.h"

namespace lockscope::views {

bool TimelineView::layOut() {
    const TimelineData& lanes = *m_loader->data();
    m_metrics.belief = m_layout.beliefFor(lanes, m_metrics, viewport()->height());
    m_metrics.lowRecords = m_layout.lowRecordsFor(lanes, m_metrics, viewport()->height());
    if (!m_layout.update(lanes, m_metrics)) return false;
    m_key = {};
    return true;
}

void TimelineView::setOnlyActors(bool only) {
    {
        const std::lock_guard lock(m_loader->data()->mutex());
        m_layout.setOnlyActors(only);
        layOut();
    }
    m_focusRow = -1;
    updateGeometries();
    updateAll();
}

} // namespace lockscope::views
