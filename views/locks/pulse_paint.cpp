// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/pulse_paint.h"

#include "theme/palette.h"

#include <QPainter>
#include <QPainterPath>

namespace lockscope::views {

namespace {
constexpr double kSpike = 3.2;          ///< half of a spike's width, in pixels
constexpr double kRing = 3;             ///< radius of the ring
constexpr qint64 kShortest = 1'000'000; ///< ns: a strip is never of less
} // namespace

void paintPulse(QPainter& painter, const QRectF& strip, const Pulse& pulse) {
    Q_ASSERT(!pulse.beats.isEmpty());
    const qint64 period = pulse.period();
    const qint64 from = pulse.beats.front();
    const qint64 due = pulse.beats.back() + period;
    const qint64 to = std::max({pulse.now, from + kShortest, pulse.missed && period > 0 ? due : from});
    const double left = strip.left() + kSpike + 1, right = strip.right() - kRing - 1;
    const auto x = [&](qint64 t) { return left + (right - left) * double(t - from) / double(to - from); };
    const double floor = strip.bottom() - 3, top = strip.top() + 1;
    QPainterPath line(QPointF(strip.left(), floor));
    for (const qint64 beat : pulse.beats) {
        const double at = x(beat);
        if (at - kSpike < line.currentPosition().x()) continue; // so dense that one stands for both
        line.lineTo(at - kSpike, floor);
        line.lineTo(at - kSpike / 3, top);
        line.lineTo(at + kSpike / 3, floor + 2);
        line.lineTo(at + kSpike, floor);
    }
    if (line.currentPosition().x() < x(pulse.now)) line.lineTo(x(pulse.now), floor);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color(Role::Holding), 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(line);
    if (pulse.missed) {
        painter.setPen(QPen(color(Role::Waiting), 1.6));
        painter.drawEllipse(QPointF(period > 0 ? x(due) : right, floor - 4), kRing, kRing);
    }
    painter.restore();
}

} // namespace lockscope::views
