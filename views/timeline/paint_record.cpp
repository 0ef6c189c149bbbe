// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/format.h"
#include "timeline/paint_lease.h"

#include <algorithm>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

/// The lease that this one goes on from, where its end hardly moved: the owner wrote its row anew, and filled nothing
/// up.
const Span* sameLease(const PaintKit& kit, const Lane& lane, const Span& renewed) {
    const std::size_t i = lane.spans.firstEndingAfter(renewed.from - 1);
    if (!(renewed.flags & kRenewedFlag) || i >= lane.spans.size() || lane.spans[i].from >= renewed.from) return nullptr;
    const Lease before = leaseOf(kit.trace, lane.spans[i]), now = leaseOf(kit.trace, renewed);
    constexpr std::int64_t kHundredth = 100;
    const bool moved = now.deadline - before.deadline > (before.deadline - before.from) / kHundredth;
    return before.expires() && now.expires() && !moved ? &lane.spans[i] : nullptr;
}

/// Whether the lease that this one renews was wide enough for its owner's name.
bool hadRoom(const PaintKit& kit, const Lane& lane, const Span& renewed) {
    const std::size_t i = lane.spans.firstEndingAfter(renewed.from - 1);
    if (i >= lane.spans.size() || lane.spans[i].from >= renewed.from) return true;
    const Span& before = lane.spans[i];
    return (before.flags & kRenewedFlag) || double(before.to - before.from) / double(kit.pixel) > kit.m.px(60);
}

/// The wedge of one lease: as high as what was left of it.
void paintLease(const PaintKit& kit, const Lane& lane, const Span& span, const QRectF& r) {
    const Span* const same = sameLease(kit, lane, span);
    const Span& begun = same ? *same : span;
    const Lease lease = leaseOf(kit.trace, begun);
    const std::int64_t last = lane.endOf(span, kit.now);
    const double textTop = r.bottom() - kit.m.px(19);
    const QColor ink = span.flags & kGuessFlag ? onGround(color(Role::Record, 0.45)) : color(Role::Record);
    kit.box(r, color(Role::RecordTrack));
    if (!lease.fractionKnown()) {
        // Nobody saw how much of the lease was left, or of how much: no height would be true. That the lock is held is
        // known, and drawn as long as it is.
        kit.p.fillRect(QRectF(r.topLeft(), QPointF(r.right(), textTop)), kit.recordHatch);
        kit.box(QRectF(r.x(), r.bottom() - 2, r.width(), 2), ink);
    } else if (lease.expires()) {
        paintWedge(kit, lease, r, ink);
    } else {
        kit.box(r, ink);
    }
    if ((span.flags & kRenewedFlag) && !same) { // refilled here
        const double x = std::round(r.x());
        kit.box(QRectF(x, r.y() - kit.m.px(6), 2, kit.m.px(6)), color(Role::Holding));
        kit.box(QRectF(x - 2, r.y() - kit.m.px(6), 6, 2), color(Role::Holding));
    }
    const double textLeft = std::max(r.x(), 0.0) + kit.m.px(7), textRight = std::min(r.right(), kit.c.width());
    const QRectF line(textLeft, textTop, textRight - textLeft - 3, kit.m.px(18));
    // By what is known and not by what is drawn: a run may be computed a little further than the playhead.
    const bool underPlayhead = kit.playhead >= span.from && kit.playhead < lane.endOf(span, kit.data.now());
    // A renewal goes on with the same owner: said once, at the beginning, at the left edge, or where there was no room
    // for it before.
    const bool says =
        !(span.flags & kRenewedFlag) || r.x() < 1 || r.width() > kit.m.px(120) || !hadRoom(kit, lane, span);
    double end = r.x(); // of the words on the bar
    if (!underPlayhead && says && !saysHowMany(lane, span.from))
        end = kit.firstFitting(
            line, leaseWords(kit.trace, begun, kit.data.never()), kit.bold,
            isPaleBelow(span, lease, kit.c, kit.m, r.height(), textLeft, textRight) ? Role::Text : Role::TextOnColor);
    // The end of a lease that ran out; of one cut short by a release there is nothing to say.
    if (lease.expires() && std::min(last, kit.last) >= lease.deadline && r.width() > kit.m.px(150)) {
        const QString words = Timeline::tr("expires %1").arg(instantShort(kit.trace, Nanos(lease.deadline)));
        const double width = kit.small.width(words) + kit.m.px(6);
        const double right = std::min(r.right(), kit.c.x(lease.deadline)); // the bar may be longer than the lease
        const bool above = r.y() + 2 + kit.m.px(16) <= textTop;            // a high bar has two lines
        if (right - width >= std::max(r.x(), 0.0) && (above || end + kit.m.px(8) <= right - width))
            kit.text({right - width, r.y() + 2, width, double(kit.m.px(16))}, words, kit.small, Role::TextDim);
    }
}

/// How many wait, as a curve of steps below the bar: as high as their number, against the longest queue of this lock.
void paintQueue(const PaintKit& kit, const Lane& lane, const QRectF& bar, int height) {
    if (lane.queue.empty()) return;
    constexpr std::uint32_t kLowest = 3; // a single waiter is no full height
    const double floor = height - 2, room = floor - bar.bottom() - kit.m.px(3);
    const double unit = room / std::max(lane.longestQueue, kLowest);
    const auto topOf = [&](std::uint32_t depth) {
        return std::round(floor - std::max(3.0, unit * std::min(depth, lane.longestQueue)));
    };
    BoxBatch area, edge;
    const auto step = [&](double left, double right, double from, double top) {
        area.add(left, top, right - left, floor - top);
        edge.add(left, top, right - left, 2);
        edge.add(left, std::min(from, top), 1, std::abs(from - top) + 1); // up or down to it
    };
    struct Words {
        double left, right, top;
        std::uint32_t depth;
    };
    std::vector<Words> words;
    double end = -1, last = floor;
    PixelColumns columns(kit.c);
    lane.queue.visit(
        kit.c.from(), kit.to(), kit.pixel * 2, kit.now,
        [&](std::size_t, const Span& span) {
            const QRectF r = kit.across(span.from, span.open() ? kit.now : span.to, bar, 1);
            const double top = topOf(span.label), left = std::round(r.x()), right = std::round(r.right());
            step(left, right, left > end ? floor : last, top);
            end = right;
            last = top;
            words.push_back({std::max(left, 0.0) + 4, right - 2, top, span.label});
        },
        [&](const SpanSum& sum) { columns.add(sum); });
    columns.runs([&](int x, int width, const auto&, std::uint32_t states) {
        unsigned deepest = 0;
        for (unsigned state = 0; state < kStates; ++state)
            if (states & 1u << state) deepest = state;
        const double top = topOf(kDeepestOfClass[deepest]);
        area.add(x, top, width, floor - top);
        edge.add(x, top, width, 2);
    });
    area.paint(kit.p, onGround(color(Role::WaitingSoft)));
    edge.paint(kit.p, color(Role::Waiting));
    if (kit.m.density == TimelineMetrics::Density::Least) return; // no room for words
    // Chinese letters reach lower than the others, and the lane ends there.
    const double line = kit.m.px(13), foot = room >= kit.m.px(15) ? kit.m.px(2) : 0;
    for (const Words& one : words) {
        for (const QString& text : {Timeline::tr("%n waiting", nullptr, int(one.depth)), QString::number(one.depth)}) {
            const double width = kit.small.width(text);
            if (one.left + width > one.right) continue;
            const QRectF place(one.left, floor - line - foot, width + 2, line);
            // A low curve would strike through its words: they have a ground of their own.
            if (one.top > place.top()) kit.box(place.adjusted(-3, 0, 3, 0), onGround(color(Role::WaitingSoft)));
            kit.text(place, text, kit.small, Role::WaitingText);
            break;
        }
    }
}

/// Several holders on top of the one's lease: a thin line for each reader, a cell for each permit, taken or free.
void paintHolders(const PaintKit& kit, const Lane& lane, const QRectF& bar) {
    constexpr std::uint32_t kMostLines = 6, kMostCells = 12;
    lane.holders.visit(
        kit.c.from(), kit.to(), kit.pixel * 6, kit.now,
        [&](std::size_t, const Span& span) {
            const HolderCount count = HolderCount::of(span.label);
            const bool permits = trace::HoldMode(span.state) == trace::HoldMode::Permit;
            if (!saysHowMany(count, span.state)) return; // the lease says it
            const QRectF r = kit.across(span.from, lane.endOf(span, kit.now), bar, 2);
            const bool cells = permits && count.all > 0 && count.all <= kMostCells;
            const std::uint32_t lines = cells ? count.all : std::min(count.held, kMostLines);
            const double step = std::max(3.0, std::min<double>(kit.m.px(4), bar.height() * 0.6 / lines));
            for (std::uint32_t i = 0; i < lines; ++i)
                kit.box(QRectF(r.x(), r.y() + 1 + i * step, r.width(), step - 1),
                        color(i < count.held ? Role::Holding : Role::RecordTrack));
            const QString words = holdersWords(span);
            const double left = std::max(r.x(), 0.0) + kit.m.px(7), right = std::min(r.right(), kit.c.width());
            if (right - left > kit.smallBold.width(words) + kit.m.px(16))
                kit.chip(left, r.y() + kit.m.px(5), words, Role::Surface, Role::Holding, Role::Text);
        },
        [](const SpanSum&) {});
}

/// Paints which server's copy is the record: "redis-1 decides", "nobody decides".
void paintDeciders(const PaintKit& kit, const Lane& lane) {
    const QRectF strip = kit.m.deciderStrip(kit.c.width());
    PixelColumns columns(kit.c);
    lane.deciders.visit(
        kit.c.from(), kit.to(), kit.pixel * 3, kit.now,
        [&](std::size_t, const Span& span) {
            const QRectF r = kit.across(span.from, lane.endOf(span, kit.now), strip, 2);
            const bool nobody = span.state == unsigned(Decider::Nobody) || span.state == unsigned(Decider::Switching);
            if (nobody)
                kit.rounded(r.adjusted(0.5, 0.5, -0.5, -0.5), 3, onGround(color(Role::WaitingSoft)),
                            QPen(color(Role::Waiting), 1, Qt::DashLine));
            else
                kit.rounded(r, 3, onGround(color(Role::Node, 0.6)));
            kit.firstFitting(kit.words(r.x(), r.right(), r), deciderWords(kit.trace, span), kit.smallBold,
                             nobody ? Role::WaitingText : Role::Text);
        },
        [&](const SpanSum& sum) { columns.add(sum); });
    BoxBatch some, none;
    fullColumns(columns, strip, [&](std::uint32_t states) {
        return states & (bit(Decider::Nobody) | bit(Decider::Switching)) ? &none : &some;
    });
    some.paint(kit.p, onGround(color(Role::Node, 0.6)));
    none.paint(kit.p, color(Role::Waiting));
}

/// A gap because nobody decided says so, and one because nobody waits; any other one was not observed.
QStringList gapWords(const PaintKit& kit, const Lane& lane, const Span& span) {
    if (endsShowing(kit.trace, span)) return {Timeline::tr("no longer seen")};
    const std::size_t i = lane.deciders.firstEndingAfter(span.from);
    if (i >= lane.deciders.size() || lane.deciders[i].state != unsigned(Decider::Nobody)) return {};
    // Most of an ensemble decide together, and are told of only while they are too few.
    if (lane.deciders[0].state != unsigned(Decider::One)) return {Timeline::tr("nobody decides")};
    return noMasterWords(kit.trace, Nanos(span.from), span.open() ? kNever : Nanos(span.to), Nanos(kit.now));
}

/// Where the one server that keeps a lock is dead and no row of the lock says so: nobody can have it.
void paintDeadServer(const PaintKit& kit, const Lane& lane, const QRectF& bar) {
    if (lane.other == trace::kNoEntity || kit.trace.ofRealServers()) return; // running servers go out of sight
    const auto& lanes = kit.data.lanes();
    const auto server = std::ranges::find_if(
        lanes, [&](const auto& other) { return other->kind == LaneKind::Node && other->entity == lane.other; });
    if (server == lanes.end()) return;
    (*server)->spans.visit(
        kit.c.from(), kit.to(), kit.pixel * 8, kit.now,
        [&](std::size_t, const Span& life) {
            if (NodePhase(life.state) != NodePhase::Down) return;
            const std::int64_t end = (*server)->endOf(life, kit.now);
            const std::size_t i = lane.spans.firstEndingAfter(life.from);
            if (i < lane.spans.size() && lane.spans[i].from < end) return;
            kit.gap(kit.across(life.from, end, bar, 2),
                    {Timeline::tr("%1 is dead", "a server").arg(kit.trace.displayName(lane.other)),
                     Timeline::tr("dead", "a server")});
        },
        [](const SpanSum&) {});
}

/// Refusals and other ends of a record that no release explains.
void paintMarks(const PaintKit& kit, const TickTrack& ticks, const QRectF& bar) {
    struct Mark {
        double x;
        const Tick* tick; ///< null: several
        Role role;
    };
    std::vector<Mark> marks;
    const auto add = [&](double x, const Tick* tick, std::uint32_t kinds) {
        // A lease that runs out is seen by its wedge; lines of one pixel are one line.
        kinds &= ~bit(RecordTick::Expired);
        if (kinds == 0) return;
        // Nothing is lost yet where a renewal is missing, nor where a person took the lock.
        constexpr std::uint32_t kMild =
            bit(RecordTick::Forced) | bit(RecordTick::RenewalMissed) | bit(RecordTick::RenewalsStopped);
        const Role role = (kinds & ~kMild) == 0 ? Role::Waiting : Role::Violation;
        if (marks.empty() || x >= marks.back().x + 2)
            marks.push_back({x, tick, role});
        else if (role == Role::Violation && marks.back().role != role)
            marks.back() = {marks.back().x, tick, role}; // the graver one is told
    };
    ticks.visit(
        kit.c.from(), kit.to(), kit.pixel * 2,
        [&](std::size_t, const Tick& tick) { add(kit.c.x(tick.at), &tick, 1u << tick.kind); },
        [&](const TickSum& sum) { add(kit.c.x(sum.from), nullptr, sum.kinds); });
    double end = 0; // of the words before
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const Mark& mark = marks[i];
        kit.box(QRectF(std::round(mark.x) - 1, bar.y() - kit.m.px(5), 2, bar.height() + kit.m.px(9)), color(mark.role));
        const double room = (i + 1 < marks.size() ? marks[i + 1].x : kit.c.width()) - mark.x - 10;
        if (!mark.tick || room < 20 || bar.y() < kit.m.px(12)) continue; // no room above the bar
        end = kit.beside({mark.x + 5, std::max(0.0, bar.y() - kit.m.px(18)), room, double(kit.m.px(15))}, 10, end + 6,
                         {recordTickWords(kit.trace, *mark.tick)}, kit.smallBold,
                         mark.role == Role::Violation ? Role::ViolationText : Role::WaitingText);
    }
}

} // namespace

void paintRecord(const PaintKit& kit, const Lane& lane, int height) {
    const QRectF bar = kit.m.bar(lane, 0, kit.c.width());
    if (kit.m.showsDeciders(lane)) paintDeciders(kit, lane);
    paintDeadServer(kit, lane, bar);
    paintRecordSpans(
        kit, lane, bar, [&](const Span& span, const QRectF& r) { kit.gap(r, gapWords(kit, lane, span)); },
        [&](const Span& span, const QRectF& r) { paintLease(kit, lane, span, r); });
    paintHolders(kit, lane, bar);
    paintQueue(kit, lane, bar, height);
    paintMarks(kit, lane.ticks, bar);
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
