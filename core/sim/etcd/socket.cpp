// SPDX-License-Identifier: Apache-2.0
#include "sim/etcd/socket.h"

#include "sim/etcd/server.h"

namespace lockscope::sim {

EtcdSocket::EtcdSocket(Grounds grounds, Network::Link& link, trace::EntityId client, EtcdServer& server, ClientEnd end)
    : TcpConnection(grounds, link, client, server), m_at(server), m_end(std::move(end)) {
}

void EtcdSocket::connect() {
    toServer({{}, [this] {
                  // The machine accepts for a process that is paused; nobody is there for one that is dead.
                  if (!m_at.accept(self())) return closeAtServer();
                  toClient({{}, [this] { m_end.accepted(); }});
              }});
}

void EtcdSocket::ask(std::uint64_t asked, EtcdRequest request) {
    request.sent = request.text();
    // One for everybody who keeps it on its way.
    const auto shared = std::make_shared<const EtcdRequest>(std::move(request));
    toServer({shared->sent, [this, asked, shared] { m_at.receive(*this, asked, shared); }});
}

void EtcdSocket::answer(std::uint64_t asked, const EtcdRequest& request, EtcdReply reply) {
    const auto shared = std::make_shared<const EtcdReply>(std::move(reply));
    toClient({request.sent, [this, asked, shared] { m_end.answered(asked, *shared); }, request.writes()});
}

void EtcdSocket::tell(EtcdNews news) {
    const auto shared = std::make_shared<const EtcdNews>(std::move(news));
    toClient({shared->text(), [this, shared] { m_end.told(*shared); }}, trace::EventKind::Push);
}

void EtcdSocket::serverLeft() {
    m_end.ended();
}

void EtcdSocket::clientLeft() {
    m_at.leave(*this);
}

void EtcdSocket::broke() {
    m_at.breakOff(*this);
}

} // namespace lockscope::sim
