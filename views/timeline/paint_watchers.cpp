// SPDX-License-Identifier: GPL-3.0-or-later
// The lane of the Sentinels: a thin line for each, with marks for what it thought and for whom it voted.
#include "timeline/paint_kit.h"
#include "timeline/strip.h"
#include "timeline/words.h"

#include <cmath>
#include <map>

namespace lockscope::views {
namespace {

constexpr std::size_t kMostLines = 7;

double lineOf(const QRectF& bar, std::size_t index, std::size_t count) {
    const std::size_t lines = std::min(count, kMostLines);
    const std::size_t line = std::min(index, kMostLines - 1);
    return std::round(bar.y() + bar.height() * (double(line) + 0.5) / double(std::max<std::size_t>(lines, 1))) + 0.5;
}

/// One Sentinel's life: solid while it runs, dotted while it is paused, nothing while it is dead.
void paintLine(const PaintKit& kit, const Lane& member, double y) {
    member.spans.visit(
        kit.c.from(), kit.to(), kit.pixel * 2, kit.now,
        [&](std::size_t, const Span& span) {
            const QRectF r = kit.across(span.from, member.endOf(span, kit.now), QRectF(0, y, 0, 1), 1);
            const auto phase = NodePhase(span.state);
            if (phase == NodePhase::Down) {
                kit.p.setPen(QPen(color(Role::Fault), 1, Qt::DotLine));
            } else {
                kit.p.setPen(QPen(color(phase == NodePhase::Up ? Role::TextFaint : Role::Paused), 1,
                                  phase == NodePhase::Up ? Qt::SolidLine : Qt::DashLine));
            }
            kit.p.drawLine(QPointF(r.left(), y), QPointF(r.right(), y));
        },
        [](const SpanSum&) {});
}

Role inkOf(WatcherTick kind) {
    switch (kind) {
    case WatcherTick::Doubts:
    case WatcherTick::Agreed:
        return Role::Waiting;
    case WatcherTick::Votes:
    case WatcherTick::Leads:
        return Role::Holding;
    case WatcherTick::GivesUp:
        return Role::Violation;
    case WatcherTick::Trusts:
    case WatcherTick::Promotes:
    case WatcherTick::Announces:
    case WatcherTick::Demotes:
        break;
    }
    return Role::Accepted;
}

/// Words of one mark; those that would run into others are left out.
struct Said {
    double x;
    QString words;
    Role ink;
    bool before; ///< they end at the mark, as long as there is room: what follows soon stands behind it
};

void paintWords(const PaintKit& kit, std::vector<Said>& all, const QRectF& bar) {
    const bool above = bar.y() >= kit.m.px(16);
    const QRectF line = above ? QRectF(0, bar.y() - kit.m.px(17), 0, kit.m.px(16)) : bar;
    double end = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Said& said = all[i];
        const double needed = kit.smallBold.width(said.words);
        const bool before = said.before && said.x - 6 - needed >= end;
        const double left = before ? said.x - 6 - needed : std::max(said.x + 4, end);
        if (left - said.x > needed / 2 || left + needed > kit.edge) continue;
        if (!above) kit.box(QRectF(left - 2, 0, needed + 4, bar.bottom()), onGround(color(Role::SurfaceSunken)));
        kit.text({left, line.y(), needed + 2, line.height()}, said.words, kit.smallBold, said.ink);
        end = before ? said.x + 4 : left + needed + kit.m.px(10);
    }
}

} // namespace

void paintWatchers(const PaintKit& kit, const Lane& lane, int height) {
    const QRectF bar = kit.m.bar(lane, 0, kit.c.width());
    const std::size_t count = lane.members.size();
    std::map<trace::EntityId, double> lines;
    for (std::size_t i = 0; i < count; ++i) {
        lines[lane.members[i]->entity] = lineOf(bar, i, count);
        if (i < kMostLines) paintLine(kit, *lane.members[i], lineOf(bar, i, count));
    }
    std::vector<Said> said;
    BoxBatch crowd;
    const double size = kit.m.px(isStrip(kit.m, height) ? 3 : 5);
    lane.ticks.visit(
        kit.c.from(), kit.to(), kit.pixel,
        [&](std::size_t, const Tick& tick) {
            const auto kind = WatcherTick(tick.kind);
            const double x = std::round(kit.c.x(tick.at));
            const auto line = lines.find(kit.trace.at(tick.row).actor);
            const double y = line == lines.end() ? bar.center().y() : line->second;
            const Role ink = inkOf(kind);
            if (kind == WatcherTick::Doubts) {
                kit.box(QRectF(x - 1, y - size, 2, 2 * size), color(ink));
            } else {
                const double half = kind == WatcherTick::Votes || kind == WatcherTick::Trusts ? size / 2 : size - 1;
                kit.box(QRectF(x - half, y - half, 2 * half, 2 * half), color(ink));
            }
            const QString words = watcherWords(lane, kit.trace, tick);
            const bool text = kind == WatcherTick::Doubts || kind == WatcherTick::Agreed;
            if (!words.isEmpty())
                said.push_back({x, words,
                                text                           ? Role::WaitingText
                                : kind == WatcherTick::GivesUp ? Role::ViolationText
                                : ink == Role::Holding         ? Role::HoldingText
                                                               : Role::AcceptedText,
                                kind == WatcherTick::Agreed});
        },
        [&](const TickSum& sum) { crowd.add(kit.c.x(sum.from), bar.y(), 2, bar.height()); });
    crowd.paint(kit.p, color(Role::Waiting));
    paintWords(kit, said, bar);
    for (const Lane* member : lane.members)
        paintFaults(kit, member->faults, height);
}

} // namespace lockscope::views
