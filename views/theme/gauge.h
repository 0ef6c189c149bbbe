// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "theme/palette.h"

#include <QRectF>

class QPainter;

namespace lockscope::views {

/// The remaining part of a lease, drawn as a bar in tables, a ring in the detail and a wedge on the timeline.
struct Ttl {
    double left = 0;     ///< 0…1 of the lease
    bool expires = true; ///< false: there is no deadline, drawn as a full, open-ended gauge in violation colour
    bool known = true;   ///< false: drawn as an empty track
};

/// Blue while more than a fifth is left, amber below, vermilion when it never expires.
Role ttlRole(const Ttl& ttl);
/// A rounded bar that drains to the left, as high as `rect`.
void paintTtlBar(QPainter& painter, const QRectF& rect, const Ttl& ttl);
/// A ring that drains clockwise from the top; its thickness is a tenth of the rectangle's side.
void paintTtlRing(QPainter& painter, const QRectF& rect, const Ttl& ttl);
/// The record lane's wedge: the height of the filled part is the part of the lease left at that instant. `fromLeft` and
/// `toLeft` are the fractions at the left and right edge.
void paintTtlWedge(QPainter& painter, const QRectF& rect, double fromLeft, double toLeft);

} // namespace lockscope::views
