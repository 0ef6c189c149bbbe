// SPDX-License-Identifier: Apache-2.0
// The verbs of a session.
#include "drivers/sql/driver_session.h"
#include "drivers/sql/named_lock.h"

#include <QCoreApplication>

namespace lockscope::sql {

namespace {

/// For the answer to a request that waits for nobody.
constexpr Nanos kAnswer = 10s;

Nanos patienceFor(Nanos wait) {
    return wait > Nanos(0) ? wait : kAnswer;
}

Error waitWasEnded(const QByteArray& name) {
    return {Error::Kind::Interrupted,
            {},
            QCoreApplication::translate("LockError", "The server ended the wait for the lock “%1”. Try again.")
                .arg(QString::fromUtf8(name))};
}

} // namespace

Answer<Row> DriverSession::lockRow(QByteArray name, Nanos wait, std::stop_token stop) {
    if (!m_inTransaction) begin();
    Statement statement{wait > Nanos(0) ? m_pool->statements.lockRow : m_pool->statements.lockRowNow, valuesOf(name)};
    const Result locked = co_await execute(std::move(statement), patienceFor(wait), stop);
    if (!locked) co_return std::unexpected(locked.error());
    Row row;
    row.there = !locked->rows.empty();
    row.recipe = locked->text();
    co_return row;
}

Answer<bool> DriverSession::insertRow(RowKey key, std::stop_token stop) {
    if (!m_inTransaction) begin();
    Statement statement{m_pool->statements.makeFree, valuesOf(key.name, key.recipe)};
    const Result made = co_await execute(std::move(statement), m_pool->options.statementTimeout, stop);
    if (!made) co_return std::unexpected(made.error());
    co_return made->affected == 1;
}

Answer<bool> DriverSession::takeNamed(NamedKey key, Sharing sharing, Nanos wait, std::stop_token stop) {
    const Dialect dialect = m_pool->dialect();
    const Nanos giveUpAt = laterBy(m_pool->runtime.monotonic(), wait);
    const Result locked = co_await execute(sql::takeNamed(dialect, key, sharing, wait), patienceFor(wait), stop);
    if (locked) {
        const std::optional<bool> taken = namedTaken(dialect, wait, *locked);
        const bool byUs = m_pool->runtime.monotonic() >= giveUpAt;
        if (!taken && !byUs) co_return std::unexpected(waitWasEnded(key.name));
        co_return taken.value_or(false);
    }
    // If the server grants the lock at that instant, it reports a time-out but keeps the lock for the connection:
    // PostgreSQL undoes only what a transaction took.
    if (locked.error().kind == Error::Kind::WaitExceeded && wait > Nanos(0)) {
        const Result freed = co_await execute(releaseAllNamed(dialect), kAnswer, {});
        if (!freed && m_link) m_link->dead = true; // an old MariaDB does not know the word
    }
    co_return std::unexpected(locked.error());
}

Answer<bool> DriverSession::releaseNamed(NamedKey key, Sharing sharing) {
    const Result done = co_await execute(sql::releaseNamed(m_pool->dialect(), key, sharing), kAnswer, {});
    if (!done) co_return std::unexpected(done.error());
    co_return done->number() == 1;
}

Answer<void> DriverSession::commit() {
    return success(end("COMMIT"));
}

Answer<void> DriverSession::rollback() {
    return success(end("ROLLBACK"));
}

} // namespace lockscope::sql
