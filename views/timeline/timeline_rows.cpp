// SPDX-License-Identifier: GPL-3.0-or-later
// Which lanes a TimelineView shows, how tall, and what it says while there is none.
#include "theme/fonts.h"
#include "timeline/timeline_view.h"

#include <QPainter>

namespace lockscope::views {

bool TimelineView::layOut() {
    const TimelineData& lanes = *m_loader->data();
    m_metrics = m_layout.fitted(lanes, m_metrics, [this](const TimelineMetrics& tried) {
        const auto [top, bottom] = frameOf(tried);
        return height() - top - bottom;
    });
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

void TimelineView::paintEmpty(QPainter& painter) {
    const QRect all = viewport()->rect();
    const int line = m_metrics.px(24);
    painter.setFont(uiFont(2, QFont::DemiBold));
    painter.setPen(color(Role::Text));
    painter.drawText(QRect(0, all.height() / 2 - line, all.width(), line), Qt::AlignCenter,
                     tr("Nothing has happened yet"));
    painter.setFont(uiFont());
    painter.setPen(color(Role::TextDim));
    painter.drawText(
        QRect(m_metrics.px(24), all.height() / 2, all.width() - m_metrics.px(48), 3 * line),
        Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
        tr("Press play: each client, lock and server gets a lane here, and what they believe stands above what "
           "is true."));
}

} // namespace lockscope::views
