// SPDX-License-Identifier: Apache-2.0
#include "sim/memcached/socket.h"

#include "sim/memcached/server.h"

#include <algorithm>

namespace lockscope::sim {

namespace {
QByteArray packetText(const std::vector<MemcachedCommand>& commands) {
    QByteArrayList texts;
    for (const MemcachedCommand& command : commands)
        texts += command.text();
    return texts.join("; ");
}
} // namespace

MemcachedSocket::MemcachedSocket(Grounds grounds, Network::Link& link, trace::EntityId client, MemcachedServer& server,
                                 ClientEnd end)
    : TcpConnection(grounds, link, client, server), m_at(server), m_end(std::move(end)) {
}

void MemcachedSocket::greet() {
    toServer({{}, [this] {
                  // The machine accepts for a process that is paused; nobody is there for one that is dead.
                  if (!m_at.accept(self())) closeAtServer();
              }});
}

void MemcachedSocket::ask(const std::vector<MemcachedCommand>& commands) {
    toServer({packetText(commands), [this, commands] { m_at.receive(*this, commands); }});
}

void MemcachedSocket::welcome() {
    toClient({{}, [this] { m_end.greeted(); }});
}

void MemcachedSocket::answer(const std::vector<MemcachedCommand>& commands,
                             const std::vector<MemcachedReply>& replies) {
    toClient({packetText(commands), [this, replies] { m_end.answered(replies); },
              std::ranges::any_of(commands, &MemcachedCommand::changes)});
}

void MemcachedSocket::serverLeft() {
    m_end.ended();
}

void MemcachedSocket::clientLeft() {
    m_at.leave(*this);
}

void MemcachedSocket::broke() {
    m_at.breakOff(*this);
}

} // namespace lockscope::sim
