// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/conversation.h"

#include "ports/sql/errors.h"

#include <sys/socket.h>

namespace lockscope::sql {

using Now = ClientCalls::Now;
using Clock = std::chrono::steady_clock;

namespace {

/// For how long it is worth staying awake for an answer: those of a server nearby come sooner.
constexpr auto kLookout = 200us;
/// What the reactor has seen of a connection is believed for so long without another look at it.
constexpr auto kBelieved = 1ms;

} // namespace

std::unique_ptr<Conversation::Means> Conversation::meansOf(const Database& database) {
    if (database.dialect() == Dialect::Sqlite || database.onThreads()) return nullptr;
    auto calls = ClientCalls::on(*database.driver(), database.dialect(), database.where());
    if (!calls) return nullptr;
    return std::make_unique<Means>(Means{std::move(calls), database.commands(), database.where()});
}

Conversation::Conversation(Means means, int socket)
    : m_calls(std::move(means.calls)),
      m_commands(std::move(means.commands)),
      m_socket(socket),
      m_where(std::move(means.where)) {
}

Conversation::~Conversation() {
    cutShort();
}

std::unique_ptr<ClientCalls> Conversation::end() {
    cutShort();
    return std::move(m_calls);
}

void Conversation::cutShort() {
    if (m_id != 0) m_reactor->remove(std::exchange(m_id, 0));
    if (m_request) m_reactor->cancel(*this);
    m_request.reset();
    m_ending = true;
    if (!m_waits && !m_ticket) return;
    // The library and whoever waits are in the middle of something. Both come to their end at once when nothing more
    // can come by the socket.
    ::shutdown(m_socket, SHUT_RDWR);
    constexpr int kSteps = 64;
    for (int step = 0; m_now != Now::Done && step < kSteps; ++step)
        m_now = m_calls->goOn(true, true);
    answered();
}

void Conversation::answered() {
    if (m_ticket) return settle();
    if (m_waits) std::exchange(m_waits, nullptr).resume();
}

void Conversation::listen() {
    if (m_id == 0) {
        m_id = m_reactor->add(m_socket, *this);
        m_watchedSince = Clock::now();
        m_writing = false;
    }
    const bool writes = m_now == Now::Writes;
    if (std::exchange(m_writing, writes) != writes) m_reactor->wantWrite(m_id, writes);
}

bool Conversation::surelySound() const {
    // Once there is something to read that nobody asked for, the reactor does not watch it any more: see readable().
    const auto lookedAt = m_reactor->lookedAt();
    return m_id != 0 && !m_hungUp && lookedAt > m_watchedSince && Clock::now() - lookedAt < kBelieved;
}

void Conversation::carryOut(Command command, std::shared_ptr<Ticket> ticket) {
    const std::optional<CommandRunner::Simple> simple = m_commands.simple(command);
    if (!simple) {
        [[maybe_unused]] const auto task = fulfil(*this, std::move(command), std::move(ticket)); // it ends by itself
        return;
    }
    // Most are of this kind: no coroutine for them.
    m_command = std::move(command);
    m_ticket = std::move(ticket);
    Request request{simple->text, simple->name};
    if (!simple->name.isEmpty()) request.values = &m_command.statement.values;
    ask(std::move(request));
    if (m_ending) settle();
}

void Conversation::settle() {
    const std::shared_ptr<Ticket> ticket = std::exchange(m_ticket, nullptr);
    Result result = answer();
    if (m_commands.forgotten(result)) {
        [[maybe_unused]] const auto task = fulfil(*this, std::move(m_command), ticket);
        return;
    }
    ticket->result.emplace(std::move(result));
    ticket->arrive();
}

QCoro::Task<> Conversation::fulfil(Conversation& mine, Command command, std::shared_ptr<Ticket> ticket) {
    ticket->result.emplace(co_await mine.m_commands.run(mine, std::move(command)));
    ticket->arrive();
}

QCoro::Task<Result> Conversation::run(QByteArray text, int /*before*/) {
    return answerTo({std::move(text), {}});
}

QCoro::Task<Result> Conversation::prepare(QByteArray name, QByteArray text) {
    return answerTo({std::move(text), std::move(name)});
}

QCoro::Task<Result> Conversation::execute(QByteArray name, Values values) {
    const Request request{{}, std::move(name), &values};
    Result result = co_await answerTo(request);
    co_return result;
}

void Conversation::ask(Request request) {
    if (m_ending) return;
    m_request = std::move(request);
    m_reactor->schedule(*this, Reactor::Phase::Flush);
}

QCoro::Task<Result> Conversation::answerTo(Request request) {
    ask(std::move(request));
    const Answered answered{*this};
    co_await answered;
    co_return answer();
}

void Conversation::run() {
    m_now = begin(*std::exchange(m_request, std::nullopt));
    if (m_now == Now::Done) return answered();
    listen();
    m_reactor->sent(kLookout);
}

Now Conversation::begin(const Request& request) {
    if (request.values) return m_calls->beginPrepared(request.name, *request.values);
    if (!request.name.isEmpty()) return m_calls->beginPreparing(request.name, request.text);
    return m_calls->begin(request.text);
}

Result Conversation::answer() {
    if (m_ending) return std::unexpected(errors::driverGone(m_where));
    return m_calls->answer();
}

void Conversation::readable() {
    if (m_now != Now::Done) return goOn(true, false);
    // Nobody asked for anything: the server has ended the connection, or says why it will. Whoever uses it next finds
    // out; until then there is nothing to be told again and again.
    m_reactor->remove(std::exchange(m_id, 0));
}

void Conversation::writable() {
    if (m_now != Now::Done) goOn(false, true);
}

void Conversation::goOn(bool readable, bool writable) {
    m_now = m_calls->goOn(readable, writable);
    listen();
    if (m_now == Now::Done) answered();
}

} // namespace lockscope::sql
