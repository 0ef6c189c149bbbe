// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/trace.h"

#include <vector>

namespace lockscope::views {

/// A message that is under way at some instant, or was a moment ago.
struct Flight {
    trace::EntityId client = trace::kNoEntity, node = trace::kNoEntity;
    bool toNode = false;
    bool lost = false;
    trace::EventKind kind = trace::EventKind::Request;
    trace::EntityId text = trace::kNoEntity;
    Nanos sent{}, time{}; ///< time on its way; 0 when it is not known
    double progress = 0;  ///< 0 at the sender, 1 at the receiver
};

/// The messages to be seen at `t`. One that flies for less than `least` is shown for that long, as if it flew slower:
/// else nobody would see it. Looks back at most `mostRows` rows.
std::vector<Flight> flightsAt(const trace::Trace& trace, Nanos t, Nanos least, std::size_t mostRows = 4000);

} // namespace lockscope::views
