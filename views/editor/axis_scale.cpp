// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/axis_scale.h"

#include "theme/palette.h"
#include "theme/widgets.h"
#include "trace/time_text.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace lockscope::views {

static_assert(AxisScale::kMargin == 2 * kGrid);

Nanos snappedToAxis(Nanos at) {
    return std::max(Nanos::zero(), (at + kAxisSnap / 2) / kAxisSnap * kAxisSnap);
}

int AxisScale::xOf(Nanos at) const {
    const double part = double(at.count()) / double(std::max<std::int64_t>(1, until.count()));
    return left + int(std::lround(part * (width - left - kMargin)));
}

Nanos AxisScale::timeAt(int x) const {
    const double part = std::clamp(double(x - left) / std::max(1, width - left - kMargin), 0.0, 1.0);
    return Nanos(std::llround(part * double(until.count())));
}

Nanos AxisScale::step() const {
    const int most = std::max(1, (width - left - kMargin) / 64);
    for (const Nanos step : {100ms, 200ms, 500ms, 1000ms, 2000ms, 5000ms, 10'000ms, 30'000ms, 60'000ms, 300'000ms})
        if (until / step <= most) return step;
    return std::max<Nanos>(until / 8, 1ms);
}

void AxisScale::paint(QPainter& painter, int top, int bottom) const {
    const Nanos apart = step();
    for (Nanos at{}; at <= until; at += apart) {
        const int x = xOf(at);
        painter.setPen(color(Role::Grid));
        painter.drawLine(x, top, x, bottom);
        painter.setPen(color(Role::TextFaint));
        const Qt::Alignment side = x > width - 40        ? Qt::AlignRight
                                   : x < 40 && left < 40 ? Qt::AlignLeft
                                                         : Qt::AlignHCenter;
        const int begin = side == Qt::AlignRight ? x - 60 : side == Qt::AlignLeft ? x : x - 30;
        painter.drawText(QRect(begin, bottom + 2, 60, 18), int(side | Qt::AlignVCenter), spanText(at));
    }
}

} // namespace lockscope::views
