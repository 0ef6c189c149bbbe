// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_ruler.h"

#include "theme/format.h"
#include "theme/plain_tips.h"
#include "timeline/spotlight_paint.h"
#include "timeline/timeline_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <cmath>
#include <utility>

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
    const int labels = scene.metrics.labelWidth();
    if (m_held && m_held->moved) {
        const PaintKit kit(painter, scene.data, scene.coordinates(width()), scene.metrics, scene.devicePixelRatio);
        const double to = labels + kit.c.x(m_held->to);
        kit.box(QRectF(std::round(to), scene.metrics.rulerHeight(), 1, height()), color(Role::Fault));
        kit.chip(to + 2, scene.metrics.rulerHeight() + scene.metrics.px(6),
                 QStringLiteral("%1 → %2").arg(m_held->words, instantShort(Nanos(m_held->to))), Role::Surface,
                 Role::Fault, Role::FaultText);
    }
    if (scene.playhead < scene.from || scene.playhead > scene.to) return;
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
                for (const FaultChip& chip : faultChips(scene, c)) {
                    if (x < chip.box.left() || x > chip.box.right()) continue;
                    const TickTrack& faults = scene.data.faults();
                    constexpr qsizetype kMost = 6; // of one instant
                    for (std::size_t i = faults.lowerBound(chip.at); i < faults.size() && faults[i].at == chip.at; ++i)
                        if (lines.size() < kMost) lines << faultSentence(scene.data.trace(), faults[i]);
                    if (chip.byHand) lines << tr("Drag it to another time, or take it back by a right click.");
                }
            }
        }
        showPlainTip(help->globalPos(), lines.join(u'\n'), this);
        return true;
    }
    return QWidget::event(event);
}

void TimelineRuler::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (const auto chip = chipAt(event->position())) {
        const auto index = byHandAt(chip->at);
        if (chip->byHand && index) {
            m_held = Held{*index, chip->at, chip->at, event->position().x(), false, chip->words};
            return;
        }
        m_view->context()->seek(Nanos(chip->at));
        return;
    }
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
    if (m_held) {
        const double by = event->position().x() - m_held->pressX;
        m_held->moved = m_held->moved || std::abs(by) >= QApplication::startDragDistance();
        const double nanosPerPixel = double(timeOf(width()) - timeOf(0)) / std::max(1, width());
        m_held->to = std::max<std::int64_t>(0, m_held->from + std::int64_t(by * nanosPerPixel));
        setCursor(m_held->moved ? Qt::SizeHorCursor : Qt::PointingHandCursor);
        update();
        return;
    }
    if (m_view->m_seeking) seek(event->position().x());
}

void TimelineRuler::mouseReleaseEvent(QMouseEvent*) {
    m_view->m_seeking = false;
    const auto held = std::exchange(m_held, std::nullopt);
    if (!held) return;
    setCursor(Qt::PointingHandCursor);
    update();
    if (!held->moved) return m_view->context()->seek(Nanos(held->from));
    // The list of faults done by hand may be another one by now.
    if (byHandAt(held->from) == held->index) m_view->context()->session()->move(held->index, Nanos(held->to));
}

void TimelineRuler::contextMenuEvent(QContextMenuEvent* event) {
    const auto chip = chipAt(event->pos());
    const auto index = chip && chip->byHand ? byHandAt(chip->at) : std::nullopt;
    if (!index) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Take it back"), this, [this, at = chip->at] {
        if (const auto still = byHandAt(at)) m_view->context()->session()->withdraw(*still);
    });
    menu->popup(event->globalPos());
}

std::int64_t TimelineRuler::timeOf(double x) const {
    return m_view->timeAt(x);
}

std::optional<FaultChip> TimelineRuler::chipAt(const QPointF& position) const {
    const std::lock_guard lock(m_view->loader()->data()->mutex());
    const TimelineScene scene = m_view->scene();
    const QPointF at = position - QPointF(scene.metrics.labelWidth(), scene.metrics.rulerHeight());
    if (at.x() < 0 || at.y() < 0) return std::nullopt;
    for (const FaultChip& chip : faultChips(scene, scene.coordinates(width())))
        if (chip.box.contains(at)) return chip;
    return std::nullopt;
}

std::optional<std::size_t> TimelineRuler::byHandAt(std::int64_t at) const {
    const session::Session* const session = m_view->context() ? m_view->context()->session() : nullptr;
    if (!session || !session->abilities().rewind) return std::nullopt;
    const std::vector<scenario::Fault> done = session->doneByHand();
    const auto found =
        std::ranges::find_if(done, [at](const scenario::Fault& fault) { return fault.at && fault.at->count() == at; });
    return found == done.end() ? std::nullopt : std::optional(std::size_t(found - done.begin()));
}

void TimelineRuler::wheelEvent(QWheelEvent* event) {
    if (!m_view->handleWheel(event, event->position().x())) event->ignore();
}

} // namespace lockscope::views
