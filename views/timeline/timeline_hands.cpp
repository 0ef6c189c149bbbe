// SPDX-License-Identifier: GPL-3.0-or-later
// Faults that a person draws on the time axis, as a TimelineView knows them.
#include "models/fault_words.h"
#include "models/planned.h"
#include "timeline/timeline_ruler.h"
#include "timeline/timeline_view.h"

namespace lockscope::views {

void TimelineView::readDeeds() {
    m_deeds.clear();
    const bool hands = m_context && canPlan(*m_context);
    if (hands) {
        const std::vector<scenario::Fault> done = m_context->session()->doneByHand();
        for (std::size_t i = 0; i < done.size(); ++i) {
            DeedMark mark{i, done[i].at.value_or(Nanos(0)).count(), -1, done[i].when.has_value(), deedText(done[i])};
            if (done[i].duration) mark.until = mark.at + done[i].duration->count();
            m_deeds.push_back(std::move(mark));
        }
    }
    m_ruler->setHands(hands);
    if (m_brief) updateGeometries(); // the strip of faults is there while there is one
}

std::int64_t TimelineView::snapped(std::int64_t t) const {
    constexpr double kPixels = 2;
    const TimelineCoordinates c(m_zoom->from(), m_zoom->to(),
                                std::max(1, viewport()->width() - m_metrics.labelWidth()));
    const std::int64_t step = rulerStep(c, kPixels);
    return std::clamp<std::int64_t>((t + step / 2) / step * step, 0, m_zoom->end());
}

void TimelineView::drawSpan(std::int64_t from, std::int64_t to) {
    const auto [first, last] = std::minmax({snapped(from), snapped(to)});
    m_span = {Nanos(first), Nanos(last)};
    updateAll();
}

void TimelineView::finishSpan(trace::EntityId entity, const QPoint& globalPos) {
    if (m_span) Q_EMIT spanDrawn(entity, m_span->first, m_span->second, globalPos);
}

void TimelineView::clearSpan() {
    if (!m_span) return;
    m_span.reset();
    updateAll();
}

void TimelineView::paintSpan(QPainter& painter) {
    if (!m_span) return;
    const double left = canvasX(m_span->first.count()), right = canvasX(m_span->second.count());
    painter.fillRect(QRectF(left, 0, right - left, viewport()->height()), color(Role::Fault, 0.16));
    painter.fillRect(QRectF(left - 0.5, 0, 1, viewport()->height()), color(Role::Fault));
    if (right > left) painter.fillRect(QRectF(right - 0.5, 0, 1, viewport()->height()), color(Role::Fault));
}

} // namespace lockscope::views
