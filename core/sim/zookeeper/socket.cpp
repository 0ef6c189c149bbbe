// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/socket.h"

#include "sim/zookeeper/server.h"

namespace lockscope::sim {

ZkSocket::ZkSocket(Grounds grounds, Network::Link& link, trace::EntityId client, ZkServer& server, ClientEnd end)
    : TcpConnection(grounds, link, client, server), m_at(server), m_end(std::move(end)) {
}

void ZkSocket::greet(const ZkGreeting& greeting) {
    toServer({{}, [this, greeting] {
                  // The machine accepts for a process that is paused; nobody is there for one that is dead.
                  if (!m_at.accept(self(), greeting)) closeAtServer();
              }});
}

void ZkSocket::askShared(std::uint64_t asked, std::shared_ptr<const ZkRequest> request) {
    const QByteArray text = request->text();
    toServer({text, [this, asked, request = std::move(request)] { m_at.receive(self(), asked, request); }});
}

void ZkSocket::welcome(const ZkWelcome& welcome) {
    toClient({{}, [this, welcome] { m_end.welcomed(welcome); }});
}

void ZkSocket::answer(std::uint64_t asked, const ZkRequest& request, ZkReply reply) {
    const bool ends = request.kind == ZkRequest::Kind::EndSession;
    const auto shared = std::make_shared<const ZkReply>(std::move(reply));
    toClient({request.text(), [this, asked, shared] { m_end.answered(asked, *shared); }, request.changes() && !ends});
}

void ZkSocket::tell(const ZkEvent& event) {
    toClient({event.text(), [this, event] { m_end.told(event); }}, trace::EventKind::Push);
}

void ZkSocket::serverLeft() {
    m_end.ended();
}

void ZkSocket::clientLeft() {
    m_at.leave(*this);
}

void ZkSocket::broke() {
    m_at.breakOff(*this);
}

} // namespace lockscope::sim
