// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/paint_lease.h"

#include <algorithm>
#include <cmath>

namespace lockscope::views {

void paintWedge(const PaintKit& kit, const Lease& lease, const QRectF& r, const QColor& ink) {
    Q_ASSERT(lease.fractionKnown());
    // A server that stands still keeps what has expired: its bar is longer than the lease.
    const double end = lease.expires() ? std::clamp(kit.c.x(lease.deadline), r.left(), r.right()) : r.right();
    const double left = lease.fraction(kit.c.time(r.left())), right = lease.fraction(kit.c.time(end));
    const QPointF wedge[]{{r.left(), r.bottom()},
                          {r.left(), r.bottom() - left * r.height()},
                          {end, r.bottom() - right * r.height()},
                          {end, r.bottom()}};
    kit.p.setRenderHint(QPainter::Antialiasing, r.width() > 12);
    kit.p.setPen(Qt::NoPen);
    kit.p.setBrush(ink);
    kit.p.drawPolygon(wedge, 4);
    kit.p.setRenderHint(QPainter::Antialiasing, false);
}

bool isPaleBelow(const Span& span, const Lease& lease, const TimelineCoordinates& c, const TimelineMetrics& m,
                 double barHeight, double left, double right) {
    if (isPale(span, lease)) return true;
    const double middle = left + std::min<double>(m.px(40), (right - left) / 2);
    return lease.expires() && lease.fraction(c.time(middle)) * barHeight < m.px(12);
}

void paintRecordColumns(const PaintKit& kit, const PixelColumns& columns, const QRectF& bar) {
    BoxBatch held, gaps;
    columns.runs([&](int x, int width, const std::array<double, kStates>& shares, std::uint32_t states) {
        if (states & bit(RecordState::Unobserved)) gaps.add(x, bar.y(), std::max(width, 2), bar.height());
        if (!(states & bit(RecordState::Held))) return;
        const double h = std::max(2.0, std::round(shares[std::size_t(RecordState::Held)] * bar.height()));
        held.add(x, bar.bottom() - h, width, h);
    });
    held.paint(kit.p, color(Role::Record));
    gaps.paint(kit.p, color(Role::TextFaint));
}

} // namespace lockscope::views
