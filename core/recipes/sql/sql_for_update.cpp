// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_for_update.h"

namespace lockscope::recipes {

namespace {
constexpr const char* kId = "sql-for-update";
/// Of pg_locks l and the lock's row t: the row names the transaction that locked it, and one that still runs holds its
/// own number.
constexpr const char* kLockerOnPostgreSql = "l.locktype = 'transactionid' AND l.granted AND l.mode = 'ExclusiveLock' "
                                            "AND l.transactionid::text = t.xmax::text";
/// InnoDB's tables of who waits for whom tell what was, until nobody has read them for a tenth of a second.
constexpr auto kTableRests = 120ms;

Nanos leftUntil(Nanos giveUpAt, Nanos now) {
    return giveUpAt == kNever ? kNever : std::max(Nanos(0), giveUpAt - now);
}
} // namespace

const RecipeInfo& SqlForUpdate::info() const {
    static const RecipeInfo& info = *findRecipe(kId);
    return info;
}

sql::Statement SqlForUpdate::selectRow(bool wait) const {
    QByteArray text = wait ? QByteArrayLiteral("SELECT recipe FROM {t} WHERE name = ? FOR UPDATE")
                           : QByteArrayLiteral("SELECT recipe FROM {t} WHERE name = ? FOR UPDATE NOWAIT");
    return statementOf(m_lock, kId, std::move(text), valuesOf(m_lock.name));
}

Outcome<std::optional<Grant>> SqlForUpdate::acquire(Request request, std::stop_token stop) {
    const Nanos giveUpAt = laterBy(m_lock.port.runtime().monotonic(), request.wait);
    if (request.held > 0) return acquireAgain(std::move(request), giveUpAt, std::move(stop));
    return acquireAnew(std::move(request), giveUpAt, std::move(stop));
}

Outcome<std::optional<Grant>> SqlForUpdate::acquireAgain(Request request, Nanos giveUpAt, std::stop_token stop) {
    // Locked again in the same transaction: it costs nothing there, and shows that the connection still holds it.
    if (const auto hold = m_holds.of(request.thread)) {
        if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
        request.steps.at(2);
        const Nanos askedAt = m_lock.port.runtime().monotonic();
        sql::Statement statement = selectRow(false);
        // Not to be stopped, which it need not be, since it waits for nobody: PostgreSQL ends the transaction with
        // the statement, and with it the hold that there is.
        const std::shared_ptr<sql::Session> session = hold->session;
        const sql::Result locked = co_await session->execute(std::move(statement), 10s, {});
        if (locked && hold->lives()) {
            request.steps.at(4);
            co_return SessionHolds::again(request, hold, askedAt);
        }
        if (!locked && hold->lives()) co_return std::unexpected(lockError(locked.error()));
        m_holds.forget(request.thread, hold); // lost, or given up meanwhile
    }
    const auto granted = co_await acquireAnew(request, giveUpAt, stop);
    co_return granted;
}

Outcome<std::optional<Grant>> SqlForUpdate::acquireAnew(Request request, Nanos giveUpAt, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const auto failed = [&request](LockError error) {
        request.steps.at(0);
        return std::unexpected(std::move(error));
    };
    std::shared_ptr<sql::Session> session = m_lock.port.idleSession();
    if (session && session->takesNoWrites()) session.reset(); // its server may have become the master since
    if (!session) {
        auto opened = co_await m_lock.port.session(stop);
        if (!opened) co_return failed(lockError(opened.error()));
        session = std::move(*opened).share();
    }
    // MariaDB's replicas lock rows, too.
    if (const auto refusal = session->takesNoWrites()) co_return failed(lockError(*refusal));
    for (;;) {
        request.steps.at(2);
        const Nanos askedAt = runtime.monotonic();
        const Nanos left = leftUntil(giveUpAt, askedAt);
        sql::Statement statement = selectRow(left > Nanos(0));
        const Nanos patience = left > Nanos(0) ? left : Nanos(10s); // of one that does not wait: for the answer
        session->begin();
        if (left > Nanos(0)) request.steps.at(3);
        sql::Result locked;
        bool stopped = false;
        try {
            locked = co_await session->execute(std::move(statement), patience, stop);
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Killed) throw;
            stopped = true;
        }
        if (!stopped && locked && !locked->rows.empty() && locked->text() == kId) {
            // The answer may have waited for us until the server died.
            if (session->broken()) co_return failed(brokeBeforeTaken(m_lock.name));
            request.steps.at(4);
            co_return m_holds.enter(request, std::move(session), askedAt);
        }
        // Not taken, or not ours to take: nothing may stay locked.
        const sql::Result undone = co_await session->rollback();
        const bool again = !stopped && locked && locked->rows.empty() && undone.has_value();
        if (!again) session->giveBack();
        if (stopped) {
            request.steps.at(0);
            throw Cancelled(Cancelled::Why::Stopped);
        }
        if (!locked) {
            const bool timeIsOver = runtime.monotonic() >= giveUpAt || left == Nanos(0);
            if (locked.error().kind == sql::Error::Kind::WaitExceeded && timeIsOver) {
                request.steps.at(0);
                co_return std::nullopt;
            }
            co_return failed(sessionError(locked.error(), m_lock.name));
        }
        if (!locked->rows.empty()) co_return failed(foreignRow(m_lock.name, locked->text()));
        if (!undone) co_return failed(sessionError(undone.error(), m_lock.name));
        request.steps.at(1);
        const auto made = co_await makeRow(m_lock, kId, giveUpAt, stop);
        if (!made) co_return failed(made.error());
        if (*made) continue;
        session->giveBack(); // somebody has locked the table
        request.steps.at(0);
        co_return std::nullopt;
    }
}

Outcome<HoldNews> SqlForUpdate::news(Grant grant, std::stop_token stop) {
    return SessionHolds::news(std::move(grant), m_lock.pingEvery, std::move(stop));
}

Outcome<int> SqlForUpdate::release(Grant grant, std::stop_token) {
    const SessionHolds::Shared hold = SessionHolds::holdOf(grant);
    // The last one asks the server.
    if (!hold || !hold->given() || (hold->count > 1 && !hold->lives())) {
        m_holds.forget(grant.thread, hold);
        co_return std::unexpected(notSqlOwner(m_lock.name));
    }
    if (--hold->count > 0) co_return hold->count;
    grant.steps.at(5);
    m_holds.forget(grant.thread, hold);
    const std::shared_ptr<sql::Session> session = std::move(hold->session);
    // Not to be stopped: half of it would be a connection that holds the lock and that nobody has.
    const sql::Result done = co_await session->commit();
    grant.steps.at(0);
    if (!done) {
        // The connection is closed now, by us if by nobody else, and frees the lock; was it still ours before?
        if (done.error().outcomeUnknown()) co_return std::unexpected(notSqlOwner(m_lock.name));
        co_return std::unexpected(lockError(done.error()));
    }
    session->giveBack();
    co_return 0;
}

/// The server's number of the connection that holds the row, 0 = none. InnoDB tells who stands in whose way, so
/// somebody has to stand there: ourselves, on a connection and in a transaction of its own, rolled back afterwards.
Outcome<std::int64_t> SqlForUpdate::holderOfMySql(std::stop_token stop) {
    auto opened = co_await m_lock.port.session(stop);
    if (!opened) co_return std::unexpected(lockError(opened.error()));
    const std::shared_ptr<sql::Session> session = std::move(*opened).share();
    sql::Statement whoAmI;
    whoAmI.text = "SELECT CONNECTION_ID()";
    const sql::Result own = co_await session->execute(whoAmI, 10s, stop);
    if (!own) co_return std::unexpected(lockError(own.error()));
    const std::int64_t me = own->number();
    session->begin();
    const sql::Statement waitInQueue = selectRow(true);
    const QCoro::Task<sql::Result> waiting = session->execute(waitInQueue, 2s, {});
    sql::Statement who;
    // MariaDB, MySQL before 8; there the queue counts too, so only those that run: the holder.
    who.text = "SELECT b.trx_mysql_thread_id FROM information_schema.INNODB_LOCK_WAITS w "
               "JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id "
               "JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id "
               "WHERE r.trx_mysql_thread_id = ? AND b.trx_state <> 'LOCK WAIT'";
    who.values = valuesOf(me);
    sql::Statement whoIn8;
    whoIn8.text = "SELECT blocking_pid FROM sys.innodb_lock_waits WHERE waiting_pid = ?";
    whoIn8.values = valuesOf(me);
    std::int64_t holder = 0;
    std::optional<LockError> refused;
    const Nanos until = m_lock.port.runtime().monotonic() + 1500ms;
    while (holder == 0 && !refused && !waiting.isReady() && m_lock.port.runtime().monotonic() < until) {
        co_await m_lock.port.runtime().sleep(kTableRests);
        if (waiting.isReady()) break; // nobody holds it: what the tables say is of before, perhaps of this connection's
        sql::Result seen = co_await m_lock.port.execute(who);
        if (!seen && seen.error().code == "1109") seen = co_await m_lock.port.execute(whoIn8);
        if (!seen) refused = lockError(seen.error());
        if (seen && !waiting.isReady()) holder = seen->number();
    }
    if (holder != 0) {
        sql::Statement kill;
        kill.text = "KILL ?";
        kill.values = valuesOf(holder);
        const sql::Result killed = co_await m_lock.port.execute(kill);
        if (!killed && killed.error().code != "1094") refused = lockError(killed.error()); // 1094: it is gone already
    }
    const sql::Result waited = co_await waiting;
    (void)co_await session->rollback();
    session->giveBack();
    const bool held = !waited && waited.error().kind == sql::Error::Kind::WaitExceeded;
    if (holder == 0 && !refused && held) refused = holderUntold(m_lock.name);
    if (refused) co_return std::unexpected(*refused);
    co_return holder;
}

Outcome<bool> SqlForUpdate::forceRelease(std::stop_token stop) {
    if (m_lock.tables.dialect == sql::Dialect::MySql) {
        const auto holder = co_await holderOfMySql(stop);
        if (!holder) co_return std::unexpected(holder.error());
        co_return *holder != 0;
    }
    const QByteArray text = "SELECT pg_terminate_backend(l.pid), l.pid FROM {t} t JOIN pg_locks l ON " +
                            QByteArray(kLockerOnPostgreSql) + " WHERE t.name = ?";
    const sql::Result done = co_await m_lock.port.execute(statementOf(m_lock, kId, text, valuesOf(m_lock.name)), stop);
    if (!done) co_return std::unexpected(lockError(done.error()));
    if (done->number() != 1) co_return false;
    QByteArrayList ended;
    ended << done->text(0, 1);
    co_await awaitEndOf(m_lock, ended, stop);
    co_return true;
}

/// Outside of a transaction, so that what it locks is free again before the answer is on its way.
Outcome<bool> SqlForUpdate::isLockedOnMySql(std::stop_token stop) {
    const sql::Result row = co_await m_lock.port.execute(selectRow(false), stop);
    if (!row && row.error().kind == sql::Error::Kind::WaitExceeded) co_return true;
    if (!row) co_return std::unexpected(lockError(row.error()));
    if (!row->rows.empty() && row->text() != kId) co_return std::unexpected(foreignRow(m_lock.name, row->text()));
    co_return false;
}

Outcome<bool> SqlForUpdate::isLocked(std::stop_token stop) {
    if (m_lock.tables.dialect == sql::Dialect::MySql) co_return co_await isLockedOnMySql(std::move(stop));
    const QByteArray text = "SELECT t.recipe, l.pid FROM {t} t LEFT JOIN pg_locks l ON " +
                            QByteArray(kLockerOnPostgreSql) + " WHERE t.name = ?";
    const sql::Result row = co_await m_lock.port.execute(statementOf(m_lock, kId, text, valuesOf(m_lock.name)), stop);
    if (!row) co_return std::unexpected(lockError(row.error()));
    if (row->rows.empty()) co_return false;
    if (row->text() != kId) co_return std::unexpected(foreignRow(m_lock.name, row->text()));
    co_return !row->isNull(0, 1);
}

} // namespace lockscope::recipes
