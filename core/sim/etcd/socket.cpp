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

void EtcdSocket::ask(std::uint64_t asked, const EtcdRequest& request) {
    toServer({request.text(), [this, asked, request] { m_at.receive(*this, asked, request); }});
}

void EtcdSocket::answer(std::uint64_t asked, const EtcdRequest& request, const EtcdReply& reply) {
    toClient({request.text(), [this, asked, reply] { m_end.answered(asked, reply); }, request.writes()});
}

void EtcdSocket::tell(const EtcdNews& news) {
    toClient({news.text(), [this, news] { m_end.told(news); }}, trace::EventKind::Push);
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
