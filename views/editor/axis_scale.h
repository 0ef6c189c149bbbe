// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/time.h"

class QPainter;

namespace lockscope::views {

/// A drag and a key move something on an editor's axis of time by so much.
inline constexpr Nanos kAxisSnap{100'000'000};

/// To the nearest multiple of kAxisSnap, not below 0.
Nanos snappedToAxis(Nanos at);

/// An axis of time from 0 to `until` over the width of a widget, px.
struct AxisScale {
    int width = 0;
    Nanos until{1};

    static constexpr int kMargin = 16; ///< px at either end
    int left = kMargin;                ///< px before its beginning
    int xOf(Nanos at) const;
    /// The instant at a pixel, within the axis.
    Nanos timeAt(int x) const;
    /// Between two marks of the ruler, so that their numbers have room.
    Nanos step() const;
    /// Lines from `top` to `bottom`, and below them the times.
    void paint(QPainter& painter, int top, int bottom) const;
};

} // namespace lockscope::views
