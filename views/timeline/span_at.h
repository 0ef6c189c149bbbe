// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/lane.h"

namespace lockscope::views {

/// The span that lasts at t; nullptr: none does.
inline const Span* spanAt(const SpanTrack& spans, std::int64_t t) {
    const std::size_t i = spans.firstEndingAfter(t);
    return i < spans.size() && spans[i].from <= t ? &spans[i] : nullptr;
}

} // namespace lockscope::views
