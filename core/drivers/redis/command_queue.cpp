// SPDX-License-Identifier: Apache-2.0
#include "drivers/redis/command_queue.h"

#include "ports/redis/errors.h"

#include <array>

namespace lockscope::redis {

Call::~Call() {
    if (m_queue) m_queue->abandon(m_id);
}

void Call::complete(Result&& value) {
    m_queue = nullptr;
    result.emplace(std::move(value));
    waiter.wake();
}

Calls::~Calls() {
    if (m_queue) m_queue->abandon(*this);
}

void Calls::complete(std::size_t index, Result&& value) {
    // A time-out may come before the replies to later commands; each has its place.
    while (results.size() <= index)
        results.emplace_back(Reply::nil());
    results[index] = std::move(value);
    if (--m_left > 0) return;
    m_queue = nullptr;
    waiter.wake();
}

void CommandQueue::Pending::complete(Result&& value) {
    if (Call* const one = std::exchange(call, nullptr)) one->complete(std::move(value));
    if (Calls* const all = std::exchange(calls, nullptr)) all->complete(index, std::move(value));
}

CommandQueue::CommandQueue(Runtime& runtime, const ConnectionUrl& url, const DriverOptions& options,
                           std::function<void(const Status&)> onStatus)
    : m_runtime(runtime),
      m_options(options),
      m_where(url.endpoints.front().display()),
      m_tls(url.tls),
      m_timer(runtime),
      m_line(runtime, url, options,
             {[this] { onReady(); }, [this](Reply&& reply) { onReply(std::move(reply)); },
              [this](const Error& error, bool wasReady) { onLost(error, wasReady); }, [this] { ping(); },
              std::move(onStatus), [this] { return !m_reconnects.empty(); }}) {
}

CommandQueue::~CommandQueue() {
    for (Pending& pending : m_pending)
        if (pending.waitedFor()) pending.complete(std::unexpected(errors::driverGone(m_where)));
}

void CommandQueue::submit(Pieces pieces, Call& call) {
    if (m_line.hopeless()) {
        call.complete(std::unexpected(m_line.status().error));
        return;
    }
    if (m_pending.size() >= m_options.pendingLimit) {
        call.complete(std::unexpected(errors::tooManyPending(m_options.pendingLimit, m_where)));
        return;
    }
    call.m_queue = this;
    call.m_id = ++m_lastId;
    enqueue(pieces, {m_lastId, &call, m_runtime.monotonic() + m_options.commandTimeout, pieces.begin()->front(), {}});
}

void CommandQueue::submitAll(std::span<const Args> commands, Calls& calls) {
    Q_ASSERT(!commands.empty() && commands.size() == calls.m_left);
    if (m_line.hopeless() || m_pending.size() + commands.size() > m_options.pendingLimit) {
        const Error error =
            m_line.hopeless() ? m_line.status().error : errors::tooManyPending(m_options.pendingLimit, m_where);
        for (std::size_t i = 0; i < commands.size(); ++i)
            calls.complete(i, std::unexpected(error));
        return;
    }
    calls.m_queue = this;
    const Nanos deadline = m_runtime.monotonic() + m_options.commandTimeout;
    for (std::size_t i = 0; i < commands.size(); ++i)
        enqueue({std::span(commands[i])}, {++m_lastId, nullptr, deadline, commands[i].front(), {}, &calls, i});
}

void CommandQueue::enqueue(Pieces pieces, Pending&& pending) {
    const bool first = m_pending.empty();
    m_pending.push_back(std::move(pending));
    if (m_line.ready()) {
        ++m_onWire;
        ++m_sentCount;
        m_line.wire().setIdle(first);
        m_line.wire().send(pieces);
    } else {
        appendCommand(m_pending.back().unsent, pieces);
        m_line.start();
    }
    armTimer();
}

void CommandQueue::submitOver(std::uint32_t connection, const Args& args, Call& call) {
    if (connection != 0 && connection != m_line.number())
        call.complete(std::unexpected(errors::connectionGone(args.front(), m_where)));
    else
        submit({std::span<const QByteArray>(args)}, call);
}

void CommandQueue::submitEval(const QByteArray& sha1, const Args& keys, const Args& args, Call& call) {
    const QByteArray count = keys.size() == 1 ? argOf("1") : QByteArray::number(qulonglong(keys.size()));
    const std::array head{argOf("EVALSHA"), sha1, count};
    submit({std::span(head), std::span(keys), std::span(args)}, call);
}

void CommandQueue::onReady() {
    std::erase_if(m_pending, [](const Pending& pending) { return !pending.waitedFor(); });
    for (Pending& pending : m_pending) {
        m_line.wire().sendEncoded(pending.unsent);
        pending.unsent.clear();
    }
    m_onWire = m_pending.size();
    m_sentCount += m_onWire;
    if (std::exchange(m_wasReady, true)) m_reconnects.callSoon(m_runtime);
}

void CommandQueue::onReply(Reply&& reply) {
    if (m_onWire == 0) {
        m_line.giveUp(errors::garbage(QStringLiteral("a reply to nothing"), m_where));
        return;
    }
    Pending answered = std::move(m_pending.front());
    m_pending.pop_front();
    --m_onWire;
    if (!answered.waitedFor()) return;
    if (reply.isError()) {
        answered.complete(std::unexpected(errors::refused(reply.text, m_where)));
        return;
    }
    reply.connection = m_line.number();
    answered.complete(std::move(reply));
}

void CommandQueue::onLost(const Error& error, bool wasReady) {
    // After a try that failed nothing is on the wire, and what waited for the try gets the reason.
    const std::size_t count = wasReady ? m_onWire : m_pending.size();
    m_onWire = 0;
    // A command that was sent may have run, whatever ended the connection.
    const bool maybeRan = wasReady && !error.outcomeUnknown();
    const Error told = maybeRan ? Error{Error::Kind::Disconnected, {}, error.message} : error;
    for (std::size_t i = 0; i < count; ++i) {
        Pending lost = std::move(m_pending.front());
        m_pending.pop_front();
        if (lost.waitedFor()) lost.complete(std::unexpected(told));
    }
    if (m_line.status().state == Status::State::Failed) {
        for (Pending& pending : m_pending)
            if (pending.waitedFor()) pending.complete(std::unexpected(error));
    }
    pruneFront();
}

void CommandQueue::ping() {
    m_line.wire().send({"PING"});
    m_pending.push_back({++m_lastId, nullptr, m_runtime.monotonic() + m_options.commandTimeout, "PING", {}});
    ++m_onWire;
    ++m_sentCount;
}

void CommandQueue::abandon(std::uint64_t id) {
    const auto it = std::lower_bound(m_pending.begin(), m_pending.end(), id,
                                     [](const Pending& pending, std::uint64_t wanted) { return pending.id < wanted; });
    if (it == m_pending.end() || it->id != id) return;
    it->call = nullptr;
    pruneFront();
}

void CommandQueue::abandon(const Calls& calls) {
    for (Pending& pending : m_pending)
        if (pending.calls == &calls) pending.calls = nullptr;
    pruneFront();
}

// Without this, unsent commands that no caller waits for any more would fill the queue while a server is away.
void CommandQueue::pruneFront() {
    while (m_onWire == 0 && !m_pending.empty() && !m_pending.front().waitedFor())
        m_pending.pop_front();
}

void CommandQueue::armTimer() {
    // Armed once per time-out, not once per command: it looks again when it finds the first command answered.
    if (!m_timer.armed()) m_timer.arm(m_pending.front().deadline, [this] { onTime(); });
}

void CommandQueue::onTime() {
    const Nanos now = m_runtime.monotonic();
    Nanos next = kNever;
    for (std::size_t i = 0; i < m_pending.size(); ++i) {
        Pending& pending = m_pending[i];
        if (!pending.waitedFor()) continue;
        if (pending.deadline > now) { // in order of age: all later ones have time left
            next = pending.deadline;
            break;
        }
        Error error = errors::commandTimeout(pending.command, m_options.commandTimeout, m_where);
        if (i >= m_onWire) {
            const Error& last = m_line.status().error;
            error = errors::neverSent(last.message.isEmpty() ? std::nullopt : std::optional(last),
                                      m_options.commandTimeout, m_tls, m_where);
            pending.unsent.clear();
        }
        pending.complete(std::unexpected(std::move(error)));
    }
    pruneFront();
    if (next != kNever) m_timer.arm(next, [this] { onTime(); });
}

} // namespace lockscope::redis
