// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/scene.h"

namespace lockscope::views {

/// The thing under a point of the lanes.
struct TimelineHit {
    enum class What : std::uint8_t { Nothing, Label, Lane, Span, Life, Tick, Fault };
    What what = What::Nothing;
    int row = -1; ///< of the layout
    const Lane* lane = nullptr;
    std::int64_t time = 0;
    std::size_t index = 0;               ///< of the span, tick or fault in its track
    const TickTrack* faults = nullptr;   ///< where `index` points for a Fault
    std::vector<std::size_t> violations; ///< bands over this instant, innermost first
};

/// Finds it by the rules of painting: the innermost thing wins, and a thing drawn a few pixels wide is hit within those
/// pixels. The caller holds the data's mutex.
TimelineHit hitTest(const TimelineScene& scene, const QSize& size, const QPointF& position);

/// A tooltip about a hit, in rich text; empty = none.
QString hitWords(const TimelineScene& scene, const TimelineHit& hit);

} // namespace lockscope::views
