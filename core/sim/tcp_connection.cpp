// SPDX-License-Identifier: Apache-2.0
#include "sim/tcp_connection.h"

#include "sim/probe.h"

namespace lockscope::sim {

using trace::EventKind;

namespace {
constexpr Nanos kRetransmit = 200ms;
}

std::uint32_t TcpConnection::textOf(const QByteArray& text) const {
    return text.isEmpty() ? 0 : m_grounds.recorder.trace().text(text);
}

bool TcpConnection::possible() const {
    return !m_link.severed(Network::Way::Forth) && !m_link.severed(Network::Way::Back);
}

void TcpConnection::send(Half& half, Packet packet) {
    if (!half.open) return;
    half.unsent.push_back(std::move(packet));
    if (!half.armed) pump(half);
}

/// The call that goes on with what could not leave. If the world ends before it, the messages go, too: they may hold
/// the connection that they wait in.
struct TcpConnection::Wake {
    std::shared_ptr<TcpConnection> connection;
    Half& half;
    Wake(std::shared_ptr<TcpConnection> c, Half& h) : connection(std::move(c)), half(h) {}
    Wake(Wake&&) = default;
    Wake& operator=(Wake&&) = delete;
    ~Wake() {
        if (connection) std::exchange(half.unsent, {}).clear();
    }
    void operator()() {
        const std::shared_ptr<TcpConnection> now = std::exchange(connection, nullptr);
        half.armed = false;
        now->pump(half);
    }
};

void TcpConnection::arm(Half& half, Nanos at) {
    half.armed = true;
    m_grounds.scheduler.at(at, Wake(shared_from_this(), half));
}

void TcpConnection::pump(Half& half) {
    const bool forth = &half == &m_client;
    const Party from = forth ? m_party : m_at.entity(), to = forth ? m_at.entity() : m_party;
    while (!half.unsent.empty()) {
        Packet& packet = half.unsent.front();
        const bool push = packet.row == EventKind::Push && packet.text != 0;
        bool& lossArmed = push ? m_link.loseNextPush : m_link.loseNextReply;
        if ((push || packet.mayBeLost) && std::exchange(lossArmed, false)) {
            reached(push ? Probe::PushLost : Probe::ReplyLost);
            // Nothing is lost alone: the connection breaks with it.
            m_grounds.recorder.emit(packet.row, from, to, -1, packet.text);
            half.unsent.clear(); // the packet, too
            broke();
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
        m_grounds.scheduler.at(*arrival, [self = shared_from_this(), work = std::move(packet.arrive), to = packet.to] {
            self->deliver(work, to);
        });
        half.unsent.pop_front();
    }
}

void TcpConnection::deliver(const std::function<void()>& work, To to) {
    const bool hears = to == To::Server ? m_server.open : to == To::Client ? m_clientHears : true;
    if (hears) return work();
    // A machine that has lost its power knows nothing of the connection when it is back, and says so.
    if (to == To::Server && m_silent && m_at.life() != Server::Life::Dead) {
        m_server.open = true;
        closeAtServer();
    }
}

void TcpConnection::toServer(Message message) {
    send(m_client,
         {textOf(message.text), EventKind::Request, std::move(message.arrive), message.mayBeLost, To::Server});
}

void TcpConnection::toClient(Message message, EventKind row) {
    send(m_server, {textOf(message.text), row, std::move(message.arrive), message.mayBeLost, To::Client});
}

void TcpConnection::close() {
    if (!m_client.open) return;
    send(m_client, {0, EventKind::Request,
                    [this] {
                        m_server.unsent.clear();
                        if (std::exchange(m_server.open, false)) clientLeft();
                    },
                    false, To::EitherEnd});
    m_client.open = m_clientHears = false;
}

void TcpConnection::closeAtServer(Farewell farewell) {
    if (!m_server.open) return;
    m_silent = farewell == Farewell::Silent;
    if (m_silent) {
        m_server.unsent.clear();
    } else {
        send(m_server, {0, EventKind::Reply,
                        [this] {
                            m_client.unsent.clear();
                            m_client.open = false;
                            if (std::exchange(m_clientHears, false)) serverLeft();
                        },
                        false, To::EitherEnd});
    }
    m_server.open = false;
}

} // namespace lockscope::sim
