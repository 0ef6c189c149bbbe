// SPDX-License-Identifier: Apache-2.0
#include "sim/network.h"

#include "runtime/runtime.h"
#include "sim/probe.h"
#include "sim/seeds.h"

namespace lockscope::sim {

namespace {

/// A value in [low, high] from 64 random bits.
Nanos within(Nanos low, Nanos high, std::uint64_t bits) {
    __extension__ using Wide = unsigned __int128;
    const auto span = static_cast<std::uint64_t>((high - low).count()) + 1;
    return low + Nanos(static_cast<std::int64_t>((static_cast<Wide>(bits) * span) >> 64));
}

/// FNV-1a over names: a link's stream depends on who its ends are, not on how many others there are.
std::uint64_t hashOf(std::uint64_t h, const QByteArray& name) {
    for (const char c : name + '\0')
        h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}

} // namespace

Network::Link& Network::between(Party a, Party b) {
    Link*& known = m_byEnds[std::minmax(a, b)];
    if (known) return *known;
    auto link = std::make_unique<Link>();
    link->entity = m_trace->intern(trace::EntityKind::Link, {}, a, b);
    link->first = a;
    link->second = b;
    const std::uint64_t name = hashOf(hashOf(0xcbf29ce484222325u, m_trace->entity(a).name), m_trace->entity(b).name);
    link->random = mixSeed(m_seed, name);
    part(*link);
    known = link.get();
    m_order.push_back(std::move(link));
    return *known;
}

std::uint64_t Network::bits(Link& link) {
    if (m_streams == Streams::Shared) return m_random();
    return mixSeed(link.random++, 0);
}

QCoro::Task<> Network::untilStruck(Runtime& runtime) {
    co_await runtime.sleep(Nanos(1)); // the next instant: all that happens at this one comes before
}

Nanos Network::latency() {
    return within(m_settings.clientLatency.low, m_settings.clientLatency.high, m_random());
}

Nanos Network::flight(Link& link) {
    Nanos flight = within(m_settings.clientLatency.low, m_settings.clientLatency.high, bits(link));
    flight = laterBy(flight, link.extraLatency);
    if (link.jitter > Nanos(0)) flight = laterBy(flight, within(Nanos(0), link.jitter, bits(link)));
    return flight;
}

std::optional<Nanos> Network::transmit(Link& link, Way way, Message message) {
    // Drawn for every message, delivered or not: a fault must not shift the fate of later messages.
    const Nanos time = flight(link);
    const auto fate = static_cast<int>(bits(link) % 1000);
    if (link.severed(way) || fate < m_settings.lossPerMille) return std::nullopt;
    if (message == Message::Reply && std::exchange(link.loseNextReply, false)) {
        reached(Probe::ReplyLost);
        return std::nullopt;
    }
    if (message == Message::Push && std::exchange(link.loseNextPush, false)) {
        reached(Probe::PushLost);
        return std::nullopt;
    }
    return arrival(link, way, time);
}

std::optional<Nanos> Network::carry(Link& link, Way way) {
    const Nanos time = flight(link);
    if (link.severed(way)) return std::nullopt;
    return arrival(link, way, time);
}

std::optional<Nanos> Network::beat(const Link& link, Way way) const {
    if (link.severed(way)) return std::nullopt;
    const Nanos mean = (m_settings.clientLatency.low + m_settings.clientLatency.high) / 2;
    return laterBy(laterBy(m_scheduler.now(), mean), link.extraLatency);
}

Nanos Network::arrival(Link& link, Way way, Nanos flight) {
    Nanos& last = link.lastArrival[static_cast<std::size_t>(way)];
    last = std::max(last, laterBy(m_scheduler.now(), flight));
    return last;
}

void Network::setCut(Link& link, Party from, Ways ways, bool cut) {
    const auto forth = std::size_t(link.wayFrom(from));
    if (ways != Ways::ToFirst) link.cut[forth] = cut;
    if (ways != Ways::FromFirst) link.cut[1 - forth] = cut;
}

void Network::part(Link& link) const {
    link.parted = {};
    for (const auto& [number, partition] : m_partitions) {
        for (const Way way : {Way::Forth, Way::Back}) {
            const Party sender = way == Way::Forth ? link.first : link.second;
            const Party receiver = way == Way::Forth ? link.second : link.first;
            const bool out = partition.some.contains(sender) && partition.others.contains(receiver);
            const bool in = partition.others.contains(sender) && partition.some.contains(receiver);
            if ((out && partition.ways != Ways::ToFirst) || (in && partition.ways != Ways::FromFirst))
                link.parted[std::size_t(way)] = true;
        }
    }
}

std::uint64_t Network::partition(std::set<Party> some, std::set<Party> others, Ways ways) {
    m_partitions[++m_lastPartition] = {std::move(some), std::move(others), ways};
    for (const auto& link : m_order)
        part(*link);
    return m_lastPartition;
}

void Network::heal(std::uint64_t partition) {
    if (m_partitions.erase(partition) == 0) return;
    for (const auto& link : m_order)
        part(*link);
}

void Network::healAll() {
    m_partitions.clear();
    for (const auto& link : m_order) {
        link->cut = link->parted = {};
        link->extraLatency = link->jitter = Nanos(0);
        link->loseNextReply = link->loseNextPush = link->repeatNextRequest = false;
    }
}

} // namespace lockscope::sim
