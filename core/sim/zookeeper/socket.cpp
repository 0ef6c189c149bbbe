// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/socket.h"

#include "sim/zookeeper/server.h"

namespace lockscope::sim {

using trace::EventKind;

namespace {
constexpr Nanos kRetransmit = 200ms;
}

ZkSocket::ZkSocket(Grounds grounds, Network::Link& link, trace::EntityId client, ZkServer& server, ClientEnd end)
    : m_grounds(grounds), m_link(link), m_party(client), m_at(server), m_end(std::move(end)) {
}

std::uint32_t ZkSocket::textOf(const QByteArray& text) const {
    return text.isEmpty() ? 0 : m_grounds.recorder.trace().text(text);
}

void ZkSocket::send(Half& half, Packet packet) {
    if (!half.open) return;
    half.unsent.push_back(std::move(packet));
    if (!half.armed) pump(half);
}

void ZkSocket::arm(Half& half, Nanos at) {
    half.armed = true;
    m_grounds.scheduler.at(at, [self = shared_from_this(), &half] {
        half.armed = false;
        self->pump(half);
    });
}

void ZkSocket::pump(Half& half) {
    const bool forth = &half == &m_client;
    const Party from = forth ? m_party : m_at.entity(), to = forth ? m_at.entity() : m_party;
    while (!half.unsent.empty()) {
        Packet packet = half.unsent.front();
        if (packet.lossy && m_link.loseNextReply) {
            // An answer is not lost alone: the connection breaks with it.
            m_link.loseNextReply = false;
            m_grounds.recorder.emit(packet.row, from, to, -1, packet.text);
            half.unsent.clear();
            m_at.breakOff(*this);
            return;
        }
        const auto way = m_link.wayFrom(from);
        const auto arrival =
            packet.text != 0 ? m_grounds.network.transmit(m_link, way) : m_grounds.network.carry(m_link, way);
        if (packet.text != 0) {
            const std::int64_t flight = arrival ? (*arrival - m_grounds.scheduler.now()).count() : -1;
            m_grounds.recorder.emit(packet.row, from, to, flight, packet.text);
        }
        if (!arrival) return arm(half, laterBy(m_grounds.scheduler.now(), kRetransmit));
        m_grounds.scheduler.at(*arrival, [self = shared_from_this(), arrive = std::move(packet.arrive)] { arrive(); });
        half.unsent.pop_front();
    }
}

bool ZkSocket::possible() const {
    return !m_link.severed(Network::Way::Forth) && !m_link.severed(Network::Way::Back);
}

void ZkSocket::greet(const ZkGreeting& greeting) {
    send(m_client, {0, EventKind::Request,
                    [this, greeting] {
                        // The machine accepts for a process that is paused; nobody is there for one that is dead.
                        if (!m_at.accept(shared_from_this(), greeting)) closeAtServer();
                    },
                    false});
}

void ZkSocket::ask(std::uint64_t asked, const ZkRequest& request) {
    send(m_client, {textOf(request.text()), EventKind::Request,
                    [this, asked, request] {
                        if (m_server.open) return m_at.receive(shared_from_this(), asked, request);
                        // A machine that has lost its power knows nothing of the connection when it is back, and says
                        // so.
                        if (m_silent && m_at.life() != Server::Life::Dead) {
                            m_server.open = true;
                            closeAtServer();
                        }
                    },
                    false});
}

void ZkSocket::close() {
    if (!m_client.open) return;
    send(m_client, {0, EventKind::Request,
                    [this] {
                        m_server.unsent.clear();
                        if (std::exchange(m_server.open, false)) m_at.leave(*this);
                    },
                    false});
    m_client.open = false;
    m_end = {};
}

void ZkSocket::welcome(const ZkWelcome& welcome) {
    send(m_server, {0, EventKind::Reply,
                    [this, welcome] {
                        if (const auto call = m_end.welcomed) call(welcome);
                    },
                    false});
}

void ZkSocket::answer(std::uint64_t asked, const ZkRequest& request, const ZkReply& reply) {
    const bool ends = request.kind == ZkRequest::Kind::EndSession;
    send(m_server, {textOf(request.text()), EventKind::Reply,
                    [this, asked, reply] {
                        if (const auto call = m_end.answered) call(asked, reply);
                    },
                    request.changes() && !ends});
}

void ZkSocket::tell(const ZkEvent& event) {
    send(m_server, {textOf(event.text()), EventKind::Push,
                    [this, event] {
                        if (const auto call = m_end.told) call(event);
                    },
                    false});
}

void ZkSocket::closeAtServer(Farewell farewell) {
    if (!m_server.open) return;
    m_silent = farewell == Farewell::Silent;
    if (m_silent) {
        m_server.unsent.clear();
    } else {
        send(m_server, {0, EventKind::Reply,
                        [this] {
                            m_client.unsent.clear();
                            m_client.open = false;
                            const auto call = m_end.ended;
                            m_end = {};
                            if (call) call();
                        },
                        false});
    }
    m_server.open = false;
}

} // namespace lockscope::sim
