// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/trace.h"

#include <vector>

namespace lockscope::views {

/// A message that is under way at some instant, or was a moment ago. Between two servers, `client` is the one that
/// sends, and `node` the other.
struct Flight {
    trace::EntityId client = trace::kNoEntity, node = trace::kNoEntity;
    bool toNode = false;
    bool lost = false;
    trace::EventKind kind = trace::EventKind::Request;
    trace::EntityId text = trace::kNoEntity;
    Nanos sent{}, time{}; ///< time on its way; 0 when it is not known
    double progress = 0;  ///< 0 at the sender, 1 at the receiver
};

/// The messages to be seen at an instant.
struct Flights {
    std::vector<Flight> shown; ///< in the order in which they were sent
    bool slowed = false;       ///< some are shown slower than they flew
    bool thinned = false;      ///< some are left out, as an eye could not tell them apart
};

/// The messages to be seen at `t`. One that flies for less than `least` is shown for that long, as if it flew slower:
/// else nobody would see it. Where time runs fast, a link would be full of them: of its slowed messages in one
/// direction, one is shown for each stretch of `least` or down to half as long. The stretches are fixed on the axis,
/// so that the choice does not change while a message flies. Lost messages are all shown. Looks back at most `mostRows`
/// rows.
Flights flightsAt(const trace::Trace& trace, Nanos t, Nanos least, std::size_t mostRows = 4000);

} // namespace lockscope::views
