// SPDX-License-Identifier: Apache-2.0
#include "sim/resp_connection.h"

namespace lockscope::sim {

RespConnection::RespConnection(Grounds grounds, Network::Link& link, Party asker, RespServer& server,
                               RespServer::ClientEnd end, Nanos probe, Handlers handlers)
    : m_socket(std::make_shared<Socket>(grounds, link, asker, server, std::move(end), probe, std::move(handlers))) {
}

RespConnection::~RespConnection() {
    close();
}

void RespConnection::open(const std::shared_ptr<Socket>& socket, RespServer& server) {
    RespServer::ClientEnd end = socket->end;
    const std::weak_ptr<Socket> weak = socket;
    end.push = [weak, &recorder = socket->grounds.recorder](const RedisEngine::Push& push) {
        const auto alive = weak.lock();
        if (!alive || alive->closed) return;
        alive->wire.push(alive->end.byServer ? 0 : recorder.trace().text(push.channel), [weak, push] {
            const auto still = weak.lock();
            if (still && !still->closed && still->handlers.push) still->handlers.push(push);
        });
    };
    end.broken = [weak] {
        const auto alive = weak.lock();
        if (!alive) return;
        alive->over = true;
        alive->wire.breakOff(alive->probe, [weak] {
            const auto still = weak.lock();
            if (!still || std::exchange(still->closed, true)) return;
            if (const auto ended = still->handlers.ended) ended(); // a copy: the call may end the connection
        });
    };
    socket->session = server.connect(std::move(end));
}

bool RespConnection::reaches(const Socket& socket) {
    const Network::Link& link = socket.wire.link();
    return socket.established || (!link.severed(Network::Way::Forth) && !link.severed(Network::Way::Back));
}

bool RespConnection::possible() const {
    return reaches(*m_socket);
}

auto RespConnection::work(const std::shared_ptr<Socket>& socket, redis::Args args) {
    const bool possible = reaches(*socket);
    return [socket, possible, args = std::move(args)](RespServer& server, Wire::Answered answered) mutable {
        if (!possible) return true;
        if (socket->session == 0 && !socket->over) open(socket, server);
        return server.deliver(socket->session, std::move(args), std::move(answered));
    };
}

/// Learns from an answer whether the connection stands or was reset.
void RespConnection::Socket::look(Result& result) {
    if (result) {
        established = true;
    } else if (result.error() == Unanswered::Refused && established) {
        // A server that has restarted knows nothing of the connection: its machine says so.
        result = std::unexpected(Unanswered::Reset);
        const auto ended = handlers.ended; // a copy: the call may end this
        if (!std::exchange(closed, true) && ended) ended();
    }
}

std::uint64_t RespConnection::send(std::uint32_t text, redis::Args args, Wire::Done done) {
    const std::uint64_t number = m_socket->wire.send(text, work(m_socket, std::move(args)), std::move(done));
    m_socket->used = m_socket->used || m_socket->wire.waitsFor(number);
    return number;
}

RespConnection::Asking::Asking(RespConnection& connection, Runtime& runtime, std::uint32_t text, redis::Args args,
                               Nanos timeout, std::stop_token stop)
    : Wire::Asking(connection.m_socket->wire, runtime, text, work(connection.m_socket, std::move(args)), timeout,
                   std::move(stop)) {
    connection.m_socket->used = true;
}

bool RespConnection::beats() const {
    const Network::Link& link = m_socket->wire.link();
    return !link.severed(Network::Way::Forth) && !link.severed(Network::Way::Back) && !m_socket->over &&
           server().acts();
}

void RespConnection::close() {
    const std::shared_ptr<Socket> socket = m_socket;
    const bool told = std::exchange(socket->closed, true);
    socket->wire.abandon();
    if (told || socket->over || !socket->used) return;
    // The process's socket closes; the server sees that after a flight, unless the link is severed.
    Network::Link& link = socket->wire.link();
    const auto way = link.wayFrom(socket->wire.asker());
    Network& network = socket->grounds.network;
    const auto arrival = socket->end.byServer ? network.carry(link, way) : network.transmit(link, way);
    if (!arrival) return;
    socket->grounds.scheduler.at(*arrival, [socket, &server = socket->wire.server()] {
        if (socket->session != 0) server.disconnect(socket->session);
        socket->over = true;
    });
}

} // namespace lockscope::sim
