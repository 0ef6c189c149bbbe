// SPDX-License-Identifier: Apache-2.0
#include "sim/redis_line.h"

#include "ports/redis/command_text.h"

#include <algorithm>
#include <atomic>

namespace lockscope::sim {

namespace {

using Kind = redis::Error::Kind;
using State = redis::Status::State;

/// The longest pause between two tries when a caller must know soon whether the server still keeps its data. As the
/// real driver's.
constexpr Nanos kUrgentPause = 200ms;

redis::Result asResult(redis::Reply reply, std::uint32_t connection) {
    if (!reply.isError()) {
        reply.connection = connection;
        return reply;
    }
    const qsizetype space = reply.text.indexOf(' ');
    return std::unexpected(redis::Error{Kind::Refused, reply.text.left(space), QString::fromUtf8(reply.text)});
}

} // namespace

// --- subscriptions ---

RedisWire::Inbox::~Inbox() {
    const std::shared_ptr<Line> line = m_line.lock();
    if (!line) return;
    std::erase(line->inboxes, this);
    const auto same = [this](const Inbox* other) { return other->channel() == m_channel; };
    if (line->closed || !m_runtime.alive() || !line->hasConnection() || std::ranges::any_of(line->inboxes, same))
        return;
    m_runtime.spawn([line, channel = m_channel]() -> QCoro::Task<> {
        redis::Args args = redis::argsOf("UNSUBSCRIBE", channel);
        co_await Line::exchange(line, std::move(args), {});
    });
}

void RedisWire::Inbox::put(redis::Message message) {
    m_messages.push_back(std::move(message));
    m_arrived.release();
}

QCoro::Task<std::optional<redis::Message>> RedisWire::Inbox::next(Nanos timeout, std::stop_token stop) {
    // A message to a crowd wakes each of its waiters here, so it waits in this frame.
    if (!m_runtime.alive() || !m_arrived.tryAcquire()) {
        SignalCount::Place place(m_arrived, m_runtime, timeout, std::move(stop));
        co_await place.end();
        if (!place.served()) co_return std::nullopt;
    }
    if (m_messages.empty()) co_return std::nullopt;
    redis::Message message = std::move(m_messages.front());
    m_messages.pop_front();
    co_return message;
}

void RedisWire::Line::take(const RedisEngine::Push& push) {
    for (Inbox* inbox : inboxes)
        if (inbox->channel() == push.channel) inbox->put({push.payload, false});
}

// --- the connection ---

RedisWire::Line::Line(Grounds grounds, RespServer* server, Runtime& r, ClientEnd user, QString where, Settings s,
                      Purpose purpose)
    : runtime(r),
      settings(s),
      m_grounds(grounds),
      m_server(server),
      m_user(user),
      m_where(std::move(where)),
      m_purpose(purpose),
      m_heartbeat(*this) {
}

redis::Error RedisWire::Line::broken(Kind kind, const char* what) const {
    return {kind, {}, QStringLiteral("%1: %2").arg(m_where, QLatin1String(what))};
}

void RedisWire::Line::setStatus(redis::Status changed) {
    status = std::move(changed);
    const auto self = shared_from_this(); // the call may destroy the wire
    if (onStatus) onStatus(status);
}

void RedisWire::Line::connect() {
    const std::weak_ptr<Line> weak = weak_from_this();
    RespConnection::Handlers handlers;
    handlers.push = [weak](const RedisEngine::Push& push) {
        if (const auto alive = weak.lock()) alive->take(push);
    };
    handlers.ended = [weak] {
        if (const auto alive = weak.lock(); alive && !alive->closed)
            alive->endSoon(alive->broken(Kind::Disconnected, "connection reset: the server is gone"));
    };
    Network::Link& link = m_grounds.network.between(m_user.client, m_server->entity());
    m_connection = std::make_shared<RespConnection>(m_grounds, link, m_user.client, *m_server,
                                                    RespServer::ClientEnd{m_user.thread}, settings.reconnectPause,
                                                    std::move(handlers));
    if (status.state != State::Retrying) setStatus({State::Connecting, {}, {}});
}

void RedisWire::Line::gotThrough() {
    m_heard = runtime.monotonic();
    if (number != 0) return;
    static std::atomic<std::uint32_t> last = 0;
    do
        number = ++last;
    while (number == 0);
    m_failures = 0;
    if (settings.heartbeat != kNever) m_heartbeat.start();
    const bool again = std::exchange(m_wasReady, true);
    if (again) reconnects.callSoon(runtime);
    for (const Completion<bool>& waiting : std::exchange(m_waiting, {}))
        waiting.complete(true);
    setStatus({State::Connected, {}, {}});
}

void RedisWire::Line::endSoon(redis::Error error) {
    if (runtime.life() == Runtime::Life::Running) {
        ended(std::move(error));
        return;
    }
    if (!runtime.alive()) return;
    runtime.spawn([self = shared_from_this(), error = std::move(error)]() -> QCoro::Task<> {
        co_await self->runtime.sleep(Nanos(0));
        self->ended(error);
    });
}

void RedisWire::Line::ended(redis::Error error) {
    if (closed) return;
    m_connection.reset();
    m_heartbeat.stop();
    number = 0;
    for (const Completion<bool>& waiting : std::exchange(m_waiting, {}))
        waiting.complete(false);
    if (m_purpose == Purpose::Subscriptions) {
        setStatus({State::Idle, std::move(error), {}});
        if (inboxes.empty() || resubscribing) return;
        resubscribing = true;
        runtime.spawn([self = shared_from_this()] { return resubscribe(self); });
        return;
    }
    const Nanos limit = reconnects.empty() ? settings.retryLongest : std::min(kUrgentPause, settings.retryLongest);
    const Nanos longest = std::min(limit, settings.retryFirst * (std::int64_t(1) << std::min(m_failures, 20)));
    const Nanos pause = runtime.random(longest / 2, longest);
    ++m_failures;
    runtime.spawn([self = shared_from_this(), pause] { return retry(self, pause); });
    setStatus({State::Retrying, std::move(error), pause});
}

QCoro::Task<> RedisWire::Line::retry(std::shared_ptr<Line> self, Nanos pause) {
    co_await self->runtime.sleep(pause);
    if (self->closed || self->m_connection) co_return;
    self->connect();
    const std::shared_ptr<RespConnection> connection = self->m_connection;
    redis::Args ping = redis::argsOf("PING");
    RespConnection::Asking asking(*connection, self->runtime, 0, std::move(ping), self->settings.commandTimeout, {});
    co_await asking.end();
    const RespConnection::Result answer = asking.answer();
    if (self->closed || self->m_connection != connection) co_return;
    if (answer)
        self->gotThrough();
    else
        self->ended(self->broken(Kind::Unreachable, answer.error() == Unanswered::Refused ? "connection refused"
                                                                                          : "no connection in time"));
}

RedisWire::Line::Heartbeat::Heartbeat(Line& line)
    : Alarm(line.runtime), m_line(line), m_step(std::min(line.settings.heartbeat, line.settings.silenceLimit) / 4) {
}

RedisWire::Line::Heartbeat::~Heartbeat() {
    stop();
}

void RedisWire::Line::Heartbeat::start() {
    stop();
    if (!m_line.runtime.alive()) return;
    m_look = m_line.runtime.callAt(laterBy(m_line.runtime.monotonic(), m_step), [this] { look(); });
}

void RedisWire::Line::Heartbeat::stop() {
    cancel();
    if (m_look != 0) m_line.runtime.cancelCall(std::exchange(m_look, 0));
}

// Nearly always all is well: then it takes no turn of the process.
void RedisWire::Line::Heartbeat::look() {
    m_look = 0;
    if (m_line.runtime.life() == Runtime::Life::Running && m_line.m_connection && m_line.m_connection->beats()) {
        m_line.m_heard = m_line.runtime.monotonic();
        start();
    } else {
        set(m_line.runtime.monotonic());
    }
}

void RedisWire::Line::Heartbeat::ring() {
    m_line.listen();
}

// The heartbeat itself is no row, and changes nothing on the wire.
void RedisWire::Line::listen() {
    if (closed || !m_connection) return;
    const Nanos now = runtime.monotonic();
    if (m_connection->beats()) m_heard = now;
    if (now - m_heard < settings.heartbeat + settings.silenceLimit) {
        m_heartbeat.start();
        return;
    }
    const auto self = shared_from_this(); // the end of the connection may be that of the wire
    m_connection->close();
    ended(broken(Kind::Disconnected, "the server is silent"));
}

QCoro::Task<redis::Result> RedisWire::Line::exchange(std::shared_ptr<Line> self, redis::Args args,
                                                     std::stop_token stop) {
    Runtime& runtime = self->runtime;
    if (!runtime.alive()) throw Cancelled(Cancelled::Why::Killed);
    const auto gone = [&self] { return self->broken(Kind::Disconnected, "the connection was closed"); };
    if (self->closed) co_return std::unexpected(gone());
    if (!self->m_server) co_return std::unexpected(self->broken(Kind::Unreachable, "there is no such host"));
    if (self->status.state == State::Retrying) {
        const Completion<bool> next;
        self->m_waiting.push_back(next);
        const std::optional<bool> there = co_await next.wait(runtime, self->settings.commandTimeout, stop);
        if (self->closed) co_return std::unexpected(gone());
        if (!there.value_or(false)) {
            redis::Error error = self->status.error;
            error.kind = Kind::Unreachable; // nothing was sent
            co_return std::unexpected(std::move(error));
        }
    }
    if (self->m_grounds.network.strikes(self->m_user.client)) co_await Network::untilStruck(runtime);
    if (self->closed) co_return std::unexpected(gone());
    if (!self->m_connection) self->connect();
    const std::shared_ptr<RespConnection> connection = self->m_connection;
    const bool possible = connection->possible();
    const std::uint32_t text = self->m_grounds.recorder.trace().text(redis::commandText(args));
    RespConnection::Asking asking(*connection, runtime, text, std::move(args), self->settings.commandTimeout,
                                  std::move(stop));
    co_await asking.end();
    RespConnection::Result answer = asking.answer();
    const bool current = self->m_connection == connection && !self->closed;
    if (answer) {
        if (current) self->gotThrough();
        co_return asResult(*std::move(answer), self->number);
    }
    switch (answer.error()) {
    case Unanswered::Reset:
        co_return std::unexpected(
            self->closed ? gone() : self->broken(Kind::Disconnected, "connection reset: the server is gone"));
    case Unanswered::Refused:
        if (current) self->ended(self->broken(Kind::Unreachable, "connection refused"));
        co_return std::unexpected(self->broken(Kind::Unreachable, "connection refused"));
    case Unanswered::TimedOut:
        if (possible) break;
        // No handshake, so the command never left.
        if (current) self->ended(self->broken(Kind::Unreachable, "no connection in time"));
        co_return std::unexpected(self->broken(Kind::Unreachable, "no connection in time"));
    }
    co_return std::unexpected(self->broken(Kind::CommandTimeout, "no reply in time"));
}

void RedisWire::Line::close() {
    if (std::exchange(closed, true)) return;
    onStatus = nullptr;
    m_heartbeat.stop();
    if (m_connection) m_connection->close();
    m_connection.reset();
    for (const Completion<bool>& waiting : std::exchange(m_waiting, {}))
        waiting.complete(false);
}

} // namespace lockscope::sim
