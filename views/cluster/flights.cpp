// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/flights.h"

#include <algorithm>

namespace lockscope::views {

std::vector<Flight> flightsAt(const trace::Trace& trace, Nanos t, Nanos least, std::size_t mostRows) {
    std::vector<Flight> flights;
    const std::size_t end = trace.upperBound(t);
    const std::size_t stop = end > mostRows ? end - mostRows : 0;
    // No link is slower than this; older messages have arrived.
    const Nanos oldest = t - std::max<Nanos>(least, 10s);
    for (std::size_t row = end; row > stop; --row) {
        if (Nanos(trace.timeAt(row - 1)) < oldest) break;
        if (!trace::isMessage(trace.kindAt(row - 1))) continue;
        const trace::Event e = trace.at(row - 1);
        Flight flight;
        flight.kind = e.kind;
        flight.toNode = e.kind == trace::EventKind::Request;
        flight.client = flight.toNode ? e.actor : e.subject;
        flight.node = flight.toNode ? e.subject : e.actor;
        flight.lost = e.value == -1;
        flight.text = e.aux;
        flight.sent = e.time();
        flight.time = Nanos(std::max<std::int64_t>(e.value, 0));
        const Nanos shown = std::max({flight.time, least, Nanos(1)});
        const Nanos since = t - flight.sent;
        if (since > shown) continue;
        flight.progress = double(since.count()) / double(shown.count());
        // A lost message never arrives: it ends half-way.
        if (flight.lost) flight.progress *= 0.5;
        flights.push_back(flight);
    }
    std::ranges::reverse(flights);
    return flights;
}

} // namespace lockscope::views
