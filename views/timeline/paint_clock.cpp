// SPDX-License-Identifier: GPL-3.0-or-later
// The lane of a clock that was ever off: a line above true time where it is ahead, below where it is behind.
#include "theme/format.h"
#include "timeline/paint_kit.h"
#include "timeline/words.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

std::int64_t offsetOf(const trace::Trace& trace, const Span& span) {
    return trace.at(span.row).value;
}

} // namespace

std::int64_t clockOffsetAt(const TimelineData& data, const Lane& lane, std::int64_t t) {
    const std::size_t i = lane.spans.firstEndingAfter(t);
    return i < lane.spans.size() && lane.spans[i].from <= t ? offsetOf(data.trace(), lane.spans[i]) : 0;
}

QString clockOffsetWords(std::int64_t offset) {
    if (offset == 0) return Timeline::tr("right");
    return (offset > 0 ? QChar(u'+') : QChar(0x2212)) + spanText(Nanos(std::abs(offset)));
}

QString clockState(const TimelineData& data, const Lane& lane, std::int64_t t) {
    const QString who = data.trace().displayName(lane.entity);
    const std::int64_t offset = clockOffsetAt(data, lane, t);
    if (offset == 0) return Timeline::tr("the clock of %1 is right").arg(who);
    const QString by = spanText(Nanos(std::abs(offset)));
    return offset > 0 ? Timeline::tr("the clock of %1 is %2 ahead").arg(who, by)
                      : Timeline::tr("the clock of %1 is %2 behind").arg(who, by);
}

void paintClock(const PaintKit& kit, const Lane& lane, int height) {
    const QRectF bar = kit.m.bar(lane, 0, kit.c.width());
    const double middle = std::round(bar.center().y()), step = kit.m.px(5);
    // True time: the ground that the clock's own line leaves and comes back to.
    const double known = std::min(kit.c.x(kit.now), kit.c.width());
    kit.p.setPen(QPen(color(Role::TextFaint), 1, Qt::DotLine));
    if (known > 0) kit.p.drawLine(QPointF(0, middle + 0.5), QPointF(known, middle + 0.5));
    double wordsEnd = -1e9;
    lane.spans.visit(
        kit.c.from(), kit.to(), kit.pixel * 2, kit.now,
        [&](std::size_t, const Span& span) {
            const std::int64_t offset = offsetOf(kit.trace, span);
            const QRectF r = kit.across(span.from, lane.endOf(span, kit.now), bar, 2);
            const double y = middle + (offset > 0 ? -step : step);
            kit.box(QRectF(r.x(), std::min(y, middle), 1, step), color(Role::Waiting));
            kit.box(QRectF(r.x(), y, r.width(), 2), color(Role::Waiting));
            if (!span.open()) kit.box(QRectF(r.right() - 1, std::min(y, middle), 1, step), color(Role::Waiting));
            const QRectF line(0, offset > 0 ? middle : bar.y() - kit.m.px(3), 0, kit.m.px(13));
            const QRectF room = kit.words(r.x(), r.right(), line);
            if (room.x() < wordsEnd) return;
            const QString by = spanText(Nanos(std::abs(offset)));
            wordsEnd =
                kit.firstFitting(room,
                                 {offset > 0 ? Timeline::tr("%1 ahead").arg(by) : Timeline::tr("%1 behind").arg(by),
                                  clockOffsetWords(offset)},
                                 kit.smallBold, Role::WaitingText);
        },
        [&](const SpanSum& sum) {
            kit.box(
                QRectF(kit.c.x(sum.from), middle - step, std::max(1.0, kit.c.x(sum.to) - kit.c.x(sum.from)), 2 * step),
                onGround(color(Role::Waiting, 0.5)));
        });
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
