// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/line.h"

namespace lockscope::sim {

using State = zookeeper::Session::State;
using zookeeper::WatchEvent;
using Kind = ZkRequest::Kind;

void ZkLine::send(ZkRequest request, InFlight flight) {
    send(std::make_shared<const ZkRequest>(std::move(request)), std::move(flight));
}

void ZkLine::send(std::shared_ptr<const ZkRequest> request, InFlight flight) {
    const Nanos now = runtime.monotonic();
    flight.sentAt = m_sentAt = now;
    flight.generation = session.generation;
    const std::uint64_t number = ++m_lastNumber;
    m_flight.emplace(number, std::move(flight));
    m_socket->askShared(number, std::move(request));
}

void ZkLine::answered(std::uint64_t number, const ZkReply& reply) {
    m_receivedAt = runtime.monotonic();
    m_seen = std::max(m_seen, reply.zxid);
    auto found = m_flight.extract(number);
    if (found.empty()) {
        if (reply.code == ZkCode::kAuthFailed) {
            m_refused = true;
            m_kick.release();
        }
        return;
    }
    InFlight& flight = found.mapped();
    const bool missing = reply.code == ZkCode::kNoNode;
    if (flight.watch) {
        using HubTable = zookeeper::WatchHub::Table;
        const bool set = reply.code == ZkCode::kOk || (missing && flight.table == HubTable::Existence);
        watches->settled(flight.watch, set);
        const Table table = flight.table == HubTable::Children ? Table::Children
                            : missing                          ? Table::Existence
                                                               : Table::Data;
        if (set) m_armed[flight.watch] = {table, flight.path};
    }
    if (flight.generation == session.generation && reply.code != ZkCode::kSessionExpired) {
        session.answeredAt = std::max(session.answeredAt, flight.sentAt);
        if (flight.answeredBy == By::Leader) proved(m_proof.heard(flight.sentAt, m_receivedAt, session.timeout));
    }
    if (flight.done) flight.done(reply);
    if (m_closing) m_settled.release();
}

void ZkLine::told(const ZkEvent& event) {
    m_receivedAt = runtime.monotonic();
    using Event = ZkEvent::Kind;
    const WatchEvent::Kind kind = event.kind == Event::Created   ? WatchEvent::Kind::Created
                                  : event.kind == Event::Deleted ? WatchEvent::Kind::Deleted
                                  : event.kind == Event::Changed ? WatchEvent::Kind::Changed
                                                                 : WatchEvent::Kind::Children;
    std::vector<std::uint64_t> fired;
    for (const auto& [id, armed] : m_armed) {
        const bool children = armed.table == Table::Children;
        const bool concerned = event.kind == Event::Deleted || children == (event.kind == Event::Children);
        if (armed.path == event.path && concerned) fired.push_back(id);
    }
    for (const std::uint64_t id : fired) {
        m_armed.erase(id);
        watches->fire(id, {kind, own(event.path)});
    }
}

void ZkLine::proved(Nanos at) {
    if (at <= session.provenAt) return;
    session.provenAt = at;
    if (session.state == State::Connected) watches->tellSession(WatchEvent::Kind::Session);
}

void ZkLine::beat(Nanos) {
    if (std::exchange(m_beating, true)) return;
    // To the leader and back: the server that we are with may be cut off from it and answer what it can by itself.
    if (!m_beat) {
        ZkRequest request;
        request.kind = Kind::Sync;
        request.path = "/";
        request.quiet = true;
        m_beat = std::make_shared<const ZkRequest>(std::move(request));
    }
    InFlight flight;
    flight.answeredBy = By::Leader;
    flight.done = [weak = weak_from_this()](const Answer&) {
        if (const auto self = weak.lock()) self->m_beating = false;
    };
    send(m_beat, std::move(flight));
}

void ZkLine::ping(Nanos) {
    ZkRequest request;
    request.kind = Kind::Ping;
    send(std::move(request), {});
}

/// Whether most servers still know the session: a transaction that changes nothing.
void ZkLine::askQuorum() {
    ZkRequest request;
    request.kind = Kind::Multi;
    request.ops.emplace_back();
    request.ops.front().path = "/";
    InFlight flight;
    flight.answeredBy = By::Leader;
    flight.done = [weak = weak_from_this(), greetedAt = m_greetedAt,
                   generation = session.generation](const Answer& got) {
        const auto self = weak.lock();
        if (self && got && got->code == ZkCode::kOk && generation == self->session.generation) self->proved(greetedAt);
    };
    send(std::move(request), std::move(flight));
}

} // namespace lockscope::sim
