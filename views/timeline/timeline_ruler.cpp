// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_ruler.h"

#include "models/planned.h"
#include "theme/format.h"
#include "theme/plain_tips.h"
#include "timeline/spotlight_paint.h"
#include "timeline/timeline_view.h"
#include "timeline/violation_sentence.h"

#include <QHelpEvent>
#include <cmath>

namespace lockscope::views {

TimelineRuler::TimelineRuler(TimelineView* view) : QWidget(view), m_view(view) {
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMouseTracking(true); // the cursor tells what a drag would do
    setAccessibleName(tr("Time scale"));
    setAccessibleDescription(tr("Drag to move the playhead"));
    setCursor(Qt::PointingHandCursor);
}

void TimelineRuler::setHands(bool canPlan) {
    setFocusPolicy(canPlan ? Qt::TabFocus : Qt::NoFocus);
    setAccessibleName(canPlan ? tr("Time scale and faults") : tr("Time scale"));
    if (!canPlan) m_chosen.reset();
    m_held.reset();
    m_drawnFrom.reset();
    update();
}

void TimelineRuler::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const std::lock_guard lock(m_view->loader()->data()->mutex());
    const TimelineScene scene = m_view->scene();
    m_bandWords.clear();
    paintRuler(painter, size(), scene, &m_bandWords);
    if (m_view->context() && m_view->context()->spotlight()) paintNotYet(painter, size(), scene);
    const int labels = scene.metrics.labelWidth();
    {
        const PaintKit kit(painter, scene.data, scene.coordinates(width()), scene.metrics, scene.devicePixelRatio);
        painter.save();
        painter.translate(labels, 0);
        painter.setClipRect(QRect(0, 0, width() - labels, height()));
        if (hasFocus()) paintChosen(kit, scene);
        if (const auto span = m_view->span()) {
            const double from = kit.c.x(span->first.count()), to = kit.c.x(span->second.count());
            const int top = scene.metrics.rulerHeight();
            kit.box(QRectF(from, top, std::max(1.0, to - from), height() - top), color(Role::Fault, 0.3));
            kit.chip(to + 4, top + scene.metrics.px(6),
                     span->first == span->second ? instantShort(kit.trace, span->first)
                                                 : interval(kit.trace, span->first, span->second),
                     Role::Surface, Role::Fault, Role::FaultText);
        }
        if (m_held && m_held->moved) paintHeld(kit);
        painter.restore();
    }
    if (scene.playhead < scene.from || scene.playhead > scene.to) return;
    const double x = labels + scene.coordinates(width()).x(scene.playhead);
    painter.save();
    painter.translate(0, scene.metrics.px(16));
    paintPlayheadLine(painter, x, height());
    painter.restore();
    paintPlayheadPill(painter, width(), scene);
}

void TimelineRuler::paintHeld(const PaintKit& kit) {
    const int top = kit.m.rulerHeight();
    const double to = kit.c.x(m_held->to);
    if (m_held->part == Part::End) {
        const double from = kit.c.x(m_held->deed.at->count());
        kit.box(QRectF(from, top + kit.m.px(26), std::max(1.0, to - from), kit.m.px(4)), color(Role::Fault));
    }
    kit.box(QRectF(std::round(to), top, 1, height()), color(Role::Fault));
    const QString where = m_held->part == Part::End ? duration(Nanos(m_held->to) - *m_held->deed.at)
                                                    : instantShort(kit.trace, Nanos(m_held->to));
    kit.chip(to + 2, top + kit.m.px(6), QStringLiteral("%1 → %2").arg(m_held->words, where), Role::Surface, Role::Fault,
             Role::FaultText);
}

void TimelineRuler::paintChosen(const PaintKit& kit, const TimelineScene& scene) {
    const auto deed = chosen();
    QRectF frame(1, kit.m.rulerHeight() + 1, kit.c.width() - 2, height() - kit.m.rulerHeight() - 3);
    for (const FaultChip& chip : faultChips(scene, kit.c))
        if (deed && chip.deed == deed)
            frame = chip.box.translated(0, kit.m.rulerHeight()).adjusted(-1.5, -1.5, 1.5, 1.5);
    kit.p.setPen(QPen(color(Role::FocusRing), 1.5));
    kit.p.setBrush(Qt::NoBrush);
    kit.p.drawRoundedRect(frame, 4, 4);
}

void TimelineRuler::seek(double x) {
    if (!m_view->context()) return;
    const std::int64_t t = std::clamp<std::int64_t>(m_view->timeAt(x), 0, m_view->zoom()->end());
    m_view->context()->seek(Nanos(t));
}

QStringList TimelineRuler::tipLines(const QPointF& position) {
    QStringList lines;
    const std::lock_guard lock(m_view->loader()->data()->mutex());
    const TimelineScene scene = m_view->scene();
    const TimelineCoordinates c = scene.coordinates(width());
    const double x = position.x() - scene.metrics.labelWidth();
    if (x < 0 || position.y() < scene.metrics.rulerHeight()) return lines;
    const auto slack = std::int64_t(ViolationBands::kLeastWidth * c.nanosPerPixel());
    for (const std::size_t i : scene.bands.at(c.time(x), slack, scene.data.now()))
        if (lines.size() < 3) lines << violationSentence(scene, scene.bands.violation(i));
    for (const FaultChip& chip : faultChips(scene, c)) {
        if (x < chip.box.left() || x > chip.box.right()) continue;
        const TickTrack& faults = scene.data.faults();
        constexpr qsizetype kMost = 6; // of one instant
        for (std::size_t i = faults.lowerBound(chip.at); i < faults.size() && faults[i].at <= chip.last; ++i)
            if (lines.size() < kMost) lines << faultSentence(scene.data.trace(), faults[i]);
        if (chip.deed)
            for (const DeedMark& deed : scene.deeds)
                if (deed.index == *chip.deed && chip.awaited)
                    lines << (deed.byCondition
                                  ? tr("From %1 on: %2").arg(instant(scene.data.trace(), Nanos(deed.at)), deed.words)
                                  : tr("%1: %2").arg(instant(scene.data.trace(), Nanos(deed.at)), deed.words));
        if (chip.deed) lines << tr("Drag it to another time, or take it back by a right click.");
    }
    if (lines.isEmpty() && m_view->context() && canPlan(*m_view->context()))
        lines << tr("Drag here, or over a lane with Ctrl, to draw a fault.");
    return lines;
}

bool TimelineRuler::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        showPlainTip(help->globalPos(), tipLines(help->pos()).join(u'\n'), this);
        return true;
    }
    if (event->type() == QEvent::ShortcutOverride && handlesKey(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void TimelineRuler::wheelEvent(QWheelEvent* event) {
    if (!m_view->handleWheel(event, event->position().x())) event->ignore();
}

} // namespace lockscope::views
