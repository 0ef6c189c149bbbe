// SPDX-License-Identifier: Apache-2.0
#include "sim/network.h"

namespace lockscope::sim {

Nanos Network::draw(Nanos low, Nanos high) {
    __extension__ using Wide = unsigned __int128;
    const auto span = static_cast<std::uint64_t>((high - low).count()) + 1;
    return low + Nanos(static_cast<std::int64_t>((static_cast<Wide>(m_random()) * span) >> 64));
}

Nanos Network::latency() {
    return draw(m_settings.clientLatency.low, m_settings.clientLatency.high);
}

std::optional<Nanos> Network::transmit(Link& link, Direction direction, bool reply) {
    // Drawn for every message, delivered or not: a fault must not shift the fate of later messages.
    const Nanos flight = laterBy(latency(), link.extraLatency);
    const auto fate = static_cast<int>(m_random() % 1000);
    if (link.cut || fate < m_settings.lossPerMille) return std::nullopt;
    if (reply && link.loseNextReply) {
        link.loseNextReply = false;
        return std::nullopt;
    }
    return arrival(link, direction, flight);
}

std::optional<Nanos> Network::reset(Link& link) {
    const Nanos flight = laterBy(latency(), link.extraLatency);
    if (link.cut) return std::nullopt;
    return arrival(link, Direction::ToClient, flight);
}

Nanos Network::arrival(Link& link, Direction direction, Nanos flight) {
    Nanos& last = link.lastArrival[static_cast<std::size_t>(direction)];
    last = std::max(last, laterBy(m_scheduler.now(), flight));
    return last;
}

} // namespace lockscope::sim
