// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/gauge.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

namespace lockscope::views {

Role ttlRole(const Ttl& ttl) {
    if (!ttl.expires) return Role::Violation;
    return ttl.left > 0.2 ? Role::Holding : Role::Waiting;
}

void paintTtlBar(QPainter& painter, const QRectF& rect, const Ttl& ttl) {
    const double radius = rect.height() / 2;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    // An empty track would say that nothing is left: where the fraction is not known there is a dotted outline.
    painter.setPen(ttl.known ? QPen(Qt::NoPen) : QPen(color(Role::TextFaint), 1, Qt::DotLine));
    painter.setBrush(ttl.known ? QBrush(color(Role::GaugeTrack)) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(ttl.known ? rect : rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    painter.setPen(Qt::NoPen);
    if (ttl.known) {
        // A lock that never expires has no fraction: a mark at the left end instead of a bar that would lie either way.
        const double left = ttl.expires ? std::clamp(ttl.left, 0.0, 1.0) : 0.0;
        const double width = std::max(left * rect.width(), left > 0 ? rect.height() : 0.0);
        painter.setBrush(color(ttlRole(ttl)));
        if (!ttl.expires)
            painter.drawRect(QRectF(rect.left(), rect.top() - 1, 2, rect.height() + 2));
        else if (width > 0)
            painter.drawRoundedRect(QRectF(rect.left(), rect.top(), width, rect.height()), radius, radius);
    }
    painter.restore();
}

void paintTtlRing(QPainter& painter, const QRectF& rect, const Ttl& ttl) {
    const double side = std::min(rect.width(), rect.height());
    const double thickness = side / 10;
    QRectF ring(0, 0, side - thickness, side - thickness);
    ring.moveCenter(rect.center());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(ttl.known ? QPen(color(Role::GaugeTrack), thickness)
                             : QPen(color(Role::TextFaint), 1.25, Qt::DotLine));
    painter.drawEllipse(ring);
    if (ttl.known) {
        const double left = ttl.expires ? std::clamp(ttl.left, 0.0, 1.0) : 1.0;
        painter.setPen(QPen(color(ttlRole(ttl)), thickness, ttl.expires ? Qt::SolidLine : Qt::DotLine,
                            left < 1 ? Qt::RoundCap : Qt::FlatCap));
        // Qt counts sixteenths of a degree, counter-clockwise from three o'clock.
        if (left > 0) painter.drawArc(ring, 90 * 16, -int(left * 360 * 16));
    }
    painter.restore();
}

void paintTtlWedge(QPainter& painter, const QRectF& rect, double fromLeft, double toLeft) {
    painter.save();
    painter.fillRect(rect, color(Role::RecordTrack));
    QPainterPath wedge(rect.bottomLeft());
    wedge.lineTo(rect.left(), rect.bottom() - rect.height() * std::clamp(fromLeft, 0.0, 1.0));
    wedge.lineTo(rect.right(), rect.bottom() - rect.height() * std::clamp(toLeft, 0.0, 1.0));
    wedge.lineTo(rect.bottomRight());
    wedge.closeSubpath();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillPath(wedge, color(Role::Record));
    painter.restore();
}

} // namespace lockscope::views
