// SPDX-License-Identifier: Apache-2.0
#include "drivers/redis/line.h"

#include "ports/redis/errors.h"

#include <atomic>

namespace lockscope::redis {

namespace {

/// The longest pause between two tries at a connection that somebody needs soon: a server that was restarted empty
/// gives a lock away at once, while its old holder waits for the connection.
constexpr Nanos kUrgentPause = 200ms;

// The commands that open each connection. PING comes last: it finds out a missing login, and whether this is a Redis.
std::vector<Args> greetingFor(const ConnectionUrl& url, const QByteArray& clientName) {
    std::vector<Args> all;
    if (!url.user.isEmpty())
        all.push_back({"AUTH", url.user.toUtf8(), url.password.toUtf8()});
    else if (!url.password.isEmpty())
        all.push_back({"AUTH", url.password.toUtf8()});
    if (!clientName.isEmpty()) all.push_back({"CLIENT", "SETNAME", clientName});
    if (url.database != 0) all.push_back({"SELECT", QByteArray::number(url.database)});
    all.push_back({"PING"});
    return all;
}

/// One for each connection of this process, never 0.
std::uint32_t nextNumber() {
    static std::atomic<std::uint32_t> last = 0;
    const std::uint32_t number = ++last;
    return number ? number : ++last;
}

// A user without the right to be named, or to PING, can still lock.
bool mayFail(const QByteArray& command, const QByteArray& reply) {
    if (command == "CLIENT") return !reply.startsWith("NOAUTH") && !errors::turnedAway(reply);
    return command == "PING" && reply.startsWith("NOPERM");
}

} // namespace

void OneShot::arm(Nanos at, std::function<void()> callback) {
    cancel();
    m_id = m_runtime.callAt(at, [this, callback = std::move(callback)] {
        m_id = 0;
        callback();
    });
}

void OneShot::cancel() {
    if (m_id) m_runtime.cancelCall(std::exchange(m_id, 0));
}

Line::Line(Runtime& runtime, const ConnectionUrl& url, const DriverOptions& options, Handlers handlers)
    : m_runtime(runtime),
      m_url(url),
      m_options(options),
      m_where(url.endpoints.front().display()),
      m_handlers(std::move(handlers)),
      m_greeting(greetingFor(url, options.clientName)),
      m_timer(runtime) {
}

Line::~Line() = default;

void Line::start() {
    using State = Status::State;
    if (m_status.state == State::Idle || m_status.state == State::Failed) connectNow();
}

bool Line::hopeless() const {
    return m_status.state == Status::State::Failed && m_runtime.monotonic() < m_failedAt + m_options.retryLongest;
}

void Line::connectNow() {
    m_greeted = 0;
    m_wire = std::make_unique<Wire>(m_url, Wire::Handlers{[this] { greet(); },
                                                          [this](Reply&& reply) { onReply(std::move(reply)); },
                                                          [this](Error error) { onClosed(std::move(error)); }});
    m_timer.arm(m_runtime.monotonic() + m_options.connectTimeout,
                [this] { m_wire->close(errors::connectTimeout(m_options.connectTimeout, m_url.tls, m_where)); });
    setStatus({Status::State::Connecting, {}, {}});
    m_wire->open();
}

void Line::greet() {
    // In one packet: what comes after a server has turned us away fails, and the reason would not be read any more.
    m_wire->setIdle(false);
    for (const Args& command : m_greeting)
        m_wire->send(command);
    m_wire->setIdle(true);
}

void Line::onReply(Reply&& reply) {
    if (m_greeted == m_greeting.size()) {
        m_handlers.reply(std::move(reply));
        return;
    }
    const QByteArray& command = m_greeting[m_greeted].front();
    if (reply.isError() && !mayFail(command, reply.text)) {
        m_wire->close(errors::refusedGreeting(reply.text, command, m_where));
        return;
    }
    if (++m_greeted < m_greeting.size()) return;
    m_failures = 0;
    m_quietSince = m_runtime.monotonic();
    m_pinged = false;
    m_timer.cancel();
    watch();
    m_number = nextNumber();
    setStatus({Status::State::Connected, {}, {}});
    m_handlers.ready();
}

void Line::giveUp(Error error) {
    if (m_wire) m_wire->close(std::move(error));
}

void Line::onClosed(Error error) {
    const bool wasReady = ready();
    if (!wasReady && error.kind == Error::Kind::Disconnected) error = errors::closedDuringGreeting(m_url.tls, m_where);
    m_wire.reset();
    m_timer.cancel();
    if (error.kind == Error::Kind::AuthFailed || error.kind == Error::Kind::WrongUrl) {
        m_failedAt = m_runtime.monotonic();
        setStatus({Status::State::Failed, error, {}});
    } else if (!m_wanted) {
        setStatus({Status::State::Idle, error, {}});
    } else {
        const bool urgent = m_handlers.urgent && m_handlers.urgent();
        const Nanos limit = urgent ? std::min(kUrgentPause, m_options.retryLongest) : m_options.retryLongest;
        const Nanos longest = std::min(limit, m_options.retryFirst * (std::int64_t(1) << std::min(m_failures, 20)));
        const Nanos pause = m_runtime.random(longest / 2, longest);
        ++m_failures;
        m_timer.arm(m_runtime.monotonic() + pause, [this] { connectNow(); });
        setStatus({Status::State::Retrying, error, pause});
    }
    m_handlers.lost(error, wasReady);
}

void Line::watch() {
    if (m_options.heartbeat == kNever) return;
    const Nanos now = m_runtime.monotonic();
    const Nanos quiet = now - m_quietSince;
    if (m_wire->bytesReceived() != m_bytesSeen) {
        m_bytesSeen = m_wire->bytesReceived();
        m_quietSince = now;
        m_pinged = false;
    } else if (m_pinged && quiet >= m_options.heartbeat + m_options.silenceLimit) {
        m_wire->close(errors::silent(m_options.silenceLimit, m_where));
        return;
    } else if (!m_pinged && quiet >= m_options.heartbeat) {
        m_pinged = true;
        m_handlers.ping();
    }
    // Looked at a few times per limit instead of at each byte: the clock is not read on the fast path.
    const Nanos step = std::min(m_options.heartbeat, m_options.silenceLimit) / 4;
    m_timer.arm(now + step, [this] { watch(); });
}

void Line::setStatus(Status status) {
    m_status = std::move(status);
    if (m_handlers.status) m_handlers.status(m_status);
}

} // namespace lockscope::redis
