// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/virtual_scheduler.h"
#include "scenario/scenario.h"
#include "trace/event.h"

#include <map>
#include <optional>
#include <random>

namespace lockscope::sim {

/// The wires between clients and nodes: latency drawn per message, loss, cuts; first in, first out within a link and
/// direction, as a TCP connection delivers.
class Network {
public:
    enum class Direction : std::uint8_t { ToNode, ToClient };

    struct Link {
        trace::EntityId entity = trace::kNoEntity;
        bool cut = false;
        bool loseNextReply = false;
        Nanos extraLatency{};
        std::array<Nanos, 2> lastArrival{}; ///< by direction
    };

    Network(VirtualScheduler& scheduler, scenario::Network settings, std::uint64_t seed)
        : m_scheduler(scheduler), m_settings(settings), m_random(seed) {}

    /// When a message sent now arrives; nullopt when it is lost. `reply`: counts for Link::loseNextReply.
    std::optional<Nanos> transmit(Link& link, Direction direction, bool reply = false);
    /// When the end of a connection, sent by the node's machine now, is known to the client; nullopt while the link is
    /// cut. Never lost by chance.
    std::optional<Nanos> reset(Link& link);
    /// One-way latency of a message that belongs to no link (to the guarded resource).
    Nanos latency();

    const scenario::Network& settings() const { return m_settings; }

private:
    Nanos draw(Nanos low, Nanos high);
    Nanos arrival(Link& link, Direction direction, Nanos flight);

    VirtualScheduler& m_scheduler;
    scenario::Network m_settings;
    std::mt19937_64 m_random;
};

} // namespace lockscope::sim
