// SPDX-License-Identifier: GPL-3.0-or-later
// One server's copy of a lock: a thin wedge, and what became of it in words.
#include "timeline/paint_lease.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

void paintLease(const PaintKit& kit, const Span& span, const QRectF& r) {
    const Lease lease = leaseOf(kit.trace, span);
    kit.box(r, color(Role::RecordTrack));
    if (!lease.fractionKnown()) {
        kit.p.fillRect(r, kit.recordHatch);
        return;
    }
    paintWedge(kit, lease, r, color(Role::Record));
    if (span.flags & kRenewedFlag) kit.box(QRectF(std::round(r.x()), r.y() - 2, 2, 3), color(Role::Holding));
}

/// Whether servers of another kind keep a hold from `from` until `to`: a lock manager uses another engine then.
bool isElsewhere(const Lane& copy, std::int64_t from, std::int64_t to) {
    const auto has = [&](const Lane* lane) {
        const std::size_t i = lane->spans.firstEndingAfter(from);
        return i < lane->spans.size() && lane->spans[i].from < to;
    };
    const auto alike = [&](const Lane* lane) { return replicates(*lane) == replicates(copy); };
    const auto& copies = copy.logical->members;
    return std::ranges::any_of(copies, has) &&
           std::ranges::none_of(copies, [&](const Lane* lane) { return has(lane) && alike(lane); });
}

/// Where the lock as a whole was held, and this server had nothing of that hold.
void paintMissing(const PaintKit& kit, const Lane& lane, const QRectF& bar) {
    const double least = kit.m.px(40);
    lane.logical->spans.visit(
        kit.c.from(), kit.to(), std::int64_t(least * kit.c.nanosPerPixel()), kit.now,
        [&](std::size_t, const Span& hold) {
            if (hold.state != unsigned(RecordState::Held)) return;
            const std::int64_t end = lane.logical->endOf(hold, kit.now);
            const std::size_t i = lane.spans.firstEndingAfter(hold.from);
            const std::int64_t until = i < lane.spans.size() ? std::min(end, lane.spans[i].from) : end;
            if (until <= hold.from) return;
            if (copyIsDead(lane, hold.from) || isElsewhere(lane, hold.from, end)) return;
            const QRectF r = kit.across(hold.from, until, bar, 2);
            if (r.width() < least) return;
            kit.p.setPen(QPen(color(Role::TextFaint), 1, Qt::DashLine));
            kit.p.setBrush(Qt::NoBrush);
            kit.p.drawRect(r.adjusted(0.5, 0.5, -0.5, -0.5));
            QStringList words{Timeline::tr("empty")};
            if (replicates(lane)) words.prepend(Timeline::tr("empty: not replicated"));
            kit.firstFitting(kit.words(r.x(), r.right(), r), words, kit.small, Role::TextDim);
        },
        [](const SpanSum&) {});
}

/// Where the words of a mark have to end: at the next hold.
double roomAfter(const PaintKit& kit, const Lane& lane, std::int64_t at) {
    const std::size_t next = lane.spans.firstEndingAfter(at);
    return std::min(next < lane.spans.size() ? kit.c.x(lane.spans[next].from) : kit.c.width(), kit.edge);
}

} // namespace

void paintCopy(const PaintKit& kit, const Lane& lane, int height) {
    const QRectF bar = kit.m.bar(lane, 0, kit.c.width());
    paintRecordSpans(
        kit, lane, bar,
        [&](const Span& gap, const QRectF& r) {
            kit.gap(r, copyIsDead(lane, gap.from) ? QStringList{Timeline::tr("dead", "a server")} : QStringList());
        },
        [&](const Span& span, const QRectF& r) { paintLease(kit, span, r); });
    if (lane.logical) paintMissing(kit, lane, bar);
    double end = -1e9;
    const double arm = kit.m.px(3);
    lane.ticks.visit(
        kit.c.from(), kit.to(), kit.pixel * 8,
        [&](std::size_t, const Tick& tick) {
            if (RecordTick(tick.kind) == RecordTick::Expired) return;
            const double x = std::round(kit.c.x(tick.at));
            if (x < end) return;
            const QString words = copyTickWords(kit.data, lane, tick);
            // A living server that takes over a newer history has lost nothing.
            const bool caughtUp = RecordTick(tick.kind) == RecordTick::NodeLoss && !copyIsDead(lane, tick.at) &&
                                  !hasJustStarted(lane, tick.at);
            const double room = roomAfter(kit, lane, tick.at) - x;
            if (caughtUp) {
                end = kit.firstFitting({x + kit.m.px(3), bar.y(), room - kit.m.px(5), bar.height()}, {words}, kit.small,
                                       Role::TextDim);
                return;
            }
            const bool died = copyIsDead(lane, tick.at);
            kit.p.setPen(QPen(color(Role::Violation), 1.5));
            kit.p.drawLine(QPointF(x - arm, bar.center().y() - arm), QPointF(x + arm, bar.center().y() + arm));
            kit.p.drawLine(QPointF(x - arm, bar.center().y() + arm), QPointF(x + arm, bar.center().y() - arm));
            end = kit.firstFitting({x + kit.m.px(8), bar.y(), room - kit.m.px(10), bar.height()},
                                   died ? QStringList{words, Timeline::tr("dead", "a server")} : QStringList{words},
                                   kit.smallBold, died ? Role::ViolationText : Role::WaitingText);
        },
        [](const TickSum&) {});
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
