// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/flights.h"

#include "trace/death.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace lockscope::views {

Flights flightsAt(const trace::Trace& trace, Nanos t, Nanos least, std::size_t mostRows) {
    Flights flights;
    std::vector<Flight> met; // the newest first
    // A power of two, so that the stretches stay where they are while the pace wavers a little.
    const auto stretch = std::int64_t(std::bit_floor(std::uint64_t(std::max<std::int64_t>(least.count(), 1))));
    /// The earliest message met of each link, direction and stretch: its place in `met`, if it is still seen.
    std::map<std::tuple<trace::EntityId, trace::EntityId, bool, std::int64_t>, std::size_t> first;
    constexpr std::size_t kArrived = SIZE_MAX;
    std::vector<bool> leftOut; // of each that was met
    const std::size_t end = trace.upperBound(t);
    const std::size_t stop = end > mostRows ? end - mostRows : 0;
    // No link is slower than this; older messages have arrived.
    const Nanos oldest = t - std::max<Nanos>(least, 10s);
    for (std::size_t row = end; row > stop; --row) {
        if (Nanos(trace.timeAt(row - 1)) < oldest) break;
        if (!trace::isMessage(trace.kindAt(row - 1))) continue;
        const trace::Event e = trace.at(row - 1);
        if (trace::isRefusal(e)) continue; // a dead server sends nothing
        Flight flight;
        flight.kind = e.kind;
        flight.toNode = e.kind == trace::EventKind::Request || e.kind == trace::EventKind::PeerMessage;
        flight.client = flight.toNode ? e.actor : e.subject;
        flight.node = flight.toNode ? e.subject : e.actor;
        flight.lost = e.value == -1;
        flight.text = e.aux;
        flight.sent = e.time();
        flight.time = Nanos(std::max<std::int64_t>(e.value, 0));
        const Nanos shown = std::max({flight.time, least, Nanos(1)});
        const Nanos since = t - flight.sent;
        const bool seen = since <= shown;
        flight.progress = double(since.count()) / double(shown.count());
        // A lost message never arrives: it ends half-way.
        if (flight.lost) flight.progress *= 0.5;
        if (!flight.lost && flight.time < least) {
            const auto [place, isNew] =
                first.try_emplace({flight.client, flight.node, flight.toNode, flight.sent.count() / stretch}, kArrived);
            if (!isNew && place->second != kArrived) { // this one was sent before it
                leftOut[place->second] = true;
                flights.thinned = true;
            }
            place->second = seen ? met.size() : kArrived;
            flights.slowed |= seen;
        }
        if (!seen) continue;
        met.push_back(flight);
        leftOut.push_back(false);
    }
    for (std::size_t i = met.size(); i > 0; --i)
        if (!leftOut[i - 1]) flights.shown.push_back(met[i - 1]);
    return flights;
}

} // namespace lockscope::views
