// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_overview.h"

#include "timeline/spotlight_paint.h"
#include "timeline/timeline_view.h"

#include <QApplication>
#include <QMouseEvent>
#include <algorithm>
#include <utility>

namespace lockscope::views {

TimelineOverview::TimelineOverview(TimelineView* view) : QWidget(view), m_view(view) {
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Overview"));
    setAccessibleDescription(tr("The whole trace; click to set the playhead, drag to move the visible range"));
    setCursor(Qt::PointingHandCursor);
    m_later.setSingleShot(true);
    m_later.setInterval(200);
    connect(&m_later, &QTimer::timeout, this, [this] {
        m_stale = true;
        update();
    });
}

void TimelineOverview::refresh() {
    if (!m_later.isActive()) m_later.start();
}

void TimelineOverview::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const std::lock_guard lock(m_view->loader()->data()->mutex());
    const TimelineScene scene = m_view->scene();
    const double dpr = devicePixelRatioF();
    if (m_stale || std::abs(m_end - scene.end) > scene.end / 200 ||
        m_picture.deviceIndependentSize() != QSizeF(size()) || m_picture.devicePixelRatio() != dpr) {
        if (m_picture.size() != size() * dpr) m_picture = QPixmap(size() * dpr);
        m_picture.setDevicePixelRatio(dpr);
        QPainter into(&m_picture);
        paintOverview(into, size(), scene);
        m_end = scene.end;
        m_stale = false;
    }
    painter.drawPixmap(0, 0, m_picture);
    paintOverviewFrame(painter, size(), scene);
    if (scene.playhead < 0) return;
    const int labels = scene.metrics.labelWidth();
    const TimelineCoordinates c(0, scene.end, std::max(1, width() - labels));
    const double now = labels + c.x(scene.playhead);
    if (m_view->context() && m_view->context()->spotlight()) paintNotYetSmall(painter, size(), now);
    paintPlayheadLine(painter, now, height());
}

void TimelineOverview::resizeEvent(QResizeEvent*) {
    m_stale = true;
}

std::int64_t TimelineOverview::timeAt(double x) const {
    const int labels = m_view->m_metrics.labelWidth();
    return TimelineCoordinates(0, m_view->zoom()->end(), std::max(1, width() - labels)).time(x - labels);
}

void TimelineOverview::centre(double x) {
    const TimelineZoom* zoom = m_view->zoom();
    m_view->panByHand(timeAt(x) - zoom->span() / 2 - zoom->from());
}

void TimelineOverview::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    m_pressX = event->position().x();
    centre(*m_pressX);
}

void TimelineOverview::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton)) return;
    const double x = event->position().x();
    if (m_pressX && std::abs(x - *m_pressX) < QApplication::startDragDistance()) return;
    m_pressX.reset();
    centre(x);
}

void TimelineOverview::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_pressX) return;
    const std::int64_t at = timeAt(*std::exchange(m_pressX, std::nullopt));
    if (m_view->context()) m_view->context()->seek(Nanos(std::clamp<std::int64_t>(at, 0, m_view->zoom()->end())));
}

void TimelineOverview::wheelEvent(QWheelEvent* event) {
    // Over the whole trace the cursor's place means another instant than over the lanes: zoom about the middle.
    if (!m_view->handleWheel(event, m_view->m_metrics.labelWidth() + (width() - m_view->m_metrics.labelWidth()) / 2.0))
        event->ignore();
}

} // namespace lockscope::views
