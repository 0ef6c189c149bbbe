// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/wire_link.h"

#include "ports/sql/errors.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lockscope::sql {

using Now = ClientCalls::Now;
using Clock = std::chrono::steady_clock;

namespace {

/// For how long it is worth staying awake for an answer: those of a server nearby come sooner.
constexpr auto kLookout = 200us;
/// The reactor's last look at a connection is believed for so long without another look.
constexpr auto kBelieved = 1ms;

/// Makes the kernel notice a peer that vanished: keep-alive probes, and a limit on unacknowledged data.
void noticeItsEnd(int socket) {
    const auto set = [socket](int level, int option, int value) {
        ::setsockopt(socket, level, option, &value, sizeof value); // a local socket has none of these: no harm
    };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(IPPROTO_TCP, TCP_KEEPCNT, 4);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
}

} // namespace

WireLink::WireLink(const Settings& settings) : m_settings(settings), m_commands(settings.dialect) {
}

WireLink::~WireLink() {
    if (m_request) m_reactor->cancel(*this);
    m_request.reset();
    m_ending = true;
    unlisten();
    if (m_waits || m_ticket) {
        // The library and the waiting caller are in the middle of something. Both come to their end at once when
        // nothing more can come by the socket.
        ::shutdown(m_socket, SHUT_RDWR);
        constexpr int kSteps = 64;
        for (int step = 0; m_now != Now::Done && step < kSteps; ++step)
            m_now = m_calls->goOn(true, true);
        answered();
    }
    m_calls.reset(); // which says goodbye to the server
    if (m_socket >= 0) ::close(m_socket);
}

void WireLink::breakOff() {
    dead = true;
    if (m_socket >= 0) ::shutdown(m_socket, SHUT_RDWR);
}

void WireLink::answered() {
    if (m_ticket) return settle();
    if (m_waits) std::exchange(m_waits, nullptr).resume();
}

void WireLink::takeSocket() {
    unlisten();
    if (m_socket >= 0) ::close(std::exchange(m_socket, -1));
    const int socket = m_calls->socket();
    if (socket < 0) return;
    m_socket = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (m_socket >= 0) noticeItsEnd(m_socket);
}

void WireLink::listen() {
    if (m_id == 0) {
        m_id = m_reactor->add(m_socket, *this);
        m_watchedSince = Clock::now();
        m_writing = false;
    }
    const bool writes = m_now == Now::Writes;
    if (std::exchange(m_writing, writes) != writes) m_reactor->wantWrite(m_id, writes);
}

void WireLink::unlisten() {
    if (m_id != 0) m_reactor->remove(std::exchange(m_id, 0));
}

bool WireLink::surelySound() const {
    // Once there is something to read that nobody asked for, the reactor does not watch it any more: see readable().
    const auto lookedAt = m_reactor->lookedAt();
    return m_id != 0 && !m_hungUp && lookedAt > m_watchedSince && Clock::now() - lookedAt < kBelieved;
}

bool WireLink::pollShows(short events) const {
    if (surelySound() || m_socket < 0) return false;
    pollfd look{m_socket, events, 0};
    return ::poll(&look, 1, 0) != 0;
}

bool WireLink::stale() const {
    return pollShows(POLLIN | POLLRDHUP);
}

bool WireLink::ended() const {
    return pollShows(POLLRDHUP);
}

void WireLink::open(QByteArrayList addresses, std::shared_ptr<Ticket> ticket) {
    [[maybe_unused]] const auto task = opening(*this, std::move(addresses), std::move(ticket)); // it ends by itself
}

QCoro::Task<> WireLink::opening(WireLink& mine, QByteArrayList addresses, std::shared_ptr<Ticket> ticket) {
    Result opened = std::unexpected(errors::driverGone(mine.m_settings.where));
    for (const QByteArray& address : addresses) {
        mine.m_calls = ClientCalls::make(mine.m_settings);
        mine.m_connecting = true;
        opened = co_await mine.connectTo(address);
        mine.m_connecting = false;
        if (opened || mine.m_ending || opened.error().kind != Error::Kind::Unreachable) break;
    }
    if (opened) opened = co_await mine.greet();
    ticket->result.emplace(std::move(opened));
    ticket->arrive();
}

QCoro::Task<Result> WireLink::greet() {
    Result greeted;
    if (m_settings.dialect == Dialect::MySql)
        greeted = co_await greetMySql();
    else
        greeted = co_await greetPostgreSql();
    // Nothing was asked for yet that could have been done.
    if (!greeted && greeted.error().outcomeUnknown())
        greeted =
            std::unexpected(errors::ofConnecting(m_settings.dialect, {{}, greeted.error().message}, m_settings.where));
    co_return greeted;
}

QCoro::Task<Result> WireLink::greetMySql() {
    // The client library takes TLS for a wish: where a server has none it logs in without. So a server without TLS has
    // seen the login (its answer to a challenge) by now; it gets nothing more.
    if (m_settings.tls && !m_calls->encrypted()) co_return std::unexpected(errors::notEncrypted(m_settings.where));
    // A server may be set to commit nothing by itself, to have its own idea of our texts, and to end what takes long,
    // as waiting for a lock does: the caller sees to that. Each reads its own comment only.
    Result id = co_await run("SET NAMES utf8mb4; SET SESSION autocommit = 1 /*M!100101 , SESSION max_statement_time = "
                             "0 */ /*!50708 , SESSION max_execution_time = 0 */; "
                             "SELECT CONNECTION_ID(), @@global.read_only");
    if (!id) co_return id;
    serverId = id->number();
    readOnly = id->number(0, 1) == 1;
    co_return id;
}

QCoro::Task<Result> WireLink::greetPostgreSql() {
    Result id = co_await run("SELECT pg_backend_pid(), pg_is_in_recovery()");
    if (!id) co_return id;
    serverId = id->number();
    readOnly = id->number(0, 1) == 1;
    // A pooler invents a number for its greeting.
    pooled = m_calls->greetedAs() != serverId && !m_settings.poolerKeepsSessions;
    if (pooled) {
        // A statement prepared under a name of ours may be another client's there, and so may settings.
        m_commands.isPooled();
        co_return id;
    }
    // How long a wait for a lock may last, the caller says.
    Result set = co_await run("SET standard_conforming_strings = on; SET client_min_messages = error; "
                              "SET default_transaction_isolation = 'read committed'; SET statement_timeout = 0");
    if (!set) co_return set;
    // Since 14: a client that is gone is noticed while its statement waits. Older ones do not know the setting.
    const Result checks = co_await run("SET client_connection_check_interval = 2000");
    if (!checks && checks.error().outcomeUnknown()) co_return checks;
    co_return set;
}

void WireLink::carryOut(Command command, std::shared_ptr<Ticket> ticket) {
    const std::optional<CommandRunner::Simple> simple = m_commands.simple(command);
    if (!simple) {
        [[maybe_unused]] const auto task = fulfil(*this, std::move(command), std::move(ticket)); // it ends by itself
        return;
    }
    // Most are of this kind: no coroutine for them.
    m_command = std::move(command);
    m_ticket = std::move(ticket);
    if (simple->name.isEmpty())
        ask({Request::Kind::Text, simple->text});
    else
        ask({Request::Kind::Execute, {}, simple->name, &m_command.statement.values});
}

void WireLink::settle() {
    const std::shared_ptr<Ticket> ticket = std::exchange(m_ticket, nullptr);
    Result result = answer();
    if (m_commands.forgotten(result)) {
        [[maybe_unused]] const auto task = fulfil(*this, std::move(m_command), ticket);
        return;
    }
    ticket->result.emplace(std::move(result));
    ticket->arrive();
}

QCoro::Task<> WireLink::fulfil(WireLink& mine, Command command, std::shared_ptr<Ticket> ticket) {
    ticket->result.emplace(co_await mine.m_commands.run(mine, std::move(command)));
    ticket->arrive();
}

QCoro::Task<Result> WireLink::connectTo(QByteArray address) {
    return answerTo({Request::Kind::Connect, std::move(address)});
}

QCoro::Task<Result> WireLink::run(QByteArray text) {
    return answerTo({Request::Kind::Text, std::move(text)});
}

QCoro::Task<Result> WireLink::prepare(QByteArray name, QByteArray text) {
    return answerTo({Request::Kind::Prepare, std::move(text), std::move(name)});
}

QCoro::Task<Result> WireLink::execute(QByteArray name, Values values) {
    const Request request{Request::Kind::Execute, {}, std::move(name), &values};
    Result result = co_await answerTo(request);
    co_return result;
}

void WireLink::ask(Request request) {
    if (m_ending) return;
    m_request = std::move(request);
    m_reactor->schedule(*this, Reactor::Phase::Flush);
}

QCoro::Task<Result> WireLink::answerTo(Request request) {
    ask(std::move(request));
    const Answered answered{*this};
    co_await answered;
    co_return answer();
}

void WireLink::run() {
    follow(begin(*std::exchange(m_request, std::nullopt)));
    if (m_now != Now::Done) m_reactor->sent(kLookout);
}

Now WireLink::begin(const Request& request) {
    switch (request.kind) {
    case Request::Kind::Connect:
        return m_calls->beginConnecting(request.text);
    case Request::Kind::Prepare:
        return m_calls->beginPreparing(request.name, request.text);
    case Request::Kind::Execute:
        return m_calls->beginPrepared(request.name, *request.values);
    case Request::Kind::Text:
        break;
    }
    return m_calls->begin(request.text);
}

Result WireLink::answer() {
    if (m_ending) return std::unexpected(errors::driverGone(m_settings.where));
    return m_calls->answer();
}

/// Call this after each call of the library, and nothing after it: a caller that gets its answer may destroy this link.
void WireLink::follow(Now now) {
    m_now = now;
    if (m_connecting) takeSocket();
    if (m_socket >= 0) listen();
    if (m_now == Now::Done) answered();
}

void WireLink::readable() {
    if (m_now != Now::Done) return follow(m_calls->goOn(true, false));
    // Nobody asked for anything: the server has ended the connection, or says why it will. The next statement on it
    // finds out; until then the reactor need not report it again and again.
    unlisten();
}

void WireLink::writable() {
    if (m_now != Now::Done) follow(m_calls->goOn(false, true));
}

} // namespace lockscope::sql
