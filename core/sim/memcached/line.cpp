// SPDX-License-Identifier: Apache-2.0
#include "sim/memcached/line.h"

#include "ports/memcached/errors.h"
#include "sim/memcached/server.h"

#include <algorithm>

namespace lockscope::sim {

namespace errors = memcached::errors;

namespace {
/// Between two tries at a connection that is kept, as the driver's.
constexpr Nanos kShortestPause = 50ms, kLongestPause = 200ms;

memcached::Error unreachable(QAbstractSocket::SocketError why, const QString& where) {
    return errors::ended({net::Ending::Kind::Unreachable, why, QStringLiteral("Host not found")}, where);
}
} // namespace

MemcachedLine::MemcachedLine(Grounds grounds, MemcachedServer* server, Runtime& r, trace::EntityId client, QString w,
                             Settings settings)
    : runtime(r),
      where(std::move(w)),
      m_grounds(grounds),
      m_server(server),
      m_client(client),
      m_settings(settings),
      m_inbox(r),
      m_connectLimit(r, [this] { close(errors::connectTimeout(m_settings.connectTimeout, where)); }),
      m_nextTry(r, [this] {
          m_triesAgain = false;
          if (!m_socket && !m_gone && !m_reconnects.empty()) connect();
      }) {
}

CallList::Registration MemcachedLine::onReconnect(CallList::Callback back) {
    CallList::Registration registration = m_reconnects.add(std::move(back));
    if (!m_socket) connectAgain();
    return registration;
}

void MemcachedLine::connectAgain() {
    if (m_gone || m_triesAgain || m_reconnects.empty() || !m_server) return;
    m_triesAgain = true;
    m_nextTry.set(runtime.monotonic() + runtime.random(kShortestPause, kLongestPause));
}

void MemcachedLine::connect() {
    // Unlike any other connection's of this world.
    m_connection = (std::uint64_t(m_client) << 40) | (std::uint64_t(m_server->entity()) << 20) | ++m_connectionsMade;
    const std::weak_ptr<MemcachedLine> weak = weak_from_this();
    // Handled when the process runs, unless the connection is another one by then.
    const auto with = [weak](auto work) {
        return [weak, work](const auto&... values) {
            const auto self = weak.lock();
            if (!self || !self->m_socket) return;
            self->m_inbox.arrived([weak, from = self->m_socket, work, values...] {
                const auto still = weak.lock();
                if (still && still->m_socket == from) work(*still, values...);
            });
        };
    };
    MemcachedSocket::ClientEnd end;
    end.greeted = with([](MemcachedLine& self) { self.greeted(); });
    end.answered = with([](MemcachedLine& self, const std::vector<MemcachedReply>& r) { self.answered(r); });
    end.ended = with([](MemcachedLine& self) {
        self.close(self.m_ready ? errors::closed(self.where)
                                : unreachable(QAbstractSocket::ConnectionRefusedError, self.where));
    });
    Network::Link& link = m_grounds.network.between(m_client, m_server->entity());
    m_socket = std::make_shared<MemcachedSocket>(m_grounds, link, m_client, *m_server, std::move(end));
    m_connectLimit.set(runtime.monotonic() + m_settings.connectTimeout);
    m_socket->greet();
}

void MemcachedLine::greeted() {
    m_ready = true;
    m_connectLimit.cancel();
    for (const std::vector<MemcachedCommand>& commands : std::exchange(m_unsent, {}))
        m_socket->ask(commands);
    if (std::exchange(m_wasReady, true)) m_reconnects.callSoon(runtime);
}

void MemcachedLine::answered(std::vector<MemcachedReply> replies) {
    if (m_pending.empty()) return;
    const Pending first = m_pending.front();
    m_pending.pop_front();
    for (MemcachedReply& reply : replies)
        if (reply.item) reply.item->mark.connection = m_connection;
    if (replies.front().isError())
        first.completion.complete(std::unexpected(errors::refused(replies.front().line(), where)));
    else
        first.completion.complete(std::move(replies));
}

void MemcachedLine::close(const memcached::Error& error) {
    const auto self = shared_from_this(); // a call that ends may end the wire
    if (m_socket) m_socket->close();
    m_socket.reset();
    m_ready = false;
    m_connection = 0;
    m_connectLimit.cancel();
    m_unsent.clear();
    for (const Pending& pending : std::exchange(m_pending, {}))
        pending.completion.complete(std::unexpected(error));
    connectAgain();
}

void MemcachedLine::late(std::uint64_t id) {
    const bool pends = std::ranges::any_of(m_pending, [id](const Pending& pending) { return pending.id == id; });
    if (!pends) return;           // it was answered, or has ended with its connection, at this moment
    close(errors::closed(where)); // answers could no longer be told from each other's
}

void MemcachedLine::shutDown() {
    m_gone = true;
    m_nextTry.cancel();
    close(errors::driverGone(where));
}

QCoro::Task<MemcachedLine::Answer> MemcachedLine::ask(std::shared_ptr<MemcachedLine> self,
                                                      std::vector<MemcachedCommand> commands, std::stop_token stop) {
    if (!self->runtime.alive()) throw Cancelled(Cancelled::Why::Killed);
    if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
    if (self->m_grounds.network.strikes(self->m_client)) co_await Network::untilStruck(self->runtime);
    if (self->m_gone) co_return std::unexpected(errors::driverGone(self->where));
    if (!self->m_server) co_return std::unexpected(unreachable(QAbstractSocket::HostNotFoundError, self->where));
    const Pending mine{++self->m_lastId, {}};
    self->m_pending.push_back(mine);
    self->sent += commands.size();
    if (self->m_ready)
        self->m_socket->ask(commands);
    else
        self->m_unsent.push_back(std::move(commands));
    if (!self->m_socket) self->connect();
    const Nanos limit = self->m_settings.commandTimeout;
    std::optional<Answer> answer = co_await mine.completion.wait(self->runtime, limit, std::move(stop));
    if (answer) co_return std::move(*answer);
    self->late(mine.id);
    co_return std::unexpected(errors::late(limit, self->where));
}

} // namespace lockscope::sim
