// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/format.h"
#include "timeline/paint_kit.h"
#include "timeline/words.h"

#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

/// The wedge of one lease: as high as what was left of it.
void paintLease(const PaintKit& kit, const Lane& lane, const Span& span, const QRectF& bar) {
    const Lease lease = leaseOf(kit.trace, span);
    const std::int64_t end = lane.endOf(span, kit.now);
    const QRectF r = kit.across(span.from, end, bar, 2);
    const std::int64_t left = kit.c.time(r.left()), right = kit.c.time(r.right());
    const double fromLeft = lease.fraction(left), toRight = lease.fraction(right);
    kit.box(r, color(Role::RecordTrack));
    if (lease.expires()) {
        const QPointF wedge[]{{r.left(), r.bottom()},
                              {r.left(), r.bottom() - fromLeft * r.height()},
                              {r.right(), r.bottom() - toRight * r.height()},
                              {r.right(), r.bottom()}};
        kit.p.setRenderHint(QPainter::Antialiasing, true);
        kit.p.setPen(Qt::NoPen);
        kit.p.setBrush(color(Role::Record));
        kit.p.drawPolygon(wedge, 4);
        kit.p.setRenderHint(QPainter::Antialiasing, false);
    } else {
        kit.box(r, color(Role::Record));
    }
    if (span.flags & kRenewedFlag) { // refilled here
        const double x = std::round(r.x());
        kit.box(QRectF(x, r.y() - kit.m.px(6), 2, kit.m.px(6)), color(Role::Holding));
        kit.box(QRectF(x - 2, r.y() - kit.m.px(6), 6, 2), color(Role::Holding));
    }
    const double textLeft = std::max(r.x(), 0.0) + kit.m.px(7), textRight = std::min(r.right(), kit.c.width());
    const QRectF line(textLeft, r.bottom() - kit.m.px(19), textRight - textLeft - 3, kit.m.px(18));
    const bool underPlayhead = kit.playhead >= span.from && kit.playhead < end;
    // A renewal goes on with the same owner: said once, at the beginning, or at the left edge.
    const bool says = !(span.flags & kRenewedFlag) || r.x() < 1 || r.width() > kit.m.px(150);
    if (!underPlayhead && says) kit.text(line, leaseWords(kit.trace, span), kit.bold, kit.boldFm, Role::TextOnColor);
    // The end of a lease that ran out; of one cut short by a release there is nothing to say.
    if (lease.expires() && end >= lease.deadline && r.width() > kit.m.px(150)) {
        const QString words = Timeline::tr("expires %1").arg(instantShort(Nanos(lease.deadline)));
        const double width = kit.smallFm.horizontalAdvance(words) + kit.m.px(6);
        kit.text({r.right() - width, r.y() + 2, width, double(kit.m.px(16))}, words, kit.small, kit.smallFm,
                 Role::TextDim);
    }
}

void paintGap(const PaintKit& kit, const QRectF& r) {
    kit.box(r, color(Role::SurfaceRaised));
    kit.p.fillRect(r, kit.unobservedHatch);
    const QString words = Timeline::tr("not observed");
    const double width = kit.smallBoldFm.horizontalAdvance(words) + kit.m.px(16);
    const double left = std::max(r.x(), 0.0), right = std::min(r.right(), kit.c.width());
    if (right - left > width + 4)
        kit.chip(left + (right - left - width) / 2, r.center().y() - kit.m.px(9), words, Role::Surface, Role::TextFaint,
                 Role::TextDim);
}

void paintQueue(const PaintKit& kit, const SpanTrack& queue, const QRectF& bar) {
    if (queue.empty()) return;
    const QRectF strip(0, bar.bottom() + kit.m.px(3), 0, kit.m.px(3));
    PixelColumns columns(kit.c);
    queue.visit(
        kit.c.from(), kit.c.to(), kit.pixel * 2, kit.now,
        [&](std::size_t, const Span& span) {
            const QRectF r = kit.across(span.from, span.open() ? kit.now : span.to, strip, 1);
            kit.p.setBrushOrigin(QPointF(std::round(kit.c.x(span.from)), r.y()));
            kit.p.fillRect(r, kit.waitDots);
            kit.p.setBrushOrigin(QPointF(0, 0));
            const double left = std::max(r.x(), 0.0) + 2;
            kit.text({left, r.bottom() - 1, r.right() - left - 4, double(kit.m.px(13))},
                     Timeline::tr("%n waiting", nullptr, int(span.label)), kit.small, kit.smallFm, Role::WaitingText);
        },
        [&](const SpanSum& sum) { columns.add(sum); });
    BoxBatch ambers;
    columns.runs([&](int x, int width, const auto&, std::uint32_t) { ambers.add(x, strip.y(), width, 2); });
    ambers.paint(kit.p, color(Role::Waiting, 0.75));
}

void paintMarks(const PaintKit& kit, const TickTrack& ticks, const QRectF& bar) {
    double lastX = -1e9, lastText = -1e9;
    const auto line = [&](double x, Role role) {
        if (x < lastX + 2) return false;
        lastX = x;
        kit.box(QRectF(std::round(x) - 1, bar.y() - kit.m.px(5), 2, bar.height() + kit.m.px(9)), color(role));
        return true;
    };
    const auto roleOf = [](std::uint32_t kinds) {
        return kinds & ~(bit(RecordTick::Expired) | bit(RecordTick::Forced)) ? Role::Violation : Role::Waiting;
    };
    ticks.visit(
        kit.c.from(), kit.c.to(), kit.pixel * 2,
        [&](std::size_t, const Tick& tick) {
            if (tick.kind == unsigned(RecordTick::Expired)) return; // the wedge that runs out says so
            const double x = kit.c.x(tick.at);
            const Role role = roleOf(1u << tick.kind);
            if (!line(x, role) || x < lastText) return;
            const QString words = recordTickWords(kit.trace, tick);
            const double width = kit.smallBoldFm.horizontalAdvance(words) + 4;
            lastText = kit.text({x + 5, 0, width, double(kit.m.px(15))}, words, kit.smallBold, kit.smallBoldFm,
                                role == Role::Violation ? Role::ViolationText : Role::WaitingText) +
                       10;
        },
        [&](const TickSum& sum) {
            if (sum.kinds != bit(RecordTick::Expired)) line(kit.c.x(sum.from), roleOf(sum.kinds));
        });
}

} // namespace

void paintRecord(const PaintKit& kit, const Lane& lane, int height) {
    const QRectF bar = kit.m.bar(LaneKind::Record, 0, kit.c.width());
    PixelColumns columns(kit.c);
    lane.spans.visit(
        kit.c.from(), kit.c.to(), kit.pixel * 3, kit.now,
        [&](std::size_t, const Span& span) {
            if (span.state == unsigned(RecordState::Unobserved))
                paintGap(kit, kit.across(span.from, lane.endOf(span, kit.now), bar, 2));
            else
                paintLease(kit, lane, span, bar);
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
    paintQueue(kit, lane.queue, bar);
    paintMarks(kit, lane.ticks, bar);
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
