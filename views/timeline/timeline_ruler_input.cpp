// SPDX-License-Identifier: GPL-3.0-or-later
// How mouse and keys act on the time scale and on the faults below it.
#include "models/deed_keys.h"
#include "models/planned.h"
#include "timeline/timeline_ruler.h"
#include "timeline/timeline_view.h"

#include <QAccessible>
#include <QApplication>
#include <QMenu>
#include <QMouseEvent>
#include <cmath>
#include <utility>

namespace lockscope::views {

session::Session* TimelineRuler::session() const {
    return m_view->context() ? m_view->context()->session() : nullptr;
}

std::optional<std::size_t> TimelineRuler::chosen() const {
    if (!m_chosen || !session()) return std::nullopt;
    const std::vector<scenario::Fault> done = session()->doneByHand();
    const auto found = std::ranges::find(done, *m_chosen);
    return found == done.end() ? std::nullopt : std::optional(std::size_t(found - done.begin()));
}

void TimelineRuler::choose(std::size_t deed) {
    if (!session()) return;
    const std::vector<scenario::Fault> done = session()->doneByHand();
    if (deed >= done.size()) return;
    m_chosen = done[deed];
    say();
    update();
}

void TimelineRuler::chooseBy(int step) {
    const std::vector<DeedMark>& deeds = m_view->deeds();
    if (deeds.empty()) return;
    const auto now = chosen();
    const int last = int(deeds.size()) - 1;
    const int next = now ? std::clamp(int(*now) + step, 0, last) : step > 0 ? 0 : last;
    choose(std::size_t(next));
    m_view->zoom()->reveal(deeds[std::size_t(next)].at);
}

/// A reader hears which fault is chosen.
void TimelineRuler::say() {
    const auto deed = chosen();
    const std::vector<DeedMark>& deeds = m_view->deeds();
    setAccessibleDescription(deed && *deed < deeds.size() ? deeds[*deed].words : tr("Drag to move the playhead"));
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
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

std::optional<TimelineRuler::Held> TimelineRuler::deedAt(const QPointF& position) const {
    if (!session() || !canPlan(*m_view->context())) return std::nullopt;
    const std::vector<scenario::Fault> done = session()->doneByHand();
    const std::lock_guard lock(m_view->loader()->data()->mutex());
    const TimelineScene scene = m_view->scene();
    const QPointF at = position - QPointF(scene.metrics.labelWidth(), scene.metrics.rulerHeight());
    if (at.x() < 0 || at.y() < 0) return std::nullopt;
    const TimelineCoordinates c = scene.coordinates(width());
    const std::vector<FaultChip> chips = faultChips(scene, c);
    const auto held = [&](const FaultChip& chip, Part part) -> std::optional<Held> {
        if (*chip.deed >= done.size()) return std::nullopt;
        const std::int64_t from = part == Part::End ? chip.until : chip.at;
        return Held{done[*chip.deed], part, from, from, position.x(), false, chip.words};
    };
    for (const FaultChip& chip : chips)
        if (deedHandle(chip, scene, c).adjusted(-3, -2, 3, 4).contains(at)) return held(chip, Part::End);
    for (const FaultChip& chip : chips) {
        if (!chip.box.contains(at)) continue;
        if (chip.deed) return held(chip, Part::Whole);
        // The mark of the end that a deed brings about by itself.
        for (const FaultChip& deed : chips)
            if (deed.deed && deed.until == chip.at) return held(deed, Part::End);
    }
    return std::nullopt;
}

void TimelineRuler::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_view->context()) return;
    if (event->position().y() >= m_view->m_metrics.rulerHeight()) return pressOnStrip(event->position());
    m_view->m_seeking = true;
    seek(event->position().x());
}

void TimelineRuler::pressOnStrip(const QPointF& position) {
    if (auto held = deedAt(position)) {
        m_chosen = held->deed;
        m_held = std::move(held);
        setFocus(Qt::MouseFocusReason);
        say();
        update();
        return;
    }
    if (const auto chip = chipAt(position)) return m_view->context()->seek(Nanos(chip->at));
    if (canPlan(*m_view->context()) && position.x() >= m_view->m_metrics.labelWidth())
        m_drawnFrom = position.x(); // or a click: the release tells
    else
        clickOnStrip(position);
}

void TimelineRuler::clickOnStrip(const QPointF& position) {
    std::vector<std::size_t> hit;
    const QPointF at = position - QPointF(m_view->m_metrics.labelWidth(), 0);
    for (const BandWords& words : m_bandWords)
        if (words.ground.contains(at) && words.violation < m_view->m_bands.violationCount())
            hit.push_back(words.violation);
    if (hit.empty()) {
        const std::lock_guard lock(m_view->loader()->data()->mutex());
        const TimelineScene scene = m_view->scene();
        const TimelineCoordinates c = scene.coordinates(width());
        hit = scene.bands.at(c.time(position.x() - scene.metrics.labelWidth()), std::int64_t(4 * c.nanosPerPixel()),
                             scene.data.now());
    }
    if (hit.empty()) return seek(position.x());
    m_view->context()->select(m_view->m_bands.violation(hit.front()).lock);
    Q_EMIT m_view->violationActivated(int(hit.front()));
}

void TimelineRuler::mouseMoveEvent(QMouseEvent* event) {
    const double x = event->position().x();
    if (m_held) {
        m_held->moved = m_held->moved || std::abs(x - m_held->pressX) >= QApplication::startDragDistance();
        const std::int64_t by = m_view->timeAt(x) - m_view->timeAt(m_held->pressX);
        const std::int64_t least = m_held->part == Part::End ? m_held->deed.at->count() + 1'000'000 : 0;
        m_held->to = std::max(least, m_view->snapped(m_held->from + by));
        setCursor(m_held->moved ? Qt::SizeHorCursor : Qt::PointingHandCursor);
        update();
        return;
    }
    if (m_drawnFrom) {
        if (m_view->span() || std::abs(x - *m_drawnFrom) >= QApplication::startDragDistance())
            m_view->drawSpan(m_view->timeAt(*m_drawnFrom), m_view->timeAt(x));
        return;
    }
    if (m_view->m_seeking) return seek(x);
    const auto deed = deedAt(event->position());
    setCursor(deed && deed->part == Part::End ? Qt::SizeHorCursor : Qt::PointingHandCursor);
}

void TimelineRuler::mouseReleaseEvent(QMouseEvent* event) {
    m_view->m_seeking = false;
    if (std::exchange(m_drawnFrom, std::nullopt)) {
        if (!m_view->span()) return clickOnStrip(event->position());
        m_view->finishSpan(trace::kNoEntity, event->globalPosition().toPoint());
        return;
    }
    const auto held = std::exchange(m_held, std::nullopt);
    if (!held) return;
    setCursor(Qt::PointingHandCursor);
    update();
    if (!held->moved) return m_view->context()->seek(Nanos(held->from));
    // The list of faults done by hand may be another one by now.
    const auto index = chosen();
    if (!index || m_chosen != held->deed) return;
    scenario::Fault changed = held->deed;
    if (held->part == Part::End)
        changed.duration = Nanos(held->to) - *held->deed.at;
    else
        changed.at = Nanos(held->to);
    m_chosen = changed;
    replaceDeed(*m_view->context(), *index, changed);
}

void TimelineRuler::popUpMenu(std::size_t deed, const QPoint& where) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto still = [this, before = session()->doneByHand().at(deed)]() -> std::optional<std::size_t> {
        m_chosen = before;
        return chosen();
    };
    menu->addAction(tr("Take it back"), this, [this, still] {
        if (const auto index = still()) session()->withdraw(*index);
    });
    menu->addAction(tr("Change it…"), this, [this, still] {
        if (const auto index = still()) Q_EMIT m_view->deedChangeRequested(*index);
    });
    menu->popup(where);
}

void TimelineRuler::contextMenuEvent(QContextMenuEvent* event) {
    if (!session() || !canPlan(*m_view->context())) return;
    if (event->reason() == QContextMenuEvent::Keyboard) {
        if (const auto deed = chosen())
            popUpMenu(*deed, mapToGlobal(QPoint(int(m_view->canvasX(m_chosen->at->count())), height())));
        return;
    }
    const auto chip = chipAt(event->pos());
    if (chip && chip->deed) {
        choose(*chip->deed);
        return popUpMenu(*chip->deed, event->globalPos());
    }
    const bool onGround =
        event->pos().x() >= m_view->m_metrics.labelWidth() && event->pos().y() >= m_view->m_metrics.rulerHeight();
    if (!onGround) return;
    m_view->drawSpan(m_view->timeAt(event->pos().x()), m_view->timeAt(event->pos().x()));
    m_view->finishSpan(trace::kNoEntity, event->globalPos());
}

bool TimelineRuler::handlesKey(const QKeyEvent& event) const {
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        return !m_view->deeds().empty() && (modifiers == Qt::NoModifier || (modifiers & Qt::AltModifier && chosen()));
    case Qt::Key_Up:
    case Qt::Key_Down:
        return modifiers & Qt::AltModifier && chosen();
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_F2:
        return modifiers == Qt::NoModifier && chosen();
    case Qt::Key_Insert:
        return modifiers == Qt::NoModifier && canPlan(*m_view->context());
    default:
        return false;
    }
}

void TimelineRuler::keyPressEvent(QKeyEvent* event) {
    if (!handlesKey(*event)) return event->ignore();
    const auto deed = chosen();
    if (event->key() == Qt::Key_Insert) {
        Q_EMIT m_view->planRequested(m_view->context()->playhead());
    } else if (deed && takesBack(*event)) {
        session()->withdraw(*deed);
        chooseBy(1);
    } else if (const auto changed = deed ? changedByKey(*m_chosen, *event) : std::nullopt) {
        m_chosen = changed;
        replaceDeed(*m_view->context(), *deed, *changed);
        say();
    } else if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        chooseBy(event->key() == Qt::Key_Left ? -1 : 1);
    } else if (deed && event->key() == Qt::Key_F2) {
        Q_EMIT m_view->deedChangeRequested(*deed);
    } else if (deed && m_chosen->at) {
        m_view->context()->reveal(*m_chosen->at);
    }
    update();
}

void TimelineRuler::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    if (!chosen() && event->reason() != Qt::MouseFocusReason) chooseBy(1);
    update();
}

void TimelineRuler::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

} // namespace lockscope::views
