// SPDX-License-Identifier: GPL-3.0-or-later
// Which lanes a TimelineView shows, how tall, and what it says while there is none.
#include "theme/fonts.h"
#include "timeline/timeline_view.h"

#include <QPainter>

namespace lockscope::views {

bool TimelineView::layOut() {
    const TimelineData& lanes = *m_loader->data();
    m_layout.search(lanes);
    m_metrics = m_layout.fitted(lanes, m_metrics, [this](const TimelineMetrics& tried) {
        const auto [top, bottom] = frameOf(tried);
        return height() - top - bottom;
    });
    m_layout.setPlayhead(m_context->playhead().count());
    if (!m_layout.update(lanes, m_metrics)) return false;
    m_key = {};
    return true;
}

void TimelineView::want(LaneChoice wanted) {
    const auto& rows = m_layout.rows();
    const Lane* const focused =
        m_focusRow >= 0 && m_focusRow < int(rows.size()) ? rows[std::size_t(m_focusRow)].lane : nullptr;
    {
        const std::lock_guard lock(m_loader->data()->mutex());
        m_layout.setWanted(std::move(wanted), *m_loader->data());
        layOut();
    }
    const auto again = std::ranges::find(rows, focused, &TimelineLayout::Row::lane);
    m_focusRow = focused && again != rows.end() ? int(again - rows.begin()) : -1;
    updateGeometries();
    updateAll();
    Q_EMIT lanesChanged();
}

void TimelineView::showSelected(trace::EntityId entity) {
    const bool link = entity != trace::kNoEntity && m_context->trace()->entity(entity).kind == trace::EntityKind::Link;
    LaneChoice wanted = m_layout.wanted();
    if (std::exchange(wanted.selected, link ? entity : trace::kNoEntity) == wanted.selected) return;
    want(std::move(wanted));
}

void TimelineView::keepInSight() {
    if (m_kept == trace::kNoEntity) return;
    if (const int row = m_layout.rowOf(m_kept); row >= 0) ensureRowVisible(row);
}

QRect TimelineView::rowRect(int row) const {
    if (row < 0 || row >= int(m_layout.rows().size())) return {};
    const TimelineLayout::Row& r = m_layout.rows()[std::size_t(row)];
    return {0, scene().yOf(r.y), viewport()->width(), r.height};
}

bool TimelineView::isInSight(int row) const {
    if (!rowRect(row).intersects(viewport()->rect())) return false;
    const TimelineLayout::Row& r = m_layout.rows()[std::size_t(row)];
    return !scene().isCovered(r.y, r.height);
}

int TimelineView::belowCaptions(int top, int height) const {
    constexpr int kApart = 4;
    const TimelineScene now = scene();
    for (const TimelineLayout::Section& section : m_layout.sections()) {
        const int caption = now.yOf(section.y), end = caption + m_metrics.captionHeight();
        if (caption < top + height && end > top) top = end + kApart;
    }
    return top;
}

void TimelineView::paintEmpty(QPainter& painter) {
    const QRect all = viewport()->rect();
    const int line = m_metrics.px(24);
    painter.setFont(uiFont(2, QFont::DemiBold));
    painter.setPen(color(Role::Text));
    const QString& text = m_layout.wanted().text;
    const bool something = !m_layout.sections().empty(); // folded away
    const QString none = !text.isEmpty() ? tr("No lane has “%1” in its names").arg(text)
                         : something     ? tr("All lanes are hidden")
                                         : tr("Nothing has happened yet");
    painter.drawText(QRect(0, all.height() / 2 - line, all.width(), line), Qt::AlignCenter, none);
    painter.setFont(uiFont());
    painter.setPen(color(Role::TextDim));
    painter.drawText(
        QRect(m_metrics.px(24), all.height() / 2, all.width() - m_metrics.px(48), 3 * line),
        Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
        !text.isEmpty() ? tr("Esc in the field above shows all lanes again.")
        : something
            ? tr("Click the captions of groups to unfold them.")
            : tr("Press play: each client, lock and server gets a lane here, and what they believe stands above what "
                 "is true."));
}

} // namespace lockscope::views
