// SPDX-License-Identifier: GPL-3.0-or-later
// One server's copy of a lock: a thin wedge, and what became of it in words.
#include "timeline/paint_kit.h"
#include "timeline/words.h"

#include <QCoreApplication>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

void paintLease(const PaintKit& kit, const Span& span, const QRectF& r) {
    const Lease lease = leaseOf(kit.trace, span);
    kit.box(r, color(Role::RecordTrack));
    const QColor ink = color(Role::Record);
    if (!lease.fractionKnown()) {
        kit.p.fillRect(r, kit.recordHatch);
        return;
    }
    const double left = lease.fraction(kit.c.time(r.left())), right = lease.fraction(kit.c.time(r.right()));
    const QPointF wedge[]{{r.left(), r.bottom()},
                          {r.left(), r.bottom() - left * r.height()},
                          {r.right(), r.bottom() - right * r.height()},
                          {r.right(), r.bottom()}};
    kit.p.setRenderHint(QPainter::Antialiasing, r.width() > 12);
    kit.p.setPen(Qt::NoPen);
    kit.p.setBrush(ink);
    kit.p.drawPolygon(wedge, 4);
    kit.p.setRenderHint(QPainter::Antialiasing, false);
    if (span.flags & kRenewedFlag) kit.box(QRectF(std::round(r.x()), r.y() - 2, 2, 3), color(Role::Holding));
}

/// Where the lock as a whole was held, and this server had nothing of that hold.
void paintMissing(const PaintKit& kit, const Lane& lane, const QRectF& bar) {
    const double least = kit.m.px(40);
    lane.logical->spans.visit(
        kit.c.from(), kit.c.to(), std::int64_t(least * kit.c.nanosPerPixel()), kit.now,
        [&](std::size_t, const Span& hold) {
            if (hold.state != unsigned(RecordState::Held)) return;
            const std::int64_t end = lane.logical->endOf(hold, kit.now);
            const std::size_t i = lane.spans.firstEndingAfter(hold.from);
            const std::int64_t until = i < lane.spans.size() ? std::min(end, lane.spans[i].from) : end;
            if (until <= hold.from) return;
            if (copyIsDead(lane, hold.from)) return;
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

} // namespace

void paintCopy(const PaintKit& kit, const Lane& lane, int height) {
    const QRectF bar = kit.m.bar(lane, 0, kit.c.width());
    PixelColumns columns(kit.c);
    lane.spans.visit(
        kit.c.from(), kit.c.to(), kit.pixel * 3, kit.now,
        [&](std::size_t, const Span& span) {
            const QRectF r = kit.across(span.from, lane.endOf(span, kit.now), bar, 2);
            if (span.state == unsigned(RecordState::Unobserved))
                kit.gap(r);
            else
                paintLease(kit, span, r);
        },
        [&](const SpanSum& sum) { columns.add(sum); });
    BoxBatch held, gaps;
    columns.runs([&](int x, int width, const std::array<double, kStates>& shares, std::uint32_t states) {
        if (states & bit(RecordState::Unobserved)) gaps.add(x, bar.y(), std::max(width, 2), bar.height());
        if (!(states & bit(RecordState::Held))) return;
        const double h = std::max(2.0, std::round(shares[std::size_t(RecordState::Held)] * bar.height()));
        held.add(x, bar.bottom() - h, width, h);
    });
    held.paint(kit.p, color(Role::Record));
    gaps.paint(kit.p, color(Role::TextFaint));
    if (lane.logical) paintMissing(kit, lane, bar);
    double end = -1e9;
    const double arm = kit.m.px(3);
    lane.ticks.visit(
        kit.c.from(), kit.c.to(), kit.pixel * 8,
        [&](std::size_t, const Tick& tick) {
            if (RecordTick(tick.kind) == RecordTick::Expired) return;
            const double x = std::round(kit.c.x(tick.at));
            if (x < end) return;
            const bool died = RecordTick(tick.kind) == RecordTick::NodeLoss;
            kit.p.setPen(QPen(color(Role::Violation), 1.5));
            kit.p.drawLine(QPointF(x - arm, bar.center().y() - arm), QPointF(x + arm, bar.center().y() + arm));
            kit.p.drawLine(QPointF(x - arm, bar.center().y() + arm), QPointF(x + arm, bar.center().y() - arm));
            const QString words = died ? lostCopyWords(kit.data, lane, tick) : recordTickWords(kit.trace, tick);
            const std::size_t next = lane.spans.firstEndingAfter(tick.at);
            const double room = next < lane.spans.size() ? kit.c.x(lane.spans[next].from) : kit.c.width();
            end = kit.firstFitting(
                {x + kit.m.px(8), bar.y(), std::min(room, kit.c.width()) - x - kit.m.px(10), bar.height()}, {words},
                kit.smallBold, died ? Role::ViolationText : Role::WaitingText);
        },
        [](const TickSum&) {});
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
