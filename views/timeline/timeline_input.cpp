// SPDX-License-Identifier: GPL-3.0-or-later
// How mouse, wheel, fingers and keys act on a TimelineView.
#include "models/planned.h"
#include "theme/plain_tips.h"
#include "timeline/lane_edge.h"
#include "timeline/timeline_accessible.h"
#include "timeline/timeline_view.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QGestureEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPinchGesture>
#include <QScrollBar>
#include <QStyleHints>
#include <QWheelEvent>
#include <cmath>

namespace lockscope::views {
namespace {
constexpr double kZoomStep = 0.8; ///< of the range that is left after one notch of the wheel or one press of +
}

void TimelineView::zoomIn() {
    // About the playhead while it is in sight: that is what one wants to see closer.
    const std::int64_t t = m_context->playhead().count();
    const bool seen = t >= m_zoom->from() && t <= m_zoom->to();
    m_zoom->zoomAbout(seen ? t : m_zoom->from() + m_zoom->span() / 2, kZoomStep);
}

void TimelineView::zoomOut() {
    const std::int64_t t = m_context->playhead().count();
    const bool seen = t >= m_zoom->from() && t <= m_zoom->to();
    m_zoom->zoomAbout(seen ? t : m_zoom->from() + m_zoom->span() / 2, 1 / kZoomStep);
}

void TimelineView::fit() {
    m_zoom->fit();
}
void TimelineView::panLeft() {
    panByHand(-m_zoom->span() / 10);
}
void TimelineView::panRight() {
    panByHand(m_zoom->span() / 10);
}
std::int64_t TimelineView::liveEnd() const {
    const session::Session* const session = m_context ? m_context->session() : nullptr;
    if (!session || !session->abilities().live) return 0;
    constexpr std::int64_t kRoom = 32; // a part of the width: the mark of now and its time
    return m_context->playhead().count() + m_zoom->span() / kRoom;
}

void TimelineView::setFollowing(bool following) {
    m_lookedAway = false;
    m_zoom->setFollowing(following);
    if (following) m_zoom->follow(m_context->playhead().count());
}

void TimelineView::zoomAt(double viewportX, double factor) {
    m_zoom->zoomAbout(timeAt(std::max(viewportX, double(m_metrics.labelWidth()))), factor);
}

void TimelineView::panPixels(double pixels) {
    const double width = std::max(1, viewport()->width() - m_metrics.labelWidth());
    panByHand(std::int64_t(std::llround(pixels * double(m_zoom->span()) / width)));
}

void TimelineView::panByHand(std::int64_t delta) {
    m_zoom->panBy(delta);
    const std::int64_t t = m_context->playhead().count();
    if (t >= m_zoom->from() && t <= m_zoom->to()) {
        if (m_lookedAway) setFollowing(true); // back where the run is
        return;
    }
    // One who looks elsewhere is not pulled back.
    m_lookedAway = m_lookedAway || m_zoom->isFollowing();
    m_zoom->setFollowing(false);
}

bool TimelineView::handleWheel(QWheelEvent* event, double viewportX) {
    // A trackpad tells pixels, a wheel tells eighths of a degree, 120 to a notch.
    const QPoint pixels = event->pixelDelta(), angle = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier) {
        const double notches = !pixels.isNull() ? pixels.y() / 60.0 : (angle.y() ? angle.y() : angle.x()) / 120.0;
        if (notches != 0) zoomAt(viewportX, std::pow(kZoomStep, notches));
        event->accept();
        return true;
    }
    const bool sideways = event->modifiers() & (Qt::ShiftModifier | Qt::AltModifier);
    const double x = !pixels.isNull() ? pixels.x() : angle.x() / 2.0,
                 y = !pixels.isNull() ? pixels.y() : angle.y() / 2.0;
    const double pan = sideways ? (y != 0 ? y : x) : std::abs(x) > std::abs(y) ? x : 0;
    if (pan == 0) return false;
    panPixels(-pan);
    event->accept();
    return true;
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    if (!handleWheel(event, event->position().x())) QAbstractScrollArea::wheelEvent(event);
}

bool TimelineView::handleGesture(QEvent* event) {
    if (event->type() == QEvent::NativeGesture) {
        const auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() != Qt::ZoomNativeGesture) return false;
        zoomAt(gesture->position().x(), 1 / std::max(0.1, 1 + gesture->value()));
        return true;
    }
    auto* gestures = static_cast<QGestureEvent*>(event);
    const auto* pinch = static_cast<QPinchGesture*>(gestures->gesture(Qt::PinchGesture));
    if (!pinch || !(pinch->changeFlags() & QPinchGesture::ScaleFactorChanged)) return false;
    const QPointF centre = viewport()->mapFromGlobal(pinch->centerPoint().toPoint());
    zoomAt(centre.x(), 1 / std::max(0.1, pinch->scaleFactor()));
    gestures->accept();
    return true;
}

bool TimelineView::viewportEvent(QEvent* event) {
    switch (event->type()) {
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        showToolTip(help->pos(), help->globalPos());
        return true;
    }
    case QEvent::NativeGesture:
    case QEvent::Gesture:
        if (handleGesture(event)) return true;
        break;
    default:
        break;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void TimelineView::showToolTip(const QPoint& viewportPos, const QPoint& globalPos) {
    QString words;
    {
        const std::lock_guard lock(m_loader->data()->mutex());
        const TimelineScene now = scene();
        words = hitWords(now, hitTest(now, viewport()->size(), viewportPos));
        if (const TimelineLayout::Section* const section = now.sectionAt(viewportPos.y()))
            words = section->away.folded > 0 ? tr("Click to unfold these lanes") : tr("Click to fold these lanes");
        if (viewportPos.x() >= m_metrics.labelWidth()) {
            const auto slack = std::int64_t(m_metrics.px(7) * now.coordinates(viewport()->width()).nanosPerPixel());
            const QString alerts = m_alerts.wordsAt(now, now.rowAt(viewportPos.y()), timeAt(viewportPos.x()), slack);
            if (!alerts.isEmpty()) words = alerts + (words.isEmpty() ? QString() : QStringLiteral("\n\n") + words);
        }
    }
    showPlainTip(globalPos, words, viewport());
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    m_press = event->position();
    m_pressGlobal = m_lastGlobal = event->globalPosition();
    m_drag = Drag::Pressed;
    if (event->modifiers() & Qt::ControlModifier && m_press.x() >= m_metrics.labelWidth() && canPlan(*m_context)) {
        m_drag = Drag::Span;
        m_spanOf = entityOfRow(rowAt(int(m_press.y())));
        return;
    }
    if (event->modifiers() & Qt::ShiftModifier && m_press.x() >= m_metrics.labelWidth()) {
        m_drag = Drag::Measure;
        m_measuresPlayhead = false;
        m_measured = {Nanos(timeAt(m_press.x())), Nanos(timeAt(m_press.x()))};
        viewport()->update();
    }
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    if (m_drag == Drag::None) {
        const bool caption = scene().sectionAt(int(event->position().y()));
        viewport()->setCursor(caption ? Qt::PointingHandCursor : Qt::ArrowCursor);
        return;
    }
    // Global positions: the ground moves under the cursor while panning.
    const QPointF global = event->globalPosition();
    if (m_drag == Drag::Pressed) {
        if ((global - m_pressGlobal).manhattanLength() < QApplication::startDragDistance()) return;
        m_drag = Drag::Pan;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (m_drag == Drag::Span) {
        if (m_span || (global - m_pressGlobal).manhattanLength() >= QApplication::startDragDistance())
            drawSpan(timeAt(m_press.x()), timeAt(event->position().x()));
        return;
    }
    if (m_drag == Drag::Pan) {
        panPixels(m_lastGlobal.x() - global.x());
        verticalScrollBar()->setValue(verticalScrollBar()->value() + int(m_lastGlobal.y() - global.y()));
        m_lastGlobal = global;
        return;
    }
    measureTo(Nanos(std::clamp<std::int64_t>(timeAt(event->position().x()), 0, m_zoom->end())));
}

void TimelineView::measureTo(Nanos t) {
    if (!m_measured) return;
    m_measured->second = t;
    const Nanos length = m_measured->second - m_measured->first;
    Q_EMIT measureChanged(length < Nanos(0) ? -length : length);
    viewport()->update();
}

void TimelineView::measureFromPlayhead() {
    if (m_measured && std::exchange(m_measuresPlayhead, false)) {
        if (m_measured->first == m_measured->second) clearMeasure();
        return;
    }
    if (!m_context || !m_context->session()) return;
    clearMeasure();
    m_measured = {m_context->playhead(), m_context->playhead()};
    m_measuresPlayhead = true;
    viewport()->update();
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const Drag drag = std::exchange(m_drag, Drag::None);
    viewport()->unsetCursor();
    if (drag == Drag::Measure && m_measured && m_measured->first == m_measured->second) clearMeasure();
    if (drag == Drag::Span && m_span) finishSpan(m_spanOf, event->globalPosition().toPoint());
    if (drag == Drag::Pressed || (drag == Drag::Span && !m_span)) clickAt(event->position());
}

void TimelineView::clearMeasure() {
    m_measuresPlayhead = false;
    if (m_drag == Drag::Measure) m_drag = Drag::None; // what is being dragged is gone, whatever the button does
    if (!m_measured) return;
    m_measured.reset();
    Q_EMIT measureChanged(Nanos(0));
    viewport()->update();
}

std::optional<std::size_t> TimelineView::damageAt(std::int64_t at) const {
    // By the write's own time: its mark is wider than the instant that it stands for.
    const std::vector<std::size_t> violations = m_bands.at(at, 0, at);
    const auto found = std::ranges::find_if(violations, [&](std::size_t i) {
        const verdict::Violation& violation = m_bands.violation(i);
        return violation.invariant == verdict::Invariant::StaleWrite && violation.from.count() == at;
    });
    return found == violations.end() ? std::nullopt : std::optional(*found);
}

void TimelineView::clickAt(const QPointF& position) {
    using What = TimelineHit::What;
    TimelineHit hit;
    std::optional<std::int64_t> write; // when it was, if that is what was clicked
    {
        const std::lock_guard lock(m_loader->data()->mutex());
        hit = hitTest(scene(), viewport()->size(), position);
        if (hit.what == What::Tick && hit.lane->kind == LaneKind::Effect) write = hit.lane->ticks[hit.index].at;
    }
    const bool onEmptyGround = hit.what == What::Nothing || hit.what == What::Lane || hit.what == What::Life;
    if (hit.row >= 0) {
        m_focusRow = hit.row;
        selectRow(hit.row);
    } else if (const TimelineLayout::Section* const section = scene().sectionAt(int(position.y()))) {
        return toggleSection(section->kind);
    } else {
        m_context->select(trace::kNoEntity);
    }
    // On a bar one means the bar; beside it, the band behind it. A write that did damage is a violation itself.
    std::optional<std::size_t> activated;
    if (onEmptyGround && !hit.violations.empty()) activated = hit.violations.front();
    if (write) activated = damageAt(*write);
    if (activated) Q_EMIT violationActivated(int(*activated));
    viewport()->update();
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    m_drag = Drag::None;
    const int row = rowAt(int(event->position().y()));
    if (event->position().x() < m_metrics.labelWidth()) {
        if (row >= 0) Q_EMIT detailRequested(entityOfRow(row));
        return;
    }
    m_context->seek(Nanos(std::clamp<std::int64_t>(timeAt(event->position().x()), 0, m_zoom->end())));
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
    int row = m_focusRow;
    QPoint global = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard) {
        if (row < 0) return;
        global =
            viewport()->mapToGlobal(rowRect(row).topLeft() + QPoint(m_metrics.labelWidth(), rowRect(row).height() / 2));
    } else {
        row = rowAt(viewport()->mapFromGlobal(global).y());
        if (row < 0) return;
        m_focusRow = row;
        selectRow(row);
    }
    Q_EMIT contextMenuRequested(entityOfRow(row), global);
}

void TimelineView::selectRow(int row) {
    const bool belief = row >= 0 && row < int(m_layout.rows().size()) &&
                        m_layout.rows()[std::size_t(row)].lane->kind == LaneKind::Belief;
    m_context->select(entityOfRow(row), belief ? m_layout.rows()[std::size_t(row)].lane->other : trace::kNoEntity);
}

trace::EntityId TimelineView::entityOfRow(int row) const {
    return row >= 0 && row < int(m_layout.rows().size()) ? m_layout.rows()[std::size_t(row)].lane->entity
                                                         : trace::kNoEntity;
}

void TimelineView::setFocusRow(int row) {
    if (row < 0 || row >= int(m_layout.rows().size())) return;
    m_focusRow = row;
    selectRow(row);
    ensureRowVisible(row);
    viewport()->update();
    announceTimelineFocus(this, row);
}

void TimelineView::moveFocusRow(int by) {
    const int last = int(m_layout.rows().size()) - 1;
    if (last >= 0) setFocusRow(m_focusRow < 0 ? (by > 0 ? 0 : last) : std::clamp(m_focusRow + by, 0, last));
}

void TimelineView::ensureRowVisible(int row) {
    const QRect r = rowRect(row);
    if (r.isEmpty()) return;
    const TimelineLayout::Pinned pinned = scene().pinned;
    const int y = m_layout.rows()[std::size_t(row)].y;
    if (pinned.contains(y)) return; // it is in sight in any case
    const bool belowPinned = pinned.height() > 0 && y >= pinned.bottom;
    const int above = m_metrics.captionHeight() + (belowPinned ? pinned.height() : 0);
    const int end = viewport()->height() - (belowPinned ? 0 : pinned.height());
    if (r.top() < above)
        verticalScrollBar()->setValue(verticalScrollBar()->value() + r.top() - above);
    else if (const int below = r.bottom() + 1 - end; below > 0) {
        const int least = verticalScrollBar()->value() + below;
        // A watched server's lanes are whole at the top, too, where the row has the room.
        const int edge = scrollsByLanes(*this) ? laneEdge(*this, least, Qt::BottomEdge) : least;
        verticalScrollBar()->setValue(y - edge >= above ? edge : least);
    }
}

bool TimelineView::handlesKey(const QKeyEvent* event) const {
    const Qt::KeyboardModifiers modifiers = event->modifiers() & ~Qt::KeypadModifier;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        return modifiers == Qt::ShiftModifier;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_Minus:
        // Keyboards differ in whether Plus needs Shift. With Ctrl it is the window's: the size of its text.
        return !(modifiers & (Qt::AltModifier | Qt::MetaModifier | Qt::ControlModifier));
    case Qt::Key_0:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return modifiers == Qt::NoModifier;
    case Qt::Key_Escape:
        return modifiers == Qt::NoModifier && (m_measured || !m_layout.wanted().text.isEmpty());
    default:
        return false;
    }
}

bool TimelineView::event(QEvent* event) {
    // While the timeline has the focus, its keys are its own, whatever shortcuts the window has. The keys that move the
    // playhead are not among them: they are the player's, wherever the focus is.
    if (event->type() == QEvent::ShortcutOverride && handlesKey(static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QAbstractScrollArea::event(event);
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    if (!handlesKey(event)) {
        event->ignore();
        return;
    }
    switch (event->key()) {
    case Qt::Key_Left:
        panLeft();
        break;
    case Qt::Key_Right:
        panRight();
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomIn();
        break;
    case Qt::Key_Minus:
        zoomOut();
        break;
    case Qt::Key_0:
        fit();
        break;
    case Qt::Key_Up:
        moveFocusRow(-1);
        break;
    case Qt::Key_Down:
        moveFocusRow(1);
        break;
    case Qt::Key_PageUp:
        moveFocusRow(-8);
        break;
    case Qt::Key_PageDown:
        moveFocusRow(8);
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_focusRow >= 0) Q_EMIT detailRequested(entityOfRow(m_focusRow));
        break;
    case Qt::Key_Escape:
        if (m_measured)
            clearMeasure();
        else
            closeFilter();
        break;
    default:
        break;
    }
}

void TimelineView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    const Qt::FocusReason reason = event->reason();
    const bool returns = reason == Qt::PopupFocusReason || reason == Qt::ActiveWindowFocusReason ||
                         reason == Qt::MenuBarFocusReason; // from a menu, say
    if (!returns) m_tabbedIn = reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason;
    frameFirstLane();
    if (m_tabbedIn && m_focusRow >= 0) ensureRowVisible(m_focusRow);
    viewport()->update();
}

void TimelineView::takeKeyboard() {
    setFocus(Qt::TabFocusReason);
    m_tabbedIn = true; // a view that has the focus, or whose window is not active yet, hears of nothing
    frameFirstLane();
    viewport()->update();
}

void TimelineView::frameFirstLane() {
    const auto& rows = m_layout.rows();
    if (!m_tabbedIn || !hasFocus() || m_focusRow >= 0 || rows.empty()) return;
    m_focusRow = m_layout.rowOf(m_context->selection());
    if (m_focusRow >= 0) return;
    // The uppermost lane in sight: a low view may be scrolled.
    const int top = verticalScrollBar()->value();
    const auto whole = std::ranges::find_if(rows, [top](const auto& row) { return row.y >= top; });
    m_focusRow = whole == rows.end() ? 0 : int(whole - rows.begin());
}

void TimelineView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void TimelineView::announceSoon() {
    if (QAccessible::isActive() && !m_announce.isActive()) m_announce.start();
}

} // namespace lockscope::views
