// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/virtual_scheduler.h"
#include "scenario/scenario.h"
#include "trace/trace.h"

#include <map>
#include <optional>
#include <qcoro/qcorotask.h>
#include <random>
#include <set>

namespace lockscope {
class Runtime;
}

namespace lockscope::sim {

/// An end of a link: a client's or a server's entity in the trace.
using Party = trace::EntityId;

/// A client process that makes connections, as the trace knows it.
struct ClientEnd {
    Party client = trace::kNoEntity;
    trace::EntityId thread = trace::kNoEntity;
};

/// The wires between any two parties: latency drawn per message, loss, delays, cuts, partitions; first in, first out
/// within a link and direction, as a TCP connection delivers.
class Network {
public:
    /// Where the randomness of links comes from. `Shared`: one stream for all, in the order of sending; so worlds with
    /// a single server have always drawn, and their recordings stay reproducible. `PerLink`: each link has its own, so
    /// that one more server or client does not change what happens on the others.
    enum class Streams : std::uint8_t { Shared, PerLink };
    /// A direction: from a link's first end to its second, or back.
    enum class Way : std::uint8_t { Forth, Back };
    /// The kinds of messages that faults tell apart.
    enum class Message : std::uint8_t { Plain, Reply, Push };
    /// Which directions of a link are concerned, seen from the party that is named first.
    enum class Ways : std::uint8_t { Both, FromFirst, ToFirst };

    struct Link {
        trace::EntityId entity = trace::kNoEntity;
        Party first = trace::kNoEntity, second = trace::kNoEntity;
        std::array<bool, 2> cut{};    ///< by Way
        std::array<bool, 2> parted{}; ///< by Way: a partition runs between the ends
        bool loseNextReply = false;
        bool loseNextPush = false;
        bool repeatNextRequest = false;
        Nanos extraLatency{};
        Nanos jitter{};                     ///< up to so much more, drawn for each message
        std::array<Nanos, 2> lastArrival{}; ///< by Way
        std::uint64_t random = 0;           ///< state of its own stream

        bool severed(Way way) const { return cut[std::size_t(way)] || parted[std::size_t(way)]; }
        bool isCut() const { return cut[0] || cut[1]; }
        void setCut(bool both) { cut = {both, both}; }
        Way wayFrom(Party sender) const { return sender == first ? Way::Forth : Way::Back; }
    };

    Network(VirtualScheduler& scheduler, std::shared_ptr<trace::Trace> trace, scenario::Network settings,
            std::uint64_t seed, Streams streams = Streams::Shared)
        : m_scheduler(scheduler),
          m_trace(std::move(trace)),
          m_settings(settings),
          m_seed(seed),
          m_streams(streams),
          m_random(seed) {}

    /// The link of two parties, made at its first use; the first call says which end is its first. It stays valid.
    Link& between(Party a, Party b);
    /// All links so far, in the order of their making.
    const std::vector<std::unique_ptr<Link>>& links() const { return m_order; }

    /// When a message sent now arrives; nullopt when it is lost.
    std::optional<Nanos> transmit(Link& link, Way way, Message message = Message::Plain);
    /// As transmit(), for what a machine sends again until it arrives (the end of a connection, servers' own traffic):
    /// never lost by chance, only while the link is severed.
    std::optional<Nanos> carry(Link& link, Way way);
    /// When a packet that is not worth a row arrives (a heartbeat): it takes the mean latency and draws nothing.
    std::optional<Nanos> beat(const Link& link, Way way) const;
    /// A fault strikes this party at this instant: what it is about to send waits in its process until it has struck.
    void holdBack(Party party) { m_heldBack[party] = m_scheduler.now(); }
    /// Whether a fault strikes this party at this instant. A party asks before it sends.
    bool strikes(Party party) const {
        if (m_heldBack.empty()) return false; // as in nearly every world
        const auto held = m_heldBack.find(party);
        return held != m_heldBack.end() && held->second == m_scheduler.now();
    }
    /// Waits until the fault that strikes a party now has struck: its message leaves just after it. `runtime` is the
    /// party's.
    static QCoro::Task<> untilStruck(Runtime& runtime);
    /// One-way latency of a message that belongs to no link (to the guarded resource).
    Nanos latency();

    void setCut(Link& link, Party from, Ways ways, bool cut);
    /// From now on nothing passes between the two sets, in the given directions. The number is for heal().
    std::uint64_t partition(std::set<Party> some, std::set<Party> others, Ways ways = Ways::Both);
    void heal(std::uint64_t partition);
    /// Ends all cuts, partitions, delays and armed losses.
    void healAll();

    const scenario::Network& settings() const { return m_settings; }

private:
    struct Partition {
        std::set<Party> some, others;
        Ways ways;
    };
    std::uint64_t bits(Link& link);
    Nanos flight(Link& link);
    Nanos arrival(Link& link, Way way, Nanos flight);
    void part(Link& link) const;

    VirtualScheduler& m_scheduler;
    std::shared_ptr<trace::Trace> m_trace;
    scenario::Network m_settings;
    std::uint64_t m_seed;
    Streams m_streams;
    std::mt19937_64 m_random;
    std::map<std::pair<Party, Party>, Link*> m_byEnds;
    std::vector<std::unique_ptr<Link>> m_order;
    std::map<std::uint64_t, Partition> m_partitions;
    std::map<Party, Nanos> m_heldBack;
    std::uint64_t m_lastPartition = 0;
};

} // namespace lockscope::sim
