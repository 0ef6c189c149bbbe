// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/step_axis.h"

#include "lesson/scene_run.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/palette.h"
#include "theme/widgets.h"
#include "trace/duration.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPointer>
#include <QThreadPool>
#include <array>

namespace lockscope::views {

namespace {

constexpr int kNames = 6, kNameHeight = 18, kBars = 46, kBar = 22; ///< px from the top
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
    setToolTip(tr("Drag the end of a step to another instant; it keeps the moment that it is told by"));
    m_soon.setSingleShot(true);
    m_soon.setInterval(kRest);
    connect(&m_soon, &QTimer::timeout, this, &StepAxis::begin);
    connect(document, &EditedDocument::changed, this, &StepAxis::playSoon);
    playSoon();
}

void StepAxis::playSoon() {
    ++m_wanted;
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
                self->update();
                self->tell();
                Q_EMIT self->played();
            },
            Qt::QueuedConnection);
    });
}

std::vector<StepAxis::Played> StepAxis::play(const lesson::Lesson& lesson) {
    std::vector<Played> all;
    for (const lesson::Scene& scene : lesson.scenes) {
        const auto run = lesson::playScene(scene);
        if (!run) continue;
        const lesson::Facts& facts = *run->facts;
        using Base = lesson::Instant::Base;
        Played played{scene.id, facts.time({.base = Base::End}, Nanos::zero()), {}, {}};
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

const StepAxis::Part* StepAxis::part(int index) const {
    const Played* const scene = shown();
    if (!scene) return nullptr;
    const auto found = std::ranges::find(scene->steps, index, &Part::index);
    return found == scene->steps.end() ? nullptr : &*found;
}

AxisScale StepAxis::scale() const {
    const Played* const scene = shown();
    if (!scene) return {width(), 60s};
    // A run goes on for long after the last step of many a lesson.
    Nanos last{};
    for (const Part& part : scene->steps)
        last = std::max(last, part.until);
    return {width(), std::clamp<Nanos>(last * 5 / 4, 1s, std::max<Nanos>(scene->end, 1s))};
}

QRect StepAxis::barOf(const Part& part) const {
    const Nanos until = part.index == m_current && m_dragged ? *m_dragged : part.until;
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
        painter.drawText(rect(), Qt::AlignCenter,
                         m_document->lesson() ? tr("Playing the scenes …")
                                              : tr("The steps stand here as soon as the lesson has no mistake."));
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
            const bool chosen = part.index == m_current;
            const QRect bar = barOf(part);
            painter.setPen(QPen(color(Role::Holding), chosen ? 2 : 1));
            painter.setBrush(color(chosen ? Role::Holding : Role::HoldingSoft));
            painter.drawRoundedRect(QRectF(bar).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
            painter.setPen(color(chosen ? Role::TextOnColor : Role::HoldingText));
            painter.drawText(bar.adjusted(4, 0, -4, 0), Qt::AlignVCenter | Qt::AlignRight,
                             QString::number(part.index + 1));
        }
    }
    if (!hasFocus()) return;
    painter.setPen(QPen(color(Role::FocusRing), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

void StepAxis::setCurrent(int index) {
    if (index == m_current || index < 0) return;
    m_current = index;
    update();
    tell();
    Q_EMIT currentChanged(index);
}

void StepAxis::tell() {
    const Part* const its = part(m_current);
    const auto& lesson = m_document->lesson();
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
    const Played* const scene = shown();
    for (const Part& part : scene ? scene->steps : std::vector<Part>())
        if (barOf(part).contains(at)) setCurrent(part.index);
}

void StepAxis::mouseMoveEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (!(event->buttons() & Qt::LeftButton)) {
        setCursor(gripAt(at) >= 0 ? Qt::SizeHorCursor : Qt::ArrowCursor);
        return;
    }
    if (!m_gripped || !m_document->isLegible()) return;
    m_dragged = snappedToAxis(scale().timeAt(at.x()));
    Q_EMIT told(tr("to %1").arg(spanText(*m_dragged)));
    update();
}

void StepAxis::mouseReleaseEvent(QMouseEvent*) {
    m_gripped = false;
    if (!m_dragged) return;
    const Nanos to = *std::exchange(m_dragged, std::nullopt);
    moveEnd(m_current, to);
    update();
}

void StepAxis::keyPressEvent(QKeyEvent* event) {
    const int count = m_document->lesson() ? int(m_document->lesson()->steps.size()) : 0;
    const Nanos by = event->modifiers() & Qt::ShiftModifier ? Nanos(1s) : kAxisSnap;
    const Part* const its = part(m_current);
    switch (event->key()) {
    case Qt::Key_Up:
        if (count > 0) setCurrent(m_current <= 0 ? count - 1 : m_current - 1);
        return;
    case Qt::Key_Down:
        if (count > 0) setCurrent((m_current + 1) % count);
        return;
    case Qt::Key_Left:
    case Qt::Key_Right:
        // An end that has just been moved is where the next run will have it.
        if (its && isUpToDate()) moveEnd(m_current, its->until + (event->key() == Qt::Key_Right ? by : -by));
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace lockscope::views
