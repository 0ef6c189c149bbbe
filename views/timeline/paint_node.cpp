// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/paint_kit.h"
#include "timeline/words.h"

#include <QCoreApplication>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

void paintPhase(const PaintKit& kit, const Lane& lane, const Span& span, const QRectF& r) {
    switch (NodePhase(span.state)) {
    case NodePhase::Up:
        if (lane.roles.empty()) kit.rounded(r, 3, color(Role::Node));
        return;
    case NodePhase::Paused:
        kit.rounded(r.adjusted(0.5, 0.5, -0.5, -0.5), 3, onGround(color(Role::SurfaceRaised)));
        kit.rounded(r.adjusted(0.5, 0.5, -0.5, -0.5), 3, kit.dots, QPen(color(Role::Paused), 1.5));
        break;
    case NodePhase::Down:
        kit.rounded(r.adjusted(0.5, 0.5, -0.5, -0.5), 3, onGround(color(Role::FaultSoft)),
                    QPen(color(Role::Fault), 1, Qt::DashLine));
        break;
    case NodePhase::Unseen:
        kit.gap(r);
        return;
    }
    const bool down = span.state == unsigned(NodePhase::Down);
    const QRectF place = kit.words(r.x(), r.right(), r);
    kit.firstFitting(place, phaseWords(kit.trace, span), kit.smallBold, down ? Role::FaultText : Role::Text);
}

/// From when on the node is up, from t on: until then the word for what it is stands in the place of its role's.
std::int64_t upFrom(const Lane& lane, std::int64_t t) {
    for (std::size_t i = lane.spans.firstEndingAfter(t); i < lane.spans.size() && lane.spans[i].from <= t; ++i) {
        if (NodePhase(lane.spans[i].state) == NodePhase::Up) break;
        t = lane.spans[i].to;
    }
    return t;
}

/// Until when it stays up, from t on: then the word for what it is comes, in its role's place.
std::int64_t upUntil(const Lane& lane, std::int64_t t) {
    for (std::size_t i = lane.spans.firstEndingAfter(t); i < lane.spans.size(); ++i)
        if (NodePhase(lane.spans[i].state) != NodePhase::Up) return lane.spans[i].from;
    return kOpenEnd;
}

/// Paints the roles of a node towards the others, as bands with words.
void paintRoles(const PaintKit& kit, const Lane& lane, const QRectF& bar) {
    PixelColumns columns(kit.c);
    lane.roles.visit(
        kit.c.from(), kit.to(), kit.pixel * 3, kit.now,
        [&](std::size_t, const Span& span) {
            const QRectF r = kit.across(span.from, lane.endOf(span, kit.now), bar, 2);
            const QRectF inner = r.adjusted(0.5, 0.5, -0.5, -0.5);
            switch (RoleBand(span.state)) {
            case RoleBand::Master:
                kit.rounded(r, 3, onGround(color(Role::Accepted, 0.6)));
                break;
            case RoleBand::Replica:
                kit.rounded(r, 3, onGround(color(Role::Node, 0.6)));
                break;
            case RoleBand::Orphan:
                kit.rounded(inner, 3, onGround(color(Role::Surface)), QPen(color(Role::Accepted), 1, Qt::DashLine));
                break;
            case RoleBand::Looking:
                kit.rounded(inner, 3, onGround(color(Role::Surface)), QPen(color(Role::Waiting), 1, Qt::DashLine));
                break;
            case RoleBand::Candidate:
                kit.rounded(inner, 3, onGround(color(Role::Waiting, 0.75)), QPen(color(Role::Waiting), 1));
                break;
            }
            const std::int64_t end = lane.endOf(span, kit.now);
            std::int64_t until = 0;
            for (auto from = upFrom(lane, std::max(span.from, kit.c.from())); from < end; from = upFrom(lane, until)) {
                until = upUntil(lane, from);
                const double right = until >= end ? r.right() : kit.c.x(until);
                const QRectF place = kit.words(std::max(r.x(), kit.c.x(from)), right, r);
                const double written =
                    kit.firstFitting(place, roleBandWords(kit.trace, span), kit.smallBold, Role::Text);
                if (written > place.left() || until >= end) return;
            }
        },
        [&](const SpanSum& sum) { columns.add(sum); });
    BoxBatch masters, candidates, others;
    fullColumns(columns, bar, [&](std::uint32_t states) {
        if (states & (bit(RoleBand::Candidate) | bit(RoleBand::Looking))) return &candidates;
        return states & bit(RoleBand::Master) ? &masters : &others;
    });
    masters.paint(kit.p, onGround(color(Role::Accepted, 0.6)));
    candidates.paint(kit.p, color(Role::Waiting));
    others.paint(kit.p, onGround(color(Role::Node, 0.6)));
}

/// Its votes in elections, as squares on the lower edge of its band.
void paintVotes(const PaintKit& kit, const Lane& lane, const QRectF& bar) {
    if (lane.ticks.empty()) return;
    const double size = kit.m.px(5);
    BoxBatch votes;
    const auto add = [&](std::int64_t at) {
        votes.add(std::round(kit.c.x(at)) - size / 2, bar.bottom() - size / 2, size, size);
    };
    lane.ticks.visit(
        kit.c.from(), kit.to(), kit.pixel, [&](std::size_t, const Tick& tick) { add(tick.at); },
        [&](const TickSum& sum) { add(sum.from); });
    votes.paint(kit.p, color(Role::Holding));
}

/// How far it is behind its master: a thin line below the band, with its value where that is new and there is room.
void paintLag(const PaintKit& kit, const Lane& lane, const QRectF& bar, int height) {
    if (lane.lag.empty()) return;
    struct Piece {
        double left, right;
        std::uint32_t lag;
    };
    std::vector<Piece> pieces;
    std::uint32_t most = 1;
    lane.lag.visit(
        kit.c.from(), kit.to(), kit.pixel, kit.now,
        [&](std::size_t, const Span& span) {
            pieces.push_back({kit.c.x(span.from), kit.c.x(lane.endOf(span, kit.now)), span.label});
            most = std::max<std::uint32_t>(most, span.label);
        },
        [](const SpanSum&) {});
    const double floor = height - 3.5, tall = floor - bar.bottom() - 2;
    if (tall < 2) return; // a curve needs some height
    // On a line of its own height: what is next to nothing lies on the ground.
    const auto y = [&](std::uint32_t lag) { return floor - tall * double(lag) / double(most); };
    kit.p.setPen(QPen(color(Role::TextDim), 1));
    double said = -1e9;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Piece& piece = pieces[i];
        const double left = std::max(piece.left, -8.0), right = std::min(piece.right, kit.c.width() + 8);
        kit.p.drawLine(QPointF(left, y(piece.lag)), QPointF(right, y(piece.lag)));
        const bool joins = i > 0 && pieces[i - 1].right >= piece.left - 1;
        if (joins) kit.p.drawLine(QPointF(left, y(pieces[i - 1].lag)), QPointF(left, y(piece.lag)));
        const bool grows = i + 1 < pieces.size() && pieces[i + 1].lag > piece.lag && pieces[i + 1].left - left < 60;
        if (grows || left < said) continue; // it is said of the highest point
        const QString words = lagWords(piece.lag);
        const double needed = kit.small.width(words);
        const double from = std::max(left, 0.0) + 4, line = kit.m.px(14);
        if (right - from < needed + 4) continue;
        if (floor - bar.bottom() < line - 4) continue; // on a low lane the words of the role stand there
        kit.box(QRectF(from - 2, floor - line + 2, needed + 4, line), onGround(color(Role::SurfaceSunken)));
        kit.text({from, floor - line + 1, needed + 2, line}, words, kit.small, Role::TextDim);
        kit.p.setPen(QPen(color(Role::TextDim), 1));
        said = from + needed + 24;
    }
}

} // namespace

void paintNode(const PaintKit& kit, const Lane& lane, int height) {
    const QRectF bar = kit.m.bar(lane, 0, kit.c.width());
    if (!lane.roles.empty()) paintRoles(kit, lane, bar);
    paintLag(kit, lane, bar, height);
    PixelColumns columns(kit.c);
    lane.spans.visit(
        kit.c.from(), kit.to(), kit.pixel * 2, kit.now,
        [&](std::size_t, const Span& span) {
            paintPhase(kit, lane, span, kit.across(span.from, lane.endOf(span, kit.now), bar, 2));
        },
        [&](const SpanSum& sum) { columns.add(sum); });
    BoxBatch up, paused, down, unseen;
    fullColumns(columns, bar, [&](std::uint32_t states) -> BoxBatch* {
        // Down outweighs paused, a gap outweighs up, however short it was.
        if (states & bit(NodePhase::Down)) return &down;
        if (states & bit(NodePhase::Paused)) return &paused;
        if (states & bit(NodePhase::Unseen)) return &unseen;
        return lane.roles.empty() ? &up : nullptr;
    });
    up.paint(kit.p, color(Role::Node));
    paused.paint(kit.p, color(Role::Paused));
    down.paint(kit.p, color(Role::Fault));
    unseen.paint(kit.p, color(Role::TextFaint));
    paintVotes(kit, lane, bar);
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
