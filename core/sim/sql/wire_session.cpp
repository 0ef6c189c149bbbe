// SPDX-License-Identifier: Apache-2.0
#include "sim/sql/wire_session.h"

#include "ports/sql/errors.h"
#include "runtime/turn.h"

#include <QCoreApplication>

namespace lockscope::sim {

namespace errors = sql::errors;
using sql::Sign;
using ErrorKind = sql::Error::Kind;
using Kind = SqlStatement::Kind;
template <typename T>
using Answer = sql::Answer<T>;

namespace {

/// For the answer to a statement that waits for nobody.
constexpr Nanos kAnswer = 10s;
/// The server's own word for the end of a wait gets this head start.
constexpr Nanos kHeadStart = 100ms;

} // namespace

SqlWireSession::SqlWireSession(std::shared_ptr<SqlPool> pool, SqlPool::Link link)
    : m_pool(std::move(pool)), m_link(std::move(link)), m_heardAt(m_pool->runtime.monotonic()) {
    m_turn.release();
}

SqlWireSession::~SqlWireSession() {
    if (m_link) m_link->breakOff();
}

void SqlWireSession::hear(const SqlPool::Answer& answer) {
    m_heardAt = m_pool->runtime.monotonic();
    if (answer) return;
    const bool gaveUp = m_pool->place.dialect == sql::Dialect::PostgreSql || answer.error().kind == ErrorKind::Deadlock;
    if (m_inTransaction && gaveUp) m_aborted = true;
}

QCoro::Task<SqlPool::Answer> SqlWireSession::ask(SqlStatement statement, SqlLimits limits, std::stop_token stop) {
    if (!m_turn.tryAcquire()) co_await m_turn.acquire(m_pool->runtime, kNever, stop);
    const Turn turn(m_turn);
    m_asking = true;                                           // nobody asks for a sign of life meanwhile
    if (!m_link || m_link->ended() || stop.stop_requested()) { // nothing was sent
        m_asking = false;
        if (statement.ends()) m_inTransaction = false;
        if (m_link && !m_link->ended()) throw Cancelled(Cancelled::Why::Stopped);
        co_return std::unexpected(errors::lost(m_pool->place.where));
    }
    if (statement.ends()) m_inTransaction = false;
    const bool begins = statement.begin;
    if (begins) m_inTransaction = true;
    SqlPool::Answer answer;
    try {
        answer = co_await SqlPool::askOn(m_pool, m_link, std::move(statement), limits, stop);
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Stopped) {
            m_asking = false;
            m_aborted = m_aborted || (m_inTransaction && m_pool->place.dialect == sql::Dialect::PostgreSql);
        }
        throw;
    }
    m_asking = false;
    hear(answer);
    co_return answer;
}

QCoro::Task<SqlPool::Answer> SqlWireSession::execute(SqlStatement statement, Nanos wait, std::stop_token stop) {
    SqlLimits limits{wait, true};
    if (wait != kNever) {
        statement.limit = wait;
        limits.wait = wait + kHeadStart;
    }
    return ask(std::move(statement), limits, std::move(stop));
}

Answer<sql::Row> SqlWireSession::lockRow(QByteArray name, Nanos wait, std::stop_token stop) {
    SqlStatement statement;
    statement.kind = wait > Nanos(0) ? Kind::LockRow : Kind::LockRowNow;
    statement.begin = !m_inTransaction;
    statement.name = name;
    const Nanos patience = wait > Nanos(0) ? wait : kAnswer;
    const auto locked = co_await execute(std::move(statement), patience, std::move(stop));
    if (!locked) co_return std::unexpected(locked.error());
    sql::Row row;
    row.there = !locked->rows.empty();
    if (row.there) row.recipe = locked->rows.front().recipe;
    co_return row;
}

Answer<bool> SqlWireSession::insertRow(sql::RowKey key, std::stop_token stop) {
    SqlStatement statement;
    statement.kind = Kind::MakeFree;
    statement.begin = !m_inTransaction;
    statement.recipe = key.recipe;
    statement.name = key.name;
    const auto made = co_await execute(std::move(statement), kAnswer, std::move(stop));
    if (!made) co_return std::unexpected(made.error());
    co_return made->number == 1;
}

Answer<bool> SqlWireSession::takeNamed(sql::NamedKey key, sql::Sharing sharing, Nanos wait, std::stop_token stop) {
    SqlStatement statement;
    statement.kind = wait > Nanos(0) ? Kind::TakeNamed : Kind::TryNamed;
    statement.key = key;
    statement.sharing = sharing;
    const Nanos giveUpAt = laterBy(m_pool->runtime.monotonic(), wait);
    const Nanos patience = wait > Nanos(0) ? wait : kAnswer;
    const auto taken = co_await execute(std::move(statement), patience, std::move(stop));
    if (taken) {
        const bool byUs = m_pool->runtime.monotonic() >= giveUpAt;
        if (taken->isNull && !byUs)
            co_return std::unexpected(sql::Error{
                ErrorKind::Interrupted,
                {},
                QCoreApplication::translate("LockError", "The server ended the wait for the lock “%1”. Try again.")
                    .arg(QString::fromUtf8(key.name))});
        co_return taken->number == 1;
    }
    // The server may have granted the lock at that instant, and keep it for the connection.
    if (taken.error().kind == ErrorKind::WaitExceeded && wait > Nanos(0)) {
        SqlStatement release;
        release.kind = Kind::ReleaseAllNamed;
        const auto freed = co_await execute(std::move(release), kAnswer);
        if (!freed && m_link) m_link->breakOff();
    }
    co_return std::unexpected(taken.error());
}

Answer<bool> SqlWireSession::releaseNamed(sql::NamedKey key, sql::Sharing sharing) {
    SqlStatement statement;
    statement.kind = Kind::ReleaseNamed;
    statement.key = key;
    statement.sharing = sharing;
    const auto done = co_await execute(std::move(statement), kAnswer);
    if (!done) co_return std::unexpected(done.error());
    co_return done->number == 1;
}

Answer<void> SqlWireSession::end(Kind how) {
    if (!m_inTransaction) co_return {};
    SqlStatement statement;
    statement.kind = how;
    const SqlLimits limits{m_pool->settings.statementTimeout};
    SqlPool::Answer done = co_await ask(std::move(statement), limits, {});
    // A server reports success for the COMMIT of a transaction that it had aborted.
    const bool kept = !std::exchange(m_aborted, false);
    if (done && !kept && how == Kind::Commit) done = std::unexpected(errors::lost(m_pool->place.where));
    if (done) co_return {};
    if (m_link) m_link->breakOff(); // a connection that may hold something serves nobody else
    co_return std::unexpected(done.error());
}

QCoro::Task<Sign> SqlWireSession::nextSign(Nanos every, std::stop_token stop) {
    Runtime& runtime = m_pool->runtime;
    if (broken()) co_return Sign::Broken;
    if (!m_ping) {
        const Nanos rest = laterBy(m_heardAt, std::min(every, sql::kLeftAlone)) - runtime.monotonic();
        if (rest > Nanos(0)) {
            Waiter resting(runtime, rest, stop); // it has just answered
            const auto ended = co_await resting.howEnded();
            if (ended == Waiter::Outcome::Killed) throw Cancelled(Cancelled::Why::Killed);
            if (ended == Waiter::Outcome::Stopped) co_return Sign::Alive;
        }
        if (broken()) co_return Sign::Broken;
        const Completion<bool> heard;
        m_link->tellOfEnd(heard);
        Completion<bool>::Place listening(heard, runtime, std::max(every - sql::kLeftAlone, Nanos(0)), stop);
        const auto ended = co_await listening.howEnded();
        if (ended == Waiter::Outcome::Killed) throw Cancelled(Cancelled::Why::Killed);
        if (ended == Waiter::Outcome::Stopped) co_return Sign::Alive;
        if (broken()) co_return Sign::Broken;
        if (m_asking) co_return Sign::Alive; // a statement is under way: its end will tell
        if (!m_ping) m_ping = m_link->send(SqlStatement());
    }
    const SqlLink::Ticket ping = *m_ping;
    const Nanos silence = m_pool->settings.silence;
    const std::optional<SqlPool::Answer> answer = co_await ping.wait(runtime, silence, std::move(stop));
    if (!answer) co_return broken() ? Sign::Broken : Sign::Silent;
    m_ping.reset();
    hear(*answer);
    co_return broken() ? Sign::Broken : Sign::Alive;
}

std::optional<sql::Error> SqlWireSession::takesNoWrites() const {
    if (!m_link || !m_link->readOnly()) return std::nullopt;
    return errors::takesNoWrites(m_pool->place.where);
}

void SqlWireSession::giveBack() {
    if (m_ping && m_ping->done()) m_ping.reset();
    if (m_link && !m_ping && !m_inTransaction && !m_asking) {
        m_pool->keep(std::move(m_link));
        m_link.reset();
    }
    if (m_link) m_link->breakOff();
    m_link.reset();
}

} // namespace lockscope::sim
