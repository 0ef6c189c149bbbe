// SPDX-License-Identifier: Apache-2.0
#include "sim/sql/link.h"

#include "ports/sql/errors.h"
#include "sim/sql/server.h"

namespace lockscope::sim {

namespace errors = sql::errors;

namespace {
/// The driver sets the client's kernel so that it notices a silent peer after 10 s and four questions 5 s apart.
constexpr Nanos kKeepAliveLook = 5s, kKeepAliveSilence = 30s;

errors::Said said(const SqlFailure& failure) {
    return {failure.code, failure.text};
}
} // namespace

SqlLink::SqlLink(Grounds grounds, SqlServer& server, Runtime& runtime, ClientEnd client, Place place)
    : m_grounds(grounds),
      m_server(server),
      m_runtime(runtime),
      m_client(client),
      m_place(std::move(place)),
      m_inbox(runtime),
      m_keepAlive(runtime, [this] { look(); }) {
}

SqlLink::~SqlLink() {
    if (m_socket) m_socket->close();
}

SqlLink::Ticket SqlLink::open() {
    const std::weak_ptr<SqlLink> weak = weak_from_this();
    // Handled when the process runs, unless the connection has ended by then.
    const auto with = [weak](auto work) {
        return [weak, work](const auto&... values) {
            const auto self = weak.lock();
            if (!self) return;
            if (self->m_inbox.doesAtOnce()) {
                if (self->m_socket) work(*self, values...);
                return;
            }
            self->m_inbox.arrived([weak, work, values...] {
                const auto still = weak.lock();
                if (still && still->m_socket) work(*still, values...);
            });
        };
    };
    SqlSocket::End end;
    end.welcomed = with([](SqlLink& self, std::int64_t number, bool readOnly) {
        self.m_serverId = number;
        self.m_readOnly = readOnly;
        self.answered(SqlReply());
    });
    end.refused = with([](SqlLink& self, const SqlFailure& why) {
        self.end(errors::ofConnecting(self.m_place.dialect, said(why), self.m_place.where));
    });
    end.answered = with([](SqlLink& self, const SqlReply& reply) {
        if (!reply.failure)
            self.answered(reply);
        else
            self.answered(
                std::unexpected(errors::ofStatement(self.m_place.dialect, said(*reply.failure), self.m_place.where)));
    });
    end.ended = with([](SqlLink& self) {
        if (self.m_serverId != 0) return self.end(std::nullopt);
        const bool postgreSql = self.m_place.dialect == sql::Dialect::PostgreSql;
        const SqlFailure refused{postgreSql ? QByteArray() : QByteArray("2003"), QStringLiteral("Connection refused")};
        self.end(errors::ofConnecting(self.m_place.dialect, said(refused), self.m_place.where));
    });
    Network::Link& link = m_grounds.network.between(m_client.client, m_server.entity());
    m_socket = std::make_shared<SqlSocket>(m_grounds, link, m_client, m_server, std::move(end));
    m_heardAt = m_runtime.monotonic();
    m_keepAlive.set(m_heardAt + kKeepAliveLook);
    const Ticket ticket;
    m_tickets.push_back(ticket);
    m_socket->logIn();
    return ticket;
}

SqlLink::Ticket SqlLink::send(SqlStatement statement) {
    const Ticket ticket;
    if (!m_socket) {
        ticket.complete(std::unexpected(errors::lost(m_place.where)));
        return ticket;
    }
    m_tickets.push_back(ticket);
    m_socket->ask(std::move(statement));
    return ticket;
}

void SqlLink::answered(const Answer& answer) {
    m_heardAt = m_runtime.monotonic();
    if (m_tickets.empty()) return;
    const Ticket first = m_tickets.front();
    m_tickets.pop_front();
    first.complete(answer);
}

void SqlLink::end(std::optional<sql::Error> why) {
    if (!m_socket) return;
    const auto self = shared_from_this(); // a waiter that is woken may let it go
    m_keepAlive.cancel();
    m_socket->close();
    m_socket.reset();
    m_borrowed.reset();
    for (const Completion<bool>& told : std::exchange(m_told, {}))
        told.complete(true);
    while (!m_tickets.empty())
        answered(std::unexpected(why.value_or(errors::lost(m_place.where))));
}

/// The kernel's questions to the other machine, which nobody sees.
void SqlLink::look() {
    if (!m_socket) return;
    const Nanos now = m_runtime.monotonic();
    // A machine that lost its power answers nothing, and one behind a cut cable cannot.
    if (m_socket->isHeard() && m_socket->openAtServer()) m_heardAt = now;
    if (m_serverId == 0) m_heardAt = now; // the connection's own time-out sees to that
    if (now - m_heardAt >= kKeepAliveSilence) return end(std::nullopt);
    m_keepAlive.set(std::min(now + kKeepAliveLook, m_heardAt + kKeepAliveSilence));
}

} // namespace lockscope::sim
