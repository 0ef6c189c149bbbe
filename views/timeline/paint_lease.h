// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/paint_kit.h"
#include "timeline/words.h"

namespace lockscope::views {

// The painting that a lock's record and one server's copy of it have in common.

/// A wedge in `r`, as high as what is left of the lease. Precondition: lease.fractionKnown().
void paintWedge(const PaintKit& kit, const Lease& lease, const QRectF& r, const QColor& ink);

/// Held spans that are too narrow to be drawn one by one: columns as high as the share of time that they hold. A gap
/// has the full height.
void paintRecordColumns(const PaintKit& kit, const PixelColumns& columns, const QRectF& bar);

/// Paints the spans of a record's lane: `gap` and `lease` one each, the narrow ones as columns.
template <typename Gap, typename Held>
void paintRecordSpans(const PaintKit& kit, const Lane& lane, const QRectF& bar, Gap gap, Held held) {
    PixelColumns columns(kit.c);
    lane.spans.visit(
        kit.c.from(), kit.to(), kit.pixel * 3, kit.now,
        [&](std::size_t, const Span& span) {
            const QRectF r = kit.across(span.from, lane.endOf(span, kit.now), bar, 2);
            if (span.state == unsigned(RecordState::Unobserved))
                gap(span, r);
            else
                held(span, r);
        },
        [&](const SpanSum& sum) { columns.add(sum); });
    paintRecordColumns(kit, columns, bar);
}

/// Whether words at the lower edge of a lease's bar, from `left` to at most `right`, stand on a ground so pale that
/// they need the usual text colour: by isPale(), or as the wedge is low there.
bool isPaleBelow(const Span& span, const Lease& lease, const TimelineCoordinates& c, const TimelineMetrics& m,
                 double barHeight, double left, double right);

} // namespace lockscope::views
