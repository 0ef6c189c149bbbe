// SPDX-License-Identifier: Apache-2.0
#include "sim/sql/socket.h"

#include "sim/sql/server.h"

namespace lockscope::sim {

SqlSocket::SqlSocket(Grounds grounds, Network::Link& link, ClientEnd client, SqlServer& server, End end)
    : TcpConnection(grounds, link, client.client, server), m_at(server), m_client(client), m_end(std::move(end)) {
    if (m_client.thread == trace::kNoEntity)
        m_client.thread = grounds.recorder.trace().intern(trace::EntityKind::Thread, "1", m_client.client);
}

void SqlSocket::logIn() {
    toServer({{}, [this] {
                  // The machine accepts for a process that is paused; nobody is there for one that is dead.
                  if (!m_at.accept(self())) closeAtServer();
              }});
}

void SqlSocket::ask(SqlStatement statement) {
    // One for everybody who keeps it on its way.
    const auto shared = std::make_shared<const SqlStatement>(std::move(statement));
    toServer({shared->text(), [this, shared] { m_at.receive(*this, shared); }});
}

void SqlSocket::welcome(bool readOnly) {
    toClient({{}, [this, readOnly] { m_end.welcomed(std::int64_t(number), readOnly); }});
}

void SqlSocket::refuse(const SqlFailure& why) {
    toClient({{}, [this, why] { m_end.refused(why); }});
    closeAtServer();
}

void SqlSocket::answer(const SqlStatement& statement, const SqlReply& reply) {
    const auto shared = std::make_shared<const SqlReply>(reply);
    toClient({statement.text(), [this, shared] { m_end.answered(*shared); }, statement.changes()});
}

void SqlSocket::serverLeft() {
    m_end.ended();
}

void SqlSocket::clientLeft() {
    m_at.leave(*this);
}

void SqlSocket::broke() {
    m_at.breakOff(*this);
}

} // namespace lockscope::sim
