// SPDX-License-Identifier: Apache-2.0
#include "backends/memcached/line.h"

#include "backends/memcached/errors.h"
#include "backends/net/tls_configuration.h"

#include <atomic>

namespace lockscope::memcached {

namespace {

using Word = Reply::Word;

/// Longer than a header of the binary protocol: a server that speaks only that hangs up at once, and does not wait for
/// the rest.
const QByteArray kGreeting = QByteArrayLiteral("get lockscope-asks-whether-it-may\r\n");

/// A number that no other connection of this process has, whatever its thread.
std::uint64_t nextConnection() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

/// memcached's own login: the first `set` of a connection, whatever its key.
QByteArray loginOf(const ConnectionUrl& url) {
    const QByteArray both = url.user.toUtf8() + ' ' + url.password.toUtf8();
    return "set lockscope 0 0 " + QByteArray::number(both.size()) + "\r\n" + both + "\r\n";
}

bool canBeSent(const QString& text) {
    return !text.isEmpty() &&
           std::ranges::all_of(text, [](QChar c) { return c.unicode() > 0x20 && c.unicode() != 0x7f; });
}

} // namespace

bool validKey(const QByteArray& key) {
    return !key.isEmpty() && key.size() <= 250 &&
           std::ranges::all_of(key, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; });
}

Call::~Call() {
    if (m_line) m_line->abandon(m_id);
}

Line::Line(Runtime& runtime, const ConnectionUrl& url, std::size_t index, DriverOptions options)
    : m_runtime(runtime),
      m_url(url),
      m_endpoint(url.endpoints[index]),
      m_options(options),
      m_where(m_endpoint.display()) {
    const bool login = !url.user.isEmpty() || !url.password.isEmpty();
    if (login && !(canBeSent(url.user) && canBeSent(url.password))) m_unusable = errors::loginUnfit();
    if (!url.tls) return;
    auto configuration = net::tlsConfiguration(url.tlsFiles);
    if (configuration)
        m_tls = *std::move(configuration);
    else
        m_unusable = Error{Error::Kind::WrongUrl, configuration.error()};
}

Line::~Line() {
    m_reactor->cancel(*this);
    if (m_connectLimit) m_runtime.cancelCall(m_connectLimit);
    if (m_commandLimit) m_runtime.cancelCall(m_commandLimit);
}

void Line::submit(const QByteArray& commands, Call& call) {
    if (m_gone) call.error = errors::driverGone(m_where);
    if (m_unusable) call.error = m_unusable;
    if (m_pending.size() >= m_options.pendingLimit) call.error = errors::tooManyPending(m_pending.size(), m_where);
    if (call.error) {
        call.complete();
        return;
    }
    const bool alone = m_pending.empty();
    m_pending.push_back(
        {++m_lastId, &call, m_runtime.monotonic() + m_options.commandTimeout, std::uint8_t(call.m_commands)});
    call.m_line = this;
    call.m_id = m_lastId;
    m_out += commands;
    m_sent += std::uint64_t(call.m_commands);
    if (!m_commandLimit) watch();
    // What finds nothing on its way leaves at once; commands of one pass of the reactor leave together.
    if (m_state == State::Away)
        connectNow();
    else if (alone)
        flush();
    else
        m_reactor->schedule(*this, Reactor::Phase::Flush);
}

// A call that was stopped leaves its place in the row: its replies are thrown away when they come.
void Line::abandon(std::uint64_t id) {
    const auto it = std::ranges::lower_bound(m_pending, id, {}, &Pending::id);
    if (it != m_pending.end() && it->id == id) it->call = nullptr;
}

void Line::connectNow() {
    m_state = State::Connecting;
    m_connection = nextConnection();
    net::Stream::Owner& owner = *this;
    m_stream = std::make_unique<net::Stream>(m_endpoint, m_tls, owner);
    m_connectLimit = m_runtime.callAt(m_runtime.monotonic() + m_options.connectTimeout, [this] {
        m_connectLimit = 0;
        close(errors::connectTimeout(m_options.connectTimeout, m_where));
    });
    m_stream->open();
}

void Line::streamOpened() {
    m_state = State::Greeting;
    m_stream->send(kGreeting);
}

void Line::greeted(const Reply& reply) {
    const bool refused = reply.word == Word::Error;
    const bool wanted = refused && reply.text == "CLIENT_ERROR unauthenticated";
    if (m_state == State::Greeting && wanted && !m_url.user.isEmpty()) {
        m_state = State::LoggingIn;
        m_stream->send(loginOf(m_url));
        return;
    }
    if (m_state == State::LoggingIn && reply.word != Word::Stored) {
        close(errors::loginRefused(m_where));
        return;
    }
    if (refused) {
        close(wanted ? errors::loginWanted(m_where) : errors::refused(reply.text, m_where));
        return;
    }
    // A server that wants no login serves everybody, as etcd and its own client take it.
    m_state = State::Ready;
    if (m_connectLimit) m_runtime.cancelCall(std::exchange(m_connectLimit, 0));
    flush();
}

void Line::flush() {
    if (m_state != State::Ready || m_out.isEmpty()) return;
    m_stream->send(m_out);
    m_out.resize(0); // keeps its room
}

void Line::streamReadable() {
    char buffer[16 * 1024];
    qint64 size = sizeof buffer;
    while (m_stream && size == sizeof buffer) {
        size = m_stream->receive(buffer, sizeof buffer);
        m_reader.feed(buffer, size);
        takeReplies();
    }
}

void Line::takeReplies() {
    while (m_stream) {
        auto reply = m_reader.next();
        if (!reply) {
            Error error = errors::garbage(reply.error(), m_where);
            error.sent = m_state == State::Ready;
            close(error);
            return;
        }
        if (!*reply) return;
        if (m_state == State::Ready)
            take(**std::move(reply));
        else
            greeted(**reply);
    }
}

void Line::take(Reply&& reply) {
    if (m_pending.empty()) {
        close(errors::garbage(QStringLiteral("an answer to nothing"), m_where));
        return;
    }
    Pending& first = m_pending.front();
    if (first.call) {
        if (reply.word == Word::Error && first.came == 0) first.call->error = errors::refused(reply.text, m_where);
        if (reply.item) reply.item->mark.connection = m_connection;
        first.call->replies[first.came] = std::move(reply);
    }
    if (++first.came < first.count) return;
    Call* const call = first.call;
    m_pending.pop_front();
    if (call) call->complete();
}

void Line::streamEnded(net::Ending ending) {
    Error error = errors::ended(ending, m_where);
    const bool mute =
        m_state == State::Greeting && m_stream->received() == 0 && error.kind == Error::Kind::Disconnected;
    if (m_state == State::LoggingIn && error.kind == Error::Kind::Disconnected) error = errors::loginRefused(m_where);
    close(mute ? errors::closedDuringGreeting(m_tls.has_value(), m_where) : error);
}

void Line::close(const Error& error) {
    m_state = State::Away;
    m_connection = 0;
    if (m_connectLimit) m_runtime.cancelCall(std::exchange(m_connectLimit, 0));
    if (m_stream) {
        m_stream->close();
        m_old = std::move(m_stream);
        QMetaObject::invokeMethod(
            this, [this] { m_old.reset(); }, Qt::QueuedConnection);
    }
    m_out.clear();
    m_reader.clear();
    const std::deque<Pending> pending = std::exchange(m_pending, {});
    for (const Pending& one : pending) {
        if (!one.call) continue;
        one.call->error = error;
        one.call->complete();
    }
}

void Line::watch() {
    const auto first = std::ranges::find_if(m_pending, [](const Pending& one) { return one.call != nullptr; });
    if (first != m_pending.end()) m_commandLimit = m_runtime.callAt(first->deadline, [this] { lookAtTime(); });
}

// One look at the oldest call per time-out, instead of a timer for each command.
void Line::lookAtTime() {
    m_commandLimit = 0;
    const Nanos now = m_runtime.monotonic();
    bool late = false;
    for (Pending& one : m_pending) {
        if (one.deadline > now) break;
        if (!one.call) continue;
        late = true;
        Call* const call = std::exchange(one.call, nullptr);
        call->error = errors::late(m_options.commandTimeout, m_where);
        call->complete();
    }
    if (late)
        close(errors::closed(m_where)); // answers could no longer be told from each other's
    else
        watch();
}

void Line::shutDown() {
    m_gone = true;
    close(errors::driverGone(m_where));
}

} // namespace lockscope::memcached
