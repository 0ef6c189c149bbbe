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

/// How the clock goes at t; a right one between spans.
trace::WallClock clockAt(const Lane& lane, std::int64_t t) {
    const std::size_t i = lane.spans.firstEndingAfter(t);
    const bool inside = i < lane.spans.size() && lane.spans[i].from <= t && i < lane.clocks.size();
    return inside ? lane.clocks[i] : trace::WallClock{};
}

/// "gains 50 ms a second"; empty: it runs at the right speed.
QString speedWords(const trace::WallClock& clock) {
    if (clock.clockGain == 0) return {};
    const QString each = spanText(Nanos(std::abs(clock.clockGain)));
    return clock.clockGain > 0 ? Timeline::tr("gains %1 a second").arg(each)
                               : Timeline::tr("loses %1 a second").arg(each);
}

/// Where a clock's line stands and where it goes, above (1) or below (-1) true time; 0: on it.
struct Slope {
    double from = 0, to = 0;
};
/// Over the time from `from` to `to`, of which the part from `left` to `right` is seen.
Slope slopeOf(const trace::WallClock& clock, std::int64_t from, std::int64_t to, std::int64_t left,
              std::int64_t right) {
    const auto offset = [&clock](std::int64_t t) { return double(clock.offsetAt(t)); };
    const double most = std::max({std::abs(offset(from)), std::abs(offset(to)), 1.0});
    return {offset(std::max(from, left)) / most, offset(std::min(to, right)) / most};
}

} // namespace

std::int64_t clockOffsetAt(const Lane& lane, std::int64_t t) {
    return clockAt(lane, t).offsetAt(t);
}

QString clockOffsetWords(std::int64_t offset) {
    if (offset == 0) return Timeline::tr("right");
    return (offset > 0 ? QChar(u'+') : QChar(0x2212)) + spanText(Nanos(std::abs(offset)));
}

QString clockState(const TimelineData& data, const Lane& lane, std::int64_t t) {
    const QString who = data.trace().displayName(lane.entity);
    const trace::WallClock clock = clockAt(lane, t);
    const std::int64_t offset = clock.offsetAt(t);
    const QString by = spanText(Nanos(std::abs(offset)));
    const QString words = offset == 0  ? Timeline::tr("the clock of %1 is right").arg(who)
                          : offset > 0 ? Timeline::tr("the clock of %1 is %2 ahead").arg(who, by)
                                       : Timeline::tr("the clock of %1 is %2 behind").arg(who, by);
    //: How a clock stands, and how much too fast or slow it runs.
    return clock.clockGain == 0 ? words : Timeline::tr("%1, %2", "a clock").arg(words, speedWords(clock));
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
        [&](std::size_t i, const Span& span) {
            const trace::WallClock clock = lane.clocks.at(i);
            const std::int64_t end = lane.endOf(span, kit.now), offset = clock.offsetAt(span.from);
            const QRectF r = kit.across(span.from, end, bar, 2);
            const Slope slope = slopeOf(clock, span.from, end, kit.c.time(r.x()), kit.c.time(r.right()));
            const auto level = [&](double share) { return middle - share * step; };
            const auto upright = [&](double x, double share) { // to the line from true time
                kit.box(QRectF(x, std::min(level(share), middle), 1, std::abs(level(share) - middle)),
                        color(Role::Waiting));
            };
            upright(r.x(), slope.from);
            if (clock.clockGain == 0) {
                kit.box(QRectF(r.x(), level(slope.from), r.width(), 2), color(Role::Waiting));
            } else {
                kit.p.setRenderHint(QPainter::Antialiasing, true);
                kit.p.setPen(QPen(color(Role::Waiting), 2));
                kit.p.drawLine(QPointF(r.x(), level(slope.from)), QPointF(r.right(), level(slope.to)));
                kit.p.setRenderHint(QPainter::Antialiasing, false);
            }
            if (!span.open()) upright(r.right() - 1, slope.to);
            if (height < kit.m.px(24)) return; // beside its name stands how it is now
            const bool above = clock.clockGain == 0 ? offset > 0 : slope.from + slope.to > 0;
            const QRectF line(0, above ? middle : bar.y() - kit.m.px(3), 0, kit.m.px(13));
            const QRectF room = kit.words(r.x(), r.right(), line);
            if (room.x() < wordsEnd) return;
            const QString by = spanText(Nanos(std::abs(offset)));
            QStringList words{offset > 0 ? Timeline::tr("%1 ahead").arg(by) : Timeline::tr("%1 behind").arg(by),
                              clockOffsetWords(offset)};
            if (clock.clockGain != 0)
                words = {speedWords(clock), Timeline::tr("%1/s", "a clock").arg(clockOffsetWords(clock.clockGain))};
            wordsEnd = kit.firstFitting(room, words, kit.smallBold, Role::WaitingText);
        },
        [&](const SpanSum& sum) {
            kit.box(
                QRectF(kit.c.x(sum.from), middle - step, std::max(1.0, kit.c.x(sum.to) - kit.c.x(sum.from)), 2 * step),
                onGround(color(Role::Waiting, 0.5)));
        });
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
