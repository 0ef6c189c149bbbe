// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/hit.h"
#include "timeline/violation_sentence.h"

#include "theme/format.h"

#include <QCoreApplication>
#include <cmath>
#include <limits>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

/// Index of the tick nearest to t within `slack`, size() when none is.
std::size_t nearest(const TickTrack& ticks, std::int64_t t, std::int64_t slack) {
    const std::size_t after = ticks.lowerBound(t);
    std::size_t best = ticks.size();
    std::int64_t bestDistance = slack + 1;
    for (std::size_t i = after > 0 ? after - 1 : 0; i < std::min(after + 1, ticks.size()); ++i) {
        const std::int64_t distance = std::abs(ticks[i].at - t);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = i;
        }
    }
    return best;
}

/// The lane of the row with a tick nearest to t: a row of links has several.
const Lane* nearestLane(const TimelineLayout::Row& row, std::int64_t t) {
    constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max() - 1;
    const auto distance = [t](const Lane* lane) {
        const std::size_t i = nearest(lane->ticks, t, kFarthest);
        return i < lane->ticks.size() ? std::abs(lane->ticks[i].at - t) : kFarthest;
    };
    const Lane* best = row.lane;
    for (const Lane* other : row.alike)
        if (distance(other) < distance(best)) best = other;
    return best;
}

/// Index of the span under t, or within `slack` of it; size() when there is none.
std::size_t spanNear(const SpanTrack& spans, std::int64_t t, std::int64_t slack) {
    std::size_t i = spans.firstEndingAfter(t);
    if (i < spans.size() && spans[i].from <= t) return i;
    if (i > 0 && spans[i - 1].to >= t - slack) return i - 1;
    if (i < spans.size() && spans[i].from <= t + slack) return i;
    return spans.size();
}

/// Until when a picture tells what happened: what comes later is not drawn, or nobody knows it yet.
std::int64_t toldUntil(const TimelineScene& scene) {
    const std::int64_t shown = scene.hidesFuture ? scene.playhead : std::numeric_limits<std::int64_t>::max();
    return std::min({scene.data.now(), scene.seen, shown});
}

/// The span as far as it is told: of one that goes on then, nobody has seen the end yet.
Span told(const TimelineScene& scene, Span span) {
    if (!span.open() && span.to > toldUntil(scene)) span.to = kOpenEnd;
    return span;
}

} // namespace

TimelineHit hitTest(const TimelineScene& scene, const QSize& size, const QPointF& position) {
    TimelineHit hit;
    const int labels = scene.metrics.labelWidth();
    const TimelineCoordinates c = scene.coordinates(size.width());
    hit.time = c.time(position.x() - labels);
    hit.row = scene.rowAt(int(position.y()));
    const auto slack = [&](double pixels) { return std::int64_t(pixels * c.nanosPerPixel()); };
    if (position.x() >= labels)
        hit.violations = scene.bands.at(hit.time, slack(ViolationBands::kLeastWidth), toldUntil(scene));
    if (hit.row < 0) return hit;
    const TimelineLayout::Row& row = scene.layout.rows()[std::size_t(hit.row)];
    const Lane& lane = *row.lane;
    hit.lane = &lane;
    if (position.x() < labels) {
        hit.what = TimelineHit::What::Label;
        return hit;
    }
    hit.what = TimelineHit::What::Lane;
    const double y = position.y() - scene.yOf(row.y);
    const QRectF bar = scene.metrics.bar(lane, 0, c.width());
    const auto found = [&hit](TimelineHit::What what, std::size_t index) {
        hit.what = what;
        hit.index = index;
        return hit;
    };

    // The flags at the top edge, as wide as they are drawn.
    if (y <= scene.metrics.px(9) && row.height >= scene.metrics.px(16)) {
        for (const TickTrack* faults : {&lane.faults, lane.life ? &lane.life->faults : nullptr}) {
            if (!faults) continue;
            const std::size_t i = nearest(*faults, hit.time, slack(scene.metrics.px(6)));
            if (i == faults->size()) continue;
            hit.faults = faults;
            return found(TimelineHit::What::Fault, i);
        }
    }
    const double reach = lane.kind == LaneKind::Effect ? bar.height() / 2 : 4;
    const Lane* const ticked = nearestLane(row, hit.time);
    if (const std::size_t i = nearest(ticked->ticks, hit.time, slack(reach)); i < ticked->ticks.size()) {
        hit.lane = ticked;
        return found(TimelineHit::What::Tick, i);
    }
    if (hit.time > toldUntil(scene) + slack(2)) return hit;
    const bool onBar = y >= bar.top() - scene.metrics.px(6) && y <= bar.bottom() + scene.metrics.px(6);
    if (const std::size_t i = spanNear(lane.spans, hit.time, slack(2)); onBar && i < lane.spans.size())
        if (hit.time <= lane.endOf(lane.spans[i], scene.data.now()) + slack(2))
            return found(TimelineHit::What::Span, i);
    if (lane.life)
        if (const std::size_t i = spanNear(lane.life->spans, hit.time, slack(2)); i < lane.life->spans.size())
            return found(TimelineHit::What::Life, i);
    return hit;
}

QString hitWords(const TimelineScene& scene, const TimelineHit& hit) {
    QStringList lines;
    const trace::Trace& trace = scene.data.trace();
    switch (hit.what) {
    case TimelineHit::What::Nothing:
        break;
    case TimelineHit::What::Label:
    case TimelineHit::What::Lane:
        if (hit.violations.empty() || hit.what == TimelineHit::What::Label) {
            const std::int64_t now = toldUntil(scene);
            const std::int64_t t = hit.what == TimelineHit::What::Label
                                       ? std::clamp<std::int64_t>(scene.playhead, 0, std::max<std::int64_t>(now, 0))
                                       : hit.time;
            if (t > now) {
                // No lane's name: it may have none of it by then.
                lines << Timeline::tr("%1: not known yet").arg(instant(scene.data.trace(), Nanos(t)));
                break;
            }
            lines << rowTitle(scene.data, scene.layout.rows()[std::size_t(hit.row)]) + QStringLiteral(": ") +
                         laneState(scene.data, *hit.lane, t);
        }
        break;
    case TimelineHit::What::Span:
        lines << spanSentence(scene.data, *hit.lane, told(scene, hit.lane->spans[hit.index]));
        if (!hit.lane->roles.empty())
            lines << laneTitle(scene.data, *hit.lane) + QStringLiteral(": ") +
                         laneState(scene.data, *hit.lane, std::min(hit.time, toldUntil(scene)));
        if (const std::size_t i = hit.lane->again.firstEndingAfter(hit.time);
            i < hit.lane->again.size() && hit.lane->again[i].from <= hit.time)
            lines << againSentence(scene.data, *hit.lane, told(scene, hit.lane->again[i]));
        [[fallthrough]];
    case TimelineHit::What::Life:
        if (hit.lane->life)
            if (const std::size_t i = hit.lane->life->spans.firstEndingAfter(hit.time);
                i < hit.lane->life->spans.size() && hit.lane->life->spans[i].from <= hit.time)
                lines << lifeSentence(scene.data, *hit.lane, told(scene, hit.lane->life->spans[i]));
        break;
    case TimelineHit::What::Tick:
        lines << tickSentence(scene.data, *hit.lane, hit.lane->ticks[hit.index]);
        break;
    case TimelineHit::What::Fault:
        lines << faultSentence(trace, (*hit.faults)[hit.index]);
        break;
    }
    // More than three explanations at once explain nothing.
    for (std::size_t i = 0; i < std::min<std::size_t>(hit.violations.size(), 3); ++i)
        lines << violationSentence(scene, scene.bands.violation(hit.violations[i]));
    return lines.join(u'\n');
}

} // namespace lockscope::views
