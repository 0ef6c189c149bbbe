// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/driver_session.h"

#include "ports/sql/errors.h"
#include "runtime/completion.h"
#include "runtime/turn.h"

#include <QSocketNotifier>

namespace lockscope::sql {

DriverSession::DriverSession(std::shared_ptr<Pool> pool, std::shared_ptr<Link> link)
    : m_pool(std::move(pool)), m_link(std::move(link)) {
    m_turn.release();
}

DriverSession::~DriverSession() {
    m_notifier.reset();
    // Still asked for something: its thread would only end after the answer.
    if (m_link && (m_ping || m_asking)) m_link->breakOff();
}

QCoro::Task<> DriverSession::settlePing() {
    if (!m_ping) co_return;
    const std::shared_ptr<Ticket> ping = std::exchange(m_ping, nullptr);
    const std::shared_ptr<Link> link = m_link; // it may be given back while we wait
    const bool arrived = co_await Pool::arrival(m_pool, ping, m_pool->options.statementTimeout, {});
    if (!arrived) {
        if (link) link->breakOff();
        co_return;
    }
    hear(m_pool->take(*ping));
}

/// Notes from an answer whether the connection is dead or the transaction is over. PostgreSQL aborts a transaction when
/// any of its statements fails, and frees its locks at once. The other databases do so only with the transaction that
/// they chose to end a deadlock.
void DriverSession::hear(const Result& result) {
    m_heardAt = m_pool->runtime.monotonic();
    if (result) return;
    if (m_link && result.error().connectionLost()) m_link->dead = true;
    const bool gaveUp = m_pool->dialect() == Dialect::PostgreSql || result.error().kind == Error::Kind::Deadlock;
    if (m_inTransaction && gaveUp) m_aborted = true;
}

QCoro::Task<Result> DriverSession::ask(Command command, Limits limits, std::stop_token stop) {
    if (!m_turn.tryAcquire()) co_await m_turn.acquire(m_pool->runtime, kNever, stop);
    const Turn turn(m_turn);
    m_notifier.reset(); // what is read from now on is the answer
    m_asking = true;    // nobody asks for a sign of life meanwhile; stays so when we are killed here
    if (m_ping) co_await settlePing();
    if (!m_link || stop.stop_requested()) { // nothing was sent
        m_asking = false;
        if (m_link) throw Cancelled(Cancelled::Why::Stopped);
        co_return std::unexpected(errors::lost(m_pool->where()));
    }
    if (command.ends) m_inTransaction = false;
    if (m_link->dead) {
        m_asking = false;
        co_return std::unexpected(errors::lost(m_pool->where()));
    }
    Pool::Question question(m_pool, m_link, std::move(command), limits, stop);
    const auto ended = co_await question.ended();
    Result result;
    if (question.answered(ended)) {
        result = question.answer();
    } else {
        try {
            result = co_await question.inVain(ended);
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Stopped) {
                m_asking = false;
                m_aborted = m_aborted || (m_inTransaction && m_pool->dialect() == Dialect::PostgreSql);
            }
            throw;
        }
    }
    m_asking = false;
    hear(result);
    co_return result;
}

QCoro::Task<Result> DriverSession::execute(Statement statement, Nanos wait, std::stop_token stop) {
    Command command;
    if (statement.waits) command.lockWaitMs = -1;
    command.statement = std::move(statement);
    command.begin = std::exchange(m_begin, false);
    if (command.begin) m_inTransaction = true;
    Limits limits;
    limits.forLock = true;
    limits.wait = wait;
    if (wait != kNever) {
        if (command.lockWaitMs) command.lockWaitMs = std::chrono::ceil<std::chrono::milliseconds>(wait).count();
        // The server that counts milliseconds itself gets a head start: its own word is worth a connection less.
        if (m_pool->dialect() == Dialect::PostgreSql) limits.wait = wait + 100ms;
    }
    return ask(std::move(command), limits, std::move(stop));
}

QCoro::Task<Result> DriverSession::end(QByteArray word) {
    m_begin = false;
    if (!m_inTransaction) co_return Reply();
    Command command;
    command.statement.text = word;
    command.ends = true;
    Limits limits;
    limits.wait = m_pool->options.statementTimeout;
    Result result = co_await ask(std::move(command), limits, {});
    // A server reports success for the COMMIT of a transaction that it had aborted; a caller that wanted it kept has
    // lost it.
    const bool kept = !std::exchange(m_aborted, false);
    if (result && !kept && word == "COMMIT") result = std::unexpected(errors::lost(m_pool->where()));
    // SQLite says so when it was too busy to begin one.
    if (!result && result.error().message.contains(QLatin1String("no transaction is active"))) co_return Reply();
    if (!result && m_link)
        m_link->dead = true; // whatever it was, a connection that may hold something serves nobody else
    co_return result;
}

QCoro::Task<Sign> DriverSession::nextSign(Nanos every, std::stop_token stop) {
    if (knownBroken()) co_return Sign::Broken; // who has just got the lock has looked at the connection
    if (!m_ping) {
        // Also one that shows something unexpected is left alone for a moment. Holds are many, and most end while this
        // waits: no exception at the end of each of them.
        const Nanos rest = laterBy(m_heardAt, std::min(every, kLeftAlone)) - m_pool->runtime.monotonic();
        if (rest > Nanos(0)) {
            Waiter resting(m_pool->runtime, rest, stop);
            const auto ended = co_await resting.howEnded();
            if (ended == Waiter::Outcome::Stopped) co_return Sign::Alive;
        }
        if (broken()) co_return Sign::Broken;
        const Completion<bool> heard;
        if (const int socket = m_link->socket(); socket >= 0 && !m_asking) {
            m_notifier = std::make_unique<QSocketNotifier>(socket, QSocketNotifier::Read);
            QObject::connect(m_notifier.get(), &QSocketNotifier::activated, m_notifier.get(),
                             [heard, watching = m_notifier.get()] {
                                 watching->setEnabled(false);
                                 heard.complete(true);
                             });
        }
        Completion<bool>::Place listening(heard, m_pool->runtime, std::max(every - kLeftAlone, Nanos(0)), stop);
        const auto ended = co_await listening.howEnded();
        if (ended == Waiter::Outcome::Killed) throw Cancelled(Cancelled::Why::Killed);
        m_notifier.reset();
        if (ended == Waiter::Outcome::Stopped) co_return Sign::Alive;
        if (broken()) co_return Sign::Broken;
        if (m_asking) co_return Sign::Alive; // a statement is under way: its end will tell
        if (!m_ping) {
            Command ping;
            ping.statement.text = "SELECT 1";
            m_ping = m_pool->send(*m_link, ping);
        }
    }
    const std::shared_ptr<Ticket> ping = m_ping;
    const bool arrived = co_await Pool::arrival(m_pool, ping, m_pool->options.silence, stop);
    if (m_ping != ping) co_return broken() ? Sign::Broken : Sign::Alive; // a statement came between and took it
    if (!arrived) co_return Sign::Silent;
    m_ping.reset();
    hear(m_pool->take(*ping));
    co_return broken() ? Sign::Broken : Sign::Alive;
}

std::optional<Error> DriverSession::takesNoWrites() const {
    if (!m_link || !m_link->readOnly) return std::nullopt;
    return errors::takesNoWrites(m_pool->where());
}

void DriverSession::giveBack() {
    m_notifier.reset();
    if (m_link && !m_ping && !m_inTransaction && !m_asking) m_pool->keep(std::move(m_link));
    m_link.reset();
}

} // namespace lockscope::sql
