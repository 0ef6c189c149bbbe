// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/format.h"
#include "timeline/paint_kit.h"
#include "timeline/strip.h"
#include "timeline/words.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

/// A cut way, from one end of the link (top: client, bottom: server) towards the end that hears nothing.
void paintCutWay(const PaintKit& kit, const QRectF& span, trace::CutWays ways) {
    const double x = std::max(span.x(), 0.0) + kit.m.px(8), y = span.center().y(), half = kit.m.px(5);
    if (ways == trace::CutWays::Both || span.right() - x < half) return;
    const double tip = ways == trace::CutWays::Forth ? half : -half;
    kit.p.setRenderHint(QPainter::Antialiasing, true);
    kit.p.setPen(Qt::NoPen);
    kit.p.setBrush(color(Role::Fault));
    kit.p.drawPolygon(QPolygonF{QPointF(x, y + tip), QPointF(x - half, y - tip), QPointF(x + half, y - tip)});
    kit.p.setRenderHint(QPainter::Antialiasing, false);
}

void paintPhases(const PaintKit& kit, const Lane& lane, int height) {
    const double gap = isStrip(kit.m, height) ? 1 : 2;
    const QRectF strip(0, gap, 0, height - 2 * gap);
    PixelColumns columns(kit.c);
    lane.spans.visit(
        kit.c.from(), kit.to(), kit.pixel * 3, kit.now,
        [&](std::size_t, const Span& span) {
            const QRectF r = kit.across(span.from, lane.endOf(span, kit.now), strip, 2);
            const bool cut = span.state == unsigned(LinkPhase::Cut);
            kit.box(r, color(Role::FaultSoft));
            if (cut) kit.p.fillRect(r, kit.cutHatch);
            const trace::Event row = kit.trace.at(span.row);
            const trace::CutWays ways = cut ? trace::cutWays(row.value) : trace::CutWays::Both;
            const double left = std::max(r.x(), 0.0) + (ways == trace::CutWays::Both ? 0 : kit.m.px(16));
            const double room = std::min(r.right(), kit.c.width()) - left;
            const auto widthOf = [&kit](const QString& words) { return kit.smallBold.width(words) + kit.m.px(16); };
            QString words = cut ? Timeline::tr("cut") : Timeline::tr("+%1").arg(spanText(Nanos(row.value)));
            if (ways != trace::CutWays::Both) {
                paintCutWay(kit, r, ways);
                const QString whole = Timeline::tr("cut %1").arg(cutLinkName(kit.trace, row));
                if (room > widthOf(whole) + 4) words = whole;
            }
            const double width = widthOf(words);
            if (isStrip(kit.m, height))
                kit.firstFitting({left + 4, r.y(), room - 6, r.height()}, {words}, kit.smallBold, Role::FaultText);
            else if (room > width + 4)
                kit.chip(left + 2, r.center().y() - kit.m.px(9), words, Role::FaultSoft, Role::Fault, Role::FaultText);
        },
        [&](const SpanSum& sum) { columns.add(sum); });
    BoxBatch cuts;
    fullColumns(columns, strip, [&](std::uint32_t) { return &cuts; });
    cuts.paint(kit.p, color(Role::Fault));
}

struct Arrow {
    double x;
    const Tick* tick;
    const Lane* lane;
};

/// A flight long enough to be seen, or one that ends on the way. It is drawn as far as it is known: nobody has seen yet
/// when a message under way arrives, or whether it does.
void paintFlight(const PaintKit& kit, LinkTick kind, const QPointF& from, QPointF to, double flight) {
    bool lost = kind == LinkTick::Lost;
    kit.p.setRenderHint(QPainter::Antialiasing, true);
    if (lost) to = (from + to) / 2;
    if (const double known = kit.knownTo(); to.x() > known) {
        to = from + (to - from) * (std::max(known - from.x(), 0.0) / (to.x() - from.x()));
        lost = false;
        flight = 0;
    }
    kit.p.setPen(
        QPen(color(lost ? Role::Fault : Role::Message), 1.2, kind == LinkTick::Push ? Qt::DotLine : Qt::SolidLine));
    kit.p.drawLine(from, to);
    if (lost) {
        const double r = kit.m.px(3);
        kit.p.drawLine(to + QPointF(-r, -r), to + QPointF(r, r));
        kit.p.drawLine(to + QPointF(-r, r), to + QPointF(r, -r));
    } else if (flight > kit.m.px(10)) {
        const double angle = std::atan2(to.y() - from.y(), to.x() - from.x()), tip = kit.m.px(5);
        for (const double turn : {2.7, -2.7})
            kit.p.drawLine(to, to + QPointF(std::cos(angle + turn), std::sin(angle + turn)) * tip);
    }
    kit.p.setRenderHint(QPainter::Antialiasing, false);
}

/// A message on its way from one end of the link (top: client, bottom: server) to the other. Gives where it ends.
double paintArrow(const PaintKit& kit, const Arrow& arrow, const QRectF& bar, int height, double room) {
    const Lane& lane = *arrow.lane;
    const Tick& tick = *arrow.tick;
    const auto kind = LinkTick(tick.kind);
    const trace::Event e = kit.trace.at(tick.row);
    const bool up = e.actor == lane.other; // from the server, or from the second one of two
    // Flights are mostly too short to be seen: a slant of a few pixels shows the direction nevertheless.
    const double flight = std::max(e.value > 0 ? double(e.value) / kit.c.nanosPerPixel() : 0.0, double(kit.m.px(4)));
    QPointF from(arrow.x, bar.top()), to(arrow.x + flight, bar.bottom());
    if (up) {
        from.setY(bar.bottom());
        to.setY(bar.top());
    }
    if (kind == LinkTick::ConnectionLost || kind == LinkTick::ConnectionRestored) {
        kit.p.setPen(QPen(color(kind == LinkTick::ConnectionLost ? Role::Fault : Role::Accepted), 2));
        kit.p.drawLine(QPointF(arrow.x, bar.top() - 3), QPointF(arrow.x, bar.bottom() + 3));
        return arrow.x;
    }
    const bool lost = kind == LinkTick::Lost;
    if (!lost && flight <= kit.m.px(4)) {
        kit.sprite(kind == LinkTick::Push ? Sprite::MessagePush
                   : up                   ? Sprite::MessageUp
                                          : Sprite::MessageDown,
                   arrow.x, bar.center().y());
    } else {
        paintFlight(kit, kind, from, to, flight);
    }
    if (room < kit.m.px(90) || e.aux == trace::kNoEntity || isStrip(kit.m, height)) return arrow.x + flight;
    const double left = std::max(from.x(), to.x()) + 3;
    if (left > kit.knownTo() + 3) return arrow.x + flight; // their place would tell when it arrives
    // Up to the instant that is now, and to where the link is cut: words on a hatch cannot be read.
    double right = std::min(left + room - flight - kit.m.px(14), kit.edge);
    if (const std::size_t phase = lane.spans.firstEndingAfter(tick.at); phase < lane.spans.size()) {
        const Span& span = lane.spans[phase];
        if (span.from > tick.at || span.state == unsigned(LinkPhase::Cut))
            right = std::min(right, kit.c.x(span.from) - kit.m.px(3));
    }
    const double line = kit.m.px(15), above = bar.top() - kit.m.px(10), below = bar.bottom() - kit.m.px(6);
    const QRectF words(left, up ? std::max(above, -2.0) : std::min(below, height - line), right - left, line);
    // A command without its beginning would be another one.
    if (right <= left || words.x() < 0 || words.x() + kit.m.px(40) > kit.edge) return arrow.x + flight;
    const QString command = kit.trace.displayName(e.aux);
    kit.firstFitting(words, {command, command.section(u' ', 0, 0)}, kit.fixedSmall, Role::TextFaint);
    return arrow.x + flight;
}

} // namespace

void paintLink(const PaintKit& kit, const TimelineLayout::Row& row) {
    const Lane& lane = *row.lane;
    const int height = row.height;
    const QRectF bar = kit.m.bar(LaneKind::Link, 0, kit.c.width());
    paintPhases(kit, lane, height);

    // Messages that are denser than one every few pixels are drawn as a count.
    std::vector<Arrow> arrows;
    std::vector<std::uint32_t> counts(std::size_t(kit.c.width()) + 1), kinds(counts.size());
    const auto columnOf = [&](double x) { return std::size_t(std::clamp(int(x), 0, int(counts.size()) - 1)); };
    const auto addMessages = [&](const Lane& of) {
        of.ticks.visit(
            kit.c.from() - kit.pixel * 64, kit.to(), kit.pixel * 2,
            [&](std::size_t, const Tick& tick) {
                arrows.push_back({kit.c.x(tick.at), &tick, &of});
            },
            [&](const TickSum& sum) {
                const std::size_t column = columnOf((kit.c.x(sum.from) + kit.c.x(sum.to)) / 2);
                counts[column] += sum.count;
                kinds[column] |= sum.kinds;
            });
    };
    addMessages(lane);
    for (const Lane* other : row.alike)
        addMessages(*other);
    if (!row.alike.empty()) std::ranges::stable_sort(arrows, {}, &Arrow::x);
    for (std::size_t i = 0; i < arrows.size();) {
        // A run of messages closer than 2 pixels is an exchange when it is short, and a crowd when it is long.
        std::size_t end = i + 1;
        while (end < arrows.size() && arrows[end].x - arrows[end - 1].x < 3)
            ++end;
        const double after = end < arrows.size() ? arrows[end].x - arrows[end - 1].x : 1e9;
        if (end - i <= 4) {
            // An answer starts where its question ended, also when both fall onto one pixel: they make a V.
            for (double pen = -1e9; i < end; ++i) {
                Arrow arrow = arrows[i];
                arrow.x = std::max(arrow.x, pen);
                pen = paintArrow(kit, arrow, bar, height, i + 1 < end ? arrows[i + 1].x - arrows[i].x : after);
            }
            continue;
        }
        for (; i < end; ++i) {
            const std::size_t column = columnOf(arrows[i].x);
            ++counts[column];
            kinds[column] |= 1u << arrows[i].tick->kind;
        }
    }

    BoxBatch crowd, lost;
    for (std::size_t x = 0; x < counts.size(); ++x) {
        if (counts[x] == 0) continue;
        const double h = std::min(1.0, 0.2 + 0.1 * std::log2(double(counts[x]))) * bar.height();
        const bool trouble = kinds[x] & (bit(LinkTick::Lost) | bit(LinkTick::ConnectionLost));
        (trouble ? lost : crowd).add(double(x), bar.bottom() - h, trouble ? 2 : 1, h);
    }
    crowd.paint(kit.p, onGround(color(Role::Message, 0.7)));
    lost.paint(kit.p, color(Role::Fault));
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
