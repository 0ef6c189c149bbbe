// SPDX-License-Identifier: Apache-2.0
#include "drivers/memcached/line.h"

#include "drivers/net/tls_configuration.h"
#include "ports/memcached/binary_protocol.h"
#include "ports/memcached/errors.h"
#include "ports/memcached/text_protocol.h"

#include <atomic>

namespace lockscope::memcached {

namespace {

using Word = Reply::Word;

/// A number that no other connection of this process has, whatever its thread.
std::uint64_t nextConnection() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

/// Between two tries at a connection that is kept, drawn anew each time.
constexpr Nanos kShortestPause = 50ms, kLongestPause = 200ms;

bool canBeSent(const QString& text) {
    return !text.isEmpty() &&
           std::ranges::all_of(text, [](QChar c) { return c.unicode() > 0x20 && c.unicode() != 0x7f; });
}

} // namespace

Call::~Call() {
    if (m_line) m_line->abandon(m_id);
}

Line::Line(Runtime& runtime, const ConnectionUrl& url, DriverOptions options)
    : m_runtime(runtime),
      m_url(url),
      m_endpoint(url.endpoints.front()),
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
    if (m_nextTry) m_runtime.cancelCall(m_nextTry);
}

CallList::Registration Line::onReconnect(CallList::Callback back) {
    CallList::Registration registration = m_reconnects.add(std::move(back));
    if (m_state == State::Away) connectAgain();
    return registration;
}

/// Makes a broken connection again without a command, for as long as somebody wants to be told.
void Line::connectAgain() {
    if (m_gone || m_nextTry || m_reconnects.empty()) return;
    const Nanos pause = m_runtime.random(kShortestPause, kLongestPause);
    m_nextTry = m_runtime.callAt(m_runtime.monotonic() + pause, [this] {
        m_nextTry = 0;
        if (m_state == State::Away && !m_gone && !m_reconnects.empty()) connectNow();
    });
}

void Line::submit(Command command, Call& call) {
    if (m_gone) call.error = errors::driverGone(m_where);
    if (m_unusable) call.error = m_unusable;
    if (m_pending.size() >= m_options.pendingLimit) call.error = errors::tooManyPending(m_pending.size(), m_where);
    if (call.error) {
        call.complete();
        return;
    }
    const bool alone = m_pending.empty();
    const int replies = command.replies();
    const bool list = command.kind == Command::Kind::List;
    const Nanos deadline = m_runtime.monotonic() + m_options.commandTimeout;
    m_pending.push_back({++m_lastId, &call, deadline, std::uint8_t(replies), 0, list});
    call.m_line = this;
    call.m_id = m_lastId;
    m_sent += std::uint64_t(replies);
    m_waiting.push_back(std::move(command));
    if (m_state == State::Ready) release();
    if (!m_commandLimit) watch();
    // If no command is on its way, this one leaves at once; commands of one pass of the reactor leave together.
    if (m_state == State::Away)
        connectNow();
    else if (alone)
        flush();
    else if (!std::exchange(m_flushScheduled, true))
        m_reactor->schedule(*this, Reactor::Phase::Flush);
}

// A call that was stopped leaves its place in the row: its replies are thrown away when they come.
void Line::abandon(std::uint64_t id) {
    const auto it = std::ranges::lower_bound(m_pending, id, {}, &Pending::id);
    if (it != m_pending.end() && it->id == id) it->call = nullptr;
}

void Line::connectNow() {
    m_connection = nextConnection();
    m_connectLimit = m_runtime.callAt(m_runtime.monotonic() + m_options.connectTimeout, [this] {
        m_connectLimit = 0;
        close(errors::connectTimeout(m_options.connectTimeout, m_where));
    });
    openStream();
}

void Line::openStream() {
    m_state = State::Connecting;
    if (m_binary)
        m_protocol = std::make_unique<BinaryProtocol>();
    else
        m_protocol = std::make_unique<TextProtocol>();
    net::Stream::Owner& owner = *this;
    m_stream = std::make_unique<net::Stream>(m_endpoint, m_tls, owner);
    m_stream->open();
}

void Line::retireStream() {
    if (!m_stream) return;
    m_stream->close();
    m_old = std::move(m_stream);
    QMetaObject::invokeMethod(
        this, [this] { m_old.reset(); }, Qt::QueuedConnection);
}

void Line::streamOpened() {
    m_state = State::Greeting;
    m_stream->send(m_protocol->greeting());
}

void Line::greeted(const Reply& reply) {
    if (m_state == State::Asking) return serve(); // whatever it says to that
    if (m_state == State::LoggingIn && reply.word != Word::Stored) return close(errors::loginRefused(m_where));
    if (reply.word == Word::LoginWanted) return logIn(reply.text);
    if (reply.word == Word::Error) return close(errors::refused(reply.text, m_where));
    // A server that wants no login serves everybody, as etcd and its own client take it.
    if (m_unasked) return serve();
    m_state = State::Asking;
    QByteArray question;
    m_protocol->append(question, Command{Command::Kind::Statistics});
    m_stream->send(question);
}

void Line::serve() {
    m_state = State::Ready;
    if (m_connectLimit) m_runtime.cancelCall(std::exchange(m_connectLimit, 0));
    release();
    flush();
    if (std::exchange(m_wasReady, true)) m_reconnects.callSoon(m_runtime);
}

/// A server hands the connection to its lister when it reads a list's command. The bytes that it read with it wait
/// until others follow (tried with memcached 1.6.18): maybe for ever. So what comes after a list waits here.
void Line::release() {
    for (; !m_waiting.empty() && !m_listing; m_waiting.pop_front()) {
        m_protocol->append(m_out, m_waiting.front());
        m_listing = m_waiting.front().kind == Command::Kind::List;
    }
}

void Line::logIn(const QByteArray& ways) {
    if (m_url.user.isEmpty()) return close(errors::loginWanted(m_where));
    if (!ways.isEmpty() && !ways.split(' ').contains("PLAIN")) return close(errors::loginOtherwise(ways, m_where));
    m_state = State::LoggingIn;
    m_stream->send(m_protocol->login(m_url.user.toUtf8(), m_url.password.toUtf8()));
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
        if (size > 0 && !m_pending.empty() && m_pending.front().list)
            m_pending.front().deadline = m_runtime.monotonic() + m_options.commandTimeout;
        m_protocol->feed(buffer, size);
        takeReplies();
    }
}

void Line::takeReplies() {
    while (m_stream) {
        auto reply = m_protocol->next();
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
        if (reply.word == Word::LoginWanted && first.came == 0) first.call->error = errors::loginWanted(m_where);
        if (reply.item) {
            reply.item->mark.connection = m_connection;
            reply.item->mark.runBegan = m_protocol->runBegan();
        }
        first.call->replies[first.came] = std::move(reply);
    }
    if (++first.came < first.count) return;
    Call* const call = first.call;
    const bool list = first.list;
    m_pending.pop_front();
    if (call) call->complete();
    if (!list) return;
    m_listing = false;
    // They waited for the list, not for an answer of their own: their time begins now.
    const Nanos deadline = m_runtime.monotonic() + m_options.commandTimeout;
    for (auto one = m_pending.end() - std::ptrdiff_t(m_waiting.size()); one != m_pending.end(); ++one)
        one->deadline = deadline;
    release();
    flush();
}

void Line::streamEnded(net::Ending ending) {
    Error error = errors::ended(ending, m_where);
    const bool mute =
        m_state == State::Greeting && m_stream->received() == 0 && error.kind == Error::Kind::Disconnected;
    if (m_state == State::LoggingIn && error.kind == Error::Kind::Disconnected) error = errors::loginRefused(m_where);
    if (m_state == State::Asking && error.kind == Error::Kind::Disconnected) {
        m_unasked = true;
        return openAgain();
    }
    if (!mute) return close(error);
    if (m_binary) return close(errors::closedDuringGreeting(m_tls.has_value(), m_where));
    m_binary = true;
    openAgain();
}

/// Within the time that the connection may take.
void Line::openAgain() {
    retireStream();
    m_state = State::Connecting;
    const auto again = [this] {
        if (m_state == State::Connecting && !m_stream) openStream();
    };
    QMetaObject::invokeMethod(this, again, Qt::QueuedConnection); // not above the stream that has just ended
}

void Line::close(const Error& error) {
    if (m_state != State::Ready) m_binary = false; // another try begins anew; a server that spoke binary does so again
    m_state = State::Away;
    m_unasked = false;
    m_connection = 0;
    if (m_connectLimit) m_runtime.cancelCall(std::exchange(m_connectLimit, 0));
    retireStream();
    m_out.clear();
    m_waiting.clear();
    m_listing = false;
    const std::deque<Pending> pending = std::exchange(m_pending, {});
    for (const Pending& one : pending) {
        if (!one.call) continue;
        one.call->error = error;
        one.call->complete();
    }
    // A login that is wrong stays wrong.
    if (error.kind != Error::Kind::AuthFailed && error.kind != Error::Kind::WrongUrl) connectAgain();
}

void Line::watch() {
    if (std::ranges::none_of(m_pending, [](const Pending& one) { return one.call != nullptr; })) return;
    const auto first = std::ranges::find_if(m_pending, &Pending::isWatched);
    if (first != m_pending.end()) m_commandLimit = m_runtime.callAt(first->deadline, [this] { lookAtTime(); });
}

// One look at the oldest call per time-out, instead of a timer for each command.
void Line::lookAtTime() {
    m_commandLimit = 0;
    const Nanos now = m_runtime.monotonic();
    bool late = false;
    for (Pending& one : m_pending) {
        if (!one.isWatched()) continue;
        if (one.deadline > now) break;
        late = true;
        Call* const call = std::exchange(one.call, nullptr);
        if (!call) continue;
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

Statistics Line::statistics() const {
    Statistics told = m_protocol ? m_protocol->statistics() : Statistics();
    told.where = m_where;
    return told;
}

} // namespace lockscope::memcached
