// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_ruler.h"

#include "theme/plain_tips.h"
#include "timeline/spotlight_paint.h"
#include "timeline/timeline_view.h"

#include <QHelpEvent>
#include <QMouseEvent>

namespace lockscope::views {

TimelineRuler::TimelineRuler(TimelineView* view) : QWidget(view), m_view(view) {
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Time scale"));
    setAccessibleDescription(tr("Drag to move the playhead"));
    setCursor(Qt::PointingHandCursor);
}

void TimelineRuler::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const std::lock_guard lock(m_view->loader()->data()->mutex());
    const TimelineScene scene = m_view->scene();
    paintRuler(painter, size(), scene);
    if (m_view->context() && m_view->context()->spotlight()) paintNotYet(painter, size(), scene);
    if (scene.playhead < scene.from || scene.playhead > scene.to) return;
    const int labels = scene.metrics.labelWidth();
    const double x = labels + scene.coordinates(width()).x(scene.playhead);
    painter.save();
    painter.translate(0, scene.metrics.px(16));
    paintPlayheadLine(painter, x, height());
    painter.restore();
    paintPlayheadPill(painter, x, labels, width(), scene);
}

void TimelineRuler::seek(double x) {
    if (!m_view->context()) return;
    const std::int64_t t = std::clamp<std::int64_t>(m_view->timeAt(x), 0, m_view->zoom()->end());
    m_view->context()->seek(Nanos(t));
}

bool TimelineRuler::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QStringList lines;
        {
            const std::lock_guard lock(m_view->loader()->data()->mutex());
            const TimelineScene scene = m_view->scene();
            const TimelineCoordinates c = scene.coordinates(width());
            const double x = help->pos().x() - scene.metrics.labelWidth();
            if (x >= 0 && help->pos().y() >= scene.metrics.rulerHeight()) {
                const auto slack = std::int64_t(ViolationBands::kLeastWidth * c.nanosPerPixel());
                for (const std::size_t i : scene.bands.at(c.time(x), slack, scene.data.now()))
                    if (lines.size() < 3) lines << verdict::explain(scene.bands.violation(i), scene.data.trace());
                const TickTrack& faults = scene.data.generalFaults();
                const std::size_t i = faults.lowerBound(c.time(x - 5));
                if (i < faults.size() && c.x(faults[i].at) < x + 5)
                    lines << faultSentence(scene.data.trace(), faults[i]);
            }
        }
        showPlainTip(help->globalPos(), lines.join(u'\n'), this);
        return true;
    }
    return QWidget::event(event);
}

void TimelineRuler::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (event->position().y() >= m_view->m_metrics.rulerHeight()) {
        // The strip: a click on a pill or band goes to that violation.
        std::vector<std::size_t> hit;
        {
            const std::lock_guard lock(m_view->loader()->data()->mutex());
            const TimelineScene scene = m_view->scene();
            const TimelineCoordinates c = scene.coordinates(width());
            hit = scene.bands.at(c.time(event->position().x() - scene.metrics.labelWidth()),
                                 std::int64_t(4 * c.nanosPerPixel()), scene.data.now());
        }
        if (!hit.empty()) {
            m_view->context()->select(m_view->m_bands.violation(hit.front()).lock);
            Q_EMIT m_view->violationActivated(int(hit.front()));
            return;
        }
    }
    m_view->m_seeking = true;
    seek(event->position().x());
}

void TimelineRuler::mouseMoveEvent(QMouseEvent* event) {
    if (m_view->m_seeking) seek(event->position().x());
}

void TimelineRuler::mouseReleaseEvent(QMouseEvent*) {
    m_view->m_seeking = false;
}

void TimelineRuler::wheelEvent(QWheelEvent* event) {
    if (!m_view->handleWheel(event, event->position().x())) event->ignore();
}

} // namespace lockscope::views
