// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/step_axis.h"

#include "editor/axis_keys.h"
#include "editor/field_words.h"
#include "lesson/scene_run.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/palette.h"
#include "theme/widgets.h"
#include "trace/duration.h"
#include "trace/json_edit.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonObject>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPointer>
#include <QThreadPool>
#include <array>

namespace lockscope::views {

namespace {

constexpr int kNames = 6, kNameHeight = 18, kBars = 46, kBar = 22; ///< px from the top
constexpr int kFaults = kBars + kBar + 3, kFault = 19;             ///< px: below the steps
constexpr int kWidestFault = 220;                                  ///< px
constexpr int kGrip = 5;                                           ///< px beside a step's end
constexpr auto kRest = 400ms;                                      ///< after a change, before scenes are played

/// "wake+300ms"
QString instantWords(const lesson::Instant& instant) {
    using Base = lesson::Instant::Base;
    if (instant.base == Base::Start) return formatDuration(instant.offset);
    const QString base = instant.base == Base::End    ? QStringLiteral("end")
                         : instant.base == Base::Here ? QStringLiteral("here")
                                                      : instant.moment;
    if (instant.offset == Nanos::zero()) return base;
    const bool before = instant.offset < Nanos::zero();
    return base + (before ? u'-' : u'+') + formatDuration(before ? -instant.offset : instant.offset);
}

} // namespace

StepAxis::StepAxis(EditedDocument* document, QWidget* parent) : QWidget(parent), m_document(document) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Steps on the axis of time"));
    setToolTip(tr("Drag the end of a step to another instant; it keeps the moment that it is told by. A fault is "
                  "dragged, too; Delete removes it"));
    m_soon.setSingleShot(true);
    m_soon.setInterval(kRest);
    connect(&m_soon, &QTimer::timeout, this, &StepAxis::begin);
    connect(document, &EditedDocument::changed, this, &StepAxis::playSoon);
    playSoon();
}

void StepAxis::playSoon() {
    ++m_wanted;
    if (!m_document->lesson() && !m_document->text()->isUndoAvailable()) {
        // It was opened with its mistakes: what is in sight, or still being played, is of another lesson.
        m_played.clear();
        m_playedFor = m_wanted;
        m_current = 0;
        m_fault = -1;
    }
    m_soon.start();
    update();
}

void StepAxis::begin() {
    if (!m_document->lesson()) return;
    // Runs take their time, and one types meanwhile.
    QThreadPool::globalInstance()->start([lesson = *m_document->lesson(), self = QPointer(this), of = m_wanted] {
        QMetaObject::invokeMethod(
            qApp,
            [self, of, played = play(lesson)] {
                if (!self || of < self->m_playedFor) return;
                self->m_playedFor = of;
                self->m_played = played;
                if (!self->shown()) self->m_current = 0; // of a lesson that had more steps
                if (self->m_fault >= self->faultCount()) self->m_fault = -1;
                self->update();
                self->m_fault < 0 ? self->tell() : self->tellFault();
                Q_EMIT self->played();
            },
            Qt::QueuedConnection);
    });
}

std::vector<StepAxis::Played> StepAxis::play(const lesson::Lesson& lesson) {
    std::vector<Played> all;
    for (const lesson::Scene& scene : lesson.scenes) {
        const auto run = lesson::playScene(scene);
        if (!run) {
            all.push_back({.scene = scene.id, .end = {}, .moments = {}, .steps = {}, .error = run.error()});
            continue;
        }
        const lesson::Facts& facts = *run->facts;
        using Base = lesson::Instant::Base;
        Played played{scene.id, facts.time({.base = Base::End}, Nanos::zero()), {}, {}, {}};
        for (const lesson::Moment& moment : scene.moments)
            played.moments.push_back({moment.id, facts.time({Base::Moment, moment.id, Nanos::zero()}, Nanos::zero())});
        Nanos reached{};
        for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
            const lesson::Step& step = lesson.steps[i];
            if (step.scene != scene.id) continue;
            const Nanos until = facts.time(step.until, Nanos::zero());
            const Nanos from = step.from ? facts.time(*step.from, until) : reached;
            played.steps.push_back({int(i), from, until});
            reached = until;
        }
        all.push_back(std::move(played));
    }
    return all;
}

const StepAxis::Played* StepAxis::shown() const {
    const auto has = [this](const Played& played) {
        return std::ranges::find(played.steps, m_current, &Part::index) != played.steps.end();
    };
    const auto found = std::ranges::find_if(m_played, has);
    return found == m_played.end() ? nullptr : &*found;
}

QString StepAxis::notShown() const {
    const auto& lesson = m_document->lesson();
    if (!lesson) return tr("The steps stand here as soon as the lesson has no mistake.");
    if (!isUpToDate()) return tr("Playing the scenes …");
    const bool known = m_current >= 0 && std::size_t(m_current) < lesson->steps.size();
    const QString scene = known ? lesson->steps[std::size_t(m_current)].scene : QString();
    for (const Played& played : m_played)
        if (played.scene == scene && !played.error.isEmpty())
            //: %1 a sentence that names the scene.
            return tr("The steps cannot be shown: %1").arg(played.error);
    return tr("No step of this scene was played.");
}

const StepAxis::Part* StepAxis::part(int index) const {
    const Played* const scene = shown();
    if (!scene) return nullptr;
    const auto found = std::ranges::find(scene->steps, index, &Part::index);
    return found == scene->steps.end() ? nullptr : &*found;
}

const lesson::Scene* StepAxis::scene() const {
    const auto& lesson = m_document->lesson();
    if (!lesson || m_current < 0 || std::size_t(m_current) >= lesson->steps.size()) return nullptr;
    const auto found =
        std::ranges::find(lesson->scenes, lesson->steps[std::size_t(m_current)].scene, &lesson::Scene::id);
    return found == lesson->scenes.end() ? nullptr : &*found;
}

void StepAxis::setLeft(int px) {
    m_left = px > 0 ? px : AxisScale::kMargin;
    update();
}

AxisScale StepAxis::scale() const {
    const Played* const scene = shown();
    if (!scene) return {width(), 60s, m_left};
    // A run goes on for long after the last step of many a lesson.
    Nanos last{};
    for (const Part& part : scene->steps)
        last = std::max(last, part.until);
    return {width(), std::clamp<Nanos>(last * 5 / 4, 1s, std::max<Nanos>(scene->end, 1s)), m_left};
}

QRect StepAxis::barOf(const Part& part) const {
    const Nanos until = part.index == m_current && m_fault < 0 && m_dragged ? *m_dragged : part.until;
    const int left = xOf(std::min(part.from, until));
    return {left, kBars, std::max(3, xOf(until) - left), kBar};
}

QRect StepAxis::barOf(int index) const {
    const Part* const its = part(index);
    return its ? barOf(*its) : QRect();
}

void StepAxis::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), color(Role::SurfaceSunken));
    painter.setFont(uiFont(-1));
    const Played* const scene = shown();
    if (!scene) {
        painter.setPen(color(Role::TextDim));
        painter.drawText(rect().adjusted(kGrid, 0, -kGrid, 0), Qt::AlignCenter | Qt::TextWordWrap, notShown());
    } else {
        const AxisScale axis = scale();
        axis.paint(painter, kBars - 8, height() - 22);
        std::array<int, 2> ends{}; // of the names in either row
        for (const Named& moment : scene->moments) {
            const int x = xOf(moment.at);
            if (moment.at > axis.until) continue;
            painter.setPen(color(Role::Holding));
            painter.drawLine(x, kNames + kNameHeight, x, height() - 22);
            const int wide = painter.fontMetrics().horizontalAdvance(moment.name);
            const auto row = std::ranges::find_if(ends, [x](int end) { return x >= end; });
            if (row == ends.end()) continue; // its line is there
            painter.setPen(color(Role::TextDim));
            const int down = int(row - ends.begin()) * kNameHeight, right = down > 0 ? 3 : 0; // beside its line
            painter.drawText(QRect(std::min(x + right, width() - wide - 4), kNames + down, wide + 2, kNameHeight),
                             Qt::AlignLeft, moment.name);
            *row = x + wide + kGrid;
        }
        for (const Part& part : scene->steps) {
            const bool chosen = part.index == m_current && m_fault < 0;
            const QRect bar = barOf(part);
            painter.setPen(QPen(color(Role::Holding), chosen ? 2 : 1));
            painter.setBrush(color(chosen ? Role::Holding : Role::HoldingSoft));
            painter.drawRoundedRect(QRectF(bar).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
            painter.setPen(color(chosen ? Role::TextOnColor : Role::HoldingText));
            painter.drawText(bar.adjusted(4, 0, -4, 0), Qt::AlignVCenter | Qt::AlignRight,
                             QString::number(part.index + 1));
        }
        paintFaults(painter, height() - 22);
    }
    if (!hasFocus()) return;
    painter.setPen(QPen(color(Role::FocusRing), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

void StepAxis::paintFaults(QPainter& painter, int bottom) const {
    const std::vector<PlannedFault> all = faults();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool chosen = int(i) == m_fault;
        QRect mark = all[i].mark;
        const int x = xOf(chosen && m_dragged ? *m_dragged : all[i].at);
        if (chosen && m_dragged) mark.moveLeft(std::max(0, std::min(x, width() - kGrid - mark.width())));
        painter.setPen(QPen(color(Role::Fault), chosen ? 2 : 1));
        painter.drawLine(x, kBars + kBar, x, bottom);
        painter.setBrush(color(chosen ? Role::Fault : Role::FaultSoft));
        painter.drawRoundedRect(QRectF(mark).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        painter.setPen(color(chosen ? Role::TextOnColor : Role::FaultText));
        const QRect room = mark.adjusted(kGrid - 2, 0, -kGrid + 2, 0);
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(all[i].words, Qt::ElideRight, room.width()));
    }
}

std::vector<StepAxis::PlannedFault> StepAxis::faults() const {
    const Played* const scene = shown();
    if (!scene) return {};
    const QJsonArray scenes = m_document->at(QStringLiteral("/scenes")).toArray();
    qsizetype number = 0;
    while (number < scenes.size() && scenes[number][u"id"].toString() != scene->scene)
        ++number;
    if (number == scenes.size()) return {};
    const QString language = QCoreApplication::translate("Language", "en");
    const QFontMetrics metrics(uiFont(-1));
    const Nanos until = scale().until;
    std::vector<PlannedFault> all;
    const QJsonArray planned = scenes[number][u"change"][u"faults"].toArray();
    for (qsizetype i = 0; i < planned.size(); ++i) {
        QJsonObject fault = planned[i].toObject();
        const auto at = parseDuration(fault.value(u"at").toString());
        // One by a condition has no place on an axis, and one behind the last step is not seen.
        if (!at || *at > until || fault.contains(u"when")) continue;
        fault.remove(u"at");
        const QString words = elementWords(fault, language);
        const int wide = std::min(metrics.horizontalAdvance(words) + 2 * kGrid, kWidestFault);
        const int x = std::max(0, std::min(xOf(*at), width() - kGrid - wide));
        all.push_back({QStringLiteral("/scenes/%1/change/faults/%2").arg(number).arg(i), *at, words,
                       QRect(x, kFaults, wide, kFault)});
    }
    std::ranges::stable_sort(all, {}, &PlannedFault::at);
    // Each has the room up to the next one, and a grip's width at least.
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
        all[i].mark.setRight(
            std::max(all[i].mark.left() + 2 * kGrip, std::min(all[i].mark.right(), all[i + 1].mark.left() - 3)));
    return all;
}

QRect StepAxis::faultMark(int index) const {
    const std::vector<PlannedFault> all = faults();
    return index < 0 || std::size_t(index) >= all.size() ? QRect() : all[std::size_t(index)].mark;
}

void StepAxis::chooseFault(int index) {
    m_fault = index;
    update();
    tellFault();
}

void StepAxis::tellFault() {
    const std::vector<PlannedFault> all = faults();
    if (m_fault < 0 || std::size_t(m_fault) >= all.size()) return;
    const PlannedFault& fault = all[std::size_t(m_fault)];
    //: %3 a time, %4 a fault in words.
    const QString sentence =
        tr("Fault %1 of %2, at %3: %4. Delete removes it.")
            .arg(QString::number(m_fault + 1), QString::number(all.size()), spanText(fault.at), fault.words);
    setAccessibleDescription(sentence);
    Q_EMIT told(sentence);
}

void StepAxis::moveFault(Nanos to) {
    m_document->flush();
    const std::vector<PlannedFault> all = faults();
    if (m_fault < 0 || std::size_t(m_fault) >= all.size()) return;
    const QString place = all[std::size_t(m_fault)].place;
    m_document->set(place + QStringLiteral("/at"), formatDuration(snappedToAxis(to)));
    const std::vector<PlannedFault> moved = faults(); // it may have come past another one
    const auto now = std::ranges::find(moved, place, &PlannedFault::place);
    m_fault = now == moved.end() ? -1 : int(now - moved.begin());
    tellFault();
}

void StepAxis::removeFault() {
    m_document->flush();
    const std::vector<PlannedFault> all = faults();
    if (m_fault < 0 || std::size_t(m_fault) >= all.size()) return;
    const QString place = all[std::size_t(m_fault)].place, list = place.section(u'/', 0, -2);
    m_document->removeElement(list, place.section(u'/', -1).toInt());
    m_fault = std::min(m_fault, faultCount() - 1);
    update();
    m_fault < 0 ? tell() : tellFault();
}

void StepAxis::setCurrent(int index) {
    if (index >= 0 && std::exchange(m_fault, -1) >= 0) update();
    if (index == m_current || index < 0) return;
    m_current = index;
    update();
    tell();
    Q_EMIT currentChanged(index);
}

void StepAxis::tell() {
    const Part* const its = part(m_current);
    const auto& lesson = m_document->lesson();
    if (!its) setAccessibleDescription(notice());
    if (!its || !lesson || std::size_t(m_current) >= lesson->steps.size()) return;
    const auto& steps = lesson->steps;
    //: %3 a time, %4 how the lesson tells it: "wake+300ms".
    const QString sentence = tr("Step %1 of %2 stops at %3 (%4)")
                                 .arg(QString::number(m_current + 1), QString::number(steps.size()),
                                      spanText(its->until), instantWords(steps[std::size_t(m_current)].until));
    setAccessibleDescription(sentence);
    Q_EMIT told(sentence);
}

void StepAxis::moveEnd(int index, Nanos to) {
    m_document->flush();
    const Part* const its = part(index);
    const auto& lesson = m_document->lesson();
    if (!its || !lesson || std::size_t(index) >= lesson->steps.size()) return;
    lesson::Instant until = lesson->steps[std::size_t(index)].until;
    until.offset += std::max(to, its->from) - its->until;
    // Rounded as it is written: an instant of the axis is seldom round when it is told from a moment of the run.
    const Nanos off = until.offset % kAxisSnap;
    const Nanos down = until.offset - (off < Nanos::zero() ? off + kAxisSnap : off);
    const Nanos round = off != Nanos::zero() && 2 * (until.offset - down) >= kAxisSnap ? down + kAxisSnap : down;
    if (its->until + (round - lesson->steps[std::size_t(index)].until.offset) >= its->from) until.offset = round;
    m_document->set(QStringLiteral("/steps/%1/until").arg(index), instantWords(until));
}

int StepAxis::gripAt(const QPoint& at) const {
    const Played* const scene = shown();
    if (!scene || at.y() < kBars || at.y() > kBars + kBar) return -1;
    int found = -1;
    for (const Part& part : scene->steps)
        if (std::abs(barOf(part).right() + 1 - at.x()) <= kGrip && (found < 0 || part.index == m_current))
            found = part.index;
    return found;
}

void StepAxis::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const QPoint at = event->position().toPoint();
    m_gripped = gripAt(at) >= 0;
    if (m_gripped) return setCurrent(gripAt(at));
    const std::vector<PlannedFault> planned = faults();
    for (std::size_t i = 0; i < planned.size(); ++i) {
        if (!planned[i].mark.contains(at)) continue;
        m_gripped = true;
        m_grip = at.x() - xOf(planned[i].at);
        return chooseFault(int(i));
    }
    const Played* const scene = shown();
    for (const Part& part : scene ? scene->steps : std::vector<Part>())
        if (barOf(part).contains(at)) setCurrent(part.index);
}

void StepAxis::mouseMoveEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (!(event->buttons() & Qt::LeftButton)) {
        const bool fault = std::ranges::any_of(faults(), [&](const PlannedFault& f) { return f.mark.contains(at); });
        setCursor(fault || gripAt(at) >= 0 ? Qt::SizeHorCursor : Qt::ArrowCursor);
        return;
    }
    if (!m_gripped || !m_document->isLegible()) return;
    const Nanos to = snappedToAxis(scale().timeAt(at.x() - (m_fault < 0 ? 0 : m_grip)));
    // A press that chooses a fault does not round its instant.
    if (m_fault >= 0 && !m_dragged && at.x() - m_grip == xOf(faults()[std::size_t(m_fault)].at)) return;
    m_dragged = to;
    Q_EMIT told(tr("to %1").arg(spanText(*m_dragged)));
    update();
}

void StepAxis::mouseReleaseEvent(QMouseEvent*) {
    m_gripped = false;
    if (!m_dragged) return;
    const Nanos to = *std::exchange(m_dragged, std::nullopt);
    m_fault < 0 ? moveEnd(m_current, to) : moveFault(to);
    update();
}

void StepAxis::keyPressEvent(QKeyEvent* event) {
    const int count = m_document->lesson() ? int(m_document->lesson()->steps.size()) : 0;
    const Part* const its = part(m_current);
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (count > 0) setCurrent(chosenByKey(*event, m_current, count));
        return;
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        if (const int all = faultCount(); all > 0) chooseFault(chosenByKey(*event, m_fault, all));
        return;
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
        return removeFault();
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (const auto planned = faults(); m_fault >= 0 && std::size_t(m_fault) < planned.size())
            return moveFault(planned[std::size_t(m_fault)].at + movedByKey(*event));
        // An end that has just been moved is where the next run will have it.
        if (its && isUpToDate()) moveEnd(m_current, its->until + movedByKey(*event));
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace lockscope::views
