// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_advisory.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {
constexpr const char* kId = "sql-advisory";

LockError behindPooler(const QByteArray& name) {
    return {LockError::Kind::NotSupported,
            QCoreApplication::translate(
                "LockError", "The lock “%1” would be a connection's, and a pooler that stands in between may hand the "
                             "server's process on to others with every transaction. Connect to the server itself; or "
                             "write pooler=session in the URL if it gives each connection a process of its own.")
                .arg(QString::fromUtf8(name))};
}

Nanos leftUntil(Nanos giveUpAt, Nanos now) {
    return giveUpAt == kNever ? kNever : std::max(Nanos(0), giveUpAt - now);
}
} // namespace

SqlAdvisory::SqlAdvisory(SqlLock lock)
    : m_lock(std::move(lock)), m_mySql(m_lock.tables.dialect == sql::Dialect::MySql) {
    if (m_mySql) return;
    const auto key = advisoryKeyOf(m_lock.name, m_lock.keys);
    Q_ASSERT(key);
    m_key = *key;
}

const RecipeInfo& SqlAdvisory::info() const {
    static const RecipeInfo& info = *findRecipe(kId);
    static const RecipeInfo ofMySql = [] {
        RecipeInfo without = info;
        without.shared = false; // GET_LOCK knows no shared locks
        return without;
    }();
    return m_mySql ? ofMySql : info;
}

QByteArray SqlAdvisory::calling(const char* function) const {
    return QByteArray("SELECT ") + function + '(' + m_key.arguments() + ')';
}

sql::Statement SqlAdvisory::take(Mode mode, Nanos left) const {
    sql::Statement statement;
    if (m_mySql) {
        // Whole seconds, since MySQL rounds; a shorter wait is ended by us. Without a bound: a year.
        const std::int64_t seconds =
            left == kNever ? 31'536'000 : std::chrono::ceil<std::chrono::seconds>(left).count();
        statement.text = QByteArrayLiteral("SELECT GET_LOCK(CONVERT(? USING utf8mb4), ?)");
        statement.values = valuesOf(m_lock.name, seconds);
        statement.waits = false; // not by InnoDB's limit
        return statement;
    }
    // Never in a FROM, where it would be a table that the server writes down and reads again.
    const bool waits = left > Nanos(0);
    const char* const function = mode == Mode::Shared
                                     ? (waits ? "pg_advisory_lock_shared" : "pg_try_advisory_lock_shared")
                                     : (waits ? "pg_advisory_lock" : "pg_try_advisory_lock");
    statement.text = calling(function);
    statement.values = m_key.values();
    return statement;
}

bool SqlAdvisory::taken(const sql::Reply& reply, Nanos left) const {
    // Of PostgreSQL's that wait: a row with a void.
    const bool byRow = !m_mySql && left > Nanos(0);
    return byRow ? !reply.rows.empty() : reply.number() == 1;
}

Outcome<std::optional<Grant>> SqlAdvisory::acquire(Request request, std::stop_token stop) {
    const Nanos giveUpAt = laterBy(m_lock.port.runtime().monotonic(), request.wait);
    if (request.held > 0) return acquireAgain(std::move(request), giveUpAt, std::move(stop));
    return acquireAnew(std::move(request), giveUpAt, std::move(stop));
}

Outcome<std::optional<Grant>> SqlAdvisory::acquireAgain(Request request, Nanos giveUpAt, std::stop_token stop) {
    SessionHolds& holds = m_holds[request.mode];
    if (const auto hold = holds.of(request.thread)) {
        if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
        request.steps.at(1);
        const Nanos askedAt = m_lock.port.runtime().monotonic();
        sql::Statement statement = take(request.mode, Nanos(0)); // ours already: the server counts one more
        // Not to be stopped, which it need not be, since it waits for nobody: what the server had counted by then
        // would be one release too few.
        const std::shared_ptr<sql::Session> session = hold->session;
        const sql::Result locked = co_await session->execute(std::move(statement), 10s, {});
        if (locked && taken(*locked, Nanos(0)) && hold->lives()) {
            request.steps.at(3);
            co_return SessionHolds::again(request, hold, askedAt);
        }
        if (!locked && hold->lives()) co_return std::unexpected(lockError(locked.error()));
        holds.forget(request.thread, hold); // lost, or given up meanwhile
    }
    const auto granted = co_await acquireAnew(request, giveUpAt, stop);
    co_return granted;
}

Outcome<std::optional<Grant>> SqlAdvisory::acquireAnew(Request request, Nanos giveUpAt, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const auto failed = [&request](LockError error) {
        request.steps.at(0);
        return std::unexpected(std::move(error));
    };
    request.steps.at(1);
    std::shared_ptr<sql::Session> session = m_lock.port.idleSession();
    if (session && session->takesNoWrites()) session.reset(); // its server may have become the master since
    if (!session) {
        auto opened = co_await m_lock.port.session(stop);
        if (!opened) co_return failed(lockError(opened.error()));
        session = std::move(*opened).share();
    }
    if (session->pooled()) {
        session->giveBack();
        co_return failed(behindPooler(m_lock.name));
    }
    if (const auto refusal = session->takesNoWrites()) co_return failed(lockError(*refusal));
    const Nanos askedAt = runtime.monotonic();
    const Nanos left = leftUntil(giveUpAt, askedAt);
    sql::Statement statement = take(request.mode, left);
    const Nanos patience = left > Nanos(0) ? left : Nanos(10s);
    if (left > Nanos(0)) request.steps.at(2);
    // Stopped: the connection goes away with this coroutine, and with it whatever it was given at the last moment.
    const sql::Result locked = co_await session->execute(std::move(statement), patience, stop);
    if (locked && taken(*locked, left)) {
        // The answer may have waited for us until the server died, and somebody else have the lock from its successor.
        if (session->broken()) co_return failed(brokeBeforeTaken(m_lock.name));
        request.steps.at(3);
        co_return m_holds[request.mode].enter(request, std::move(session), askedAt);
    }
    const bool timeIsOver = runtime.monotonic() >= giveUpAt || left == Nanos(0);
    const bool exceeded = !locked && locked.error().kind == sql::Error::Kind::WaitExceeded;
    if (locked) session->giveBack();
    if (exceeded) co_await giveBack(session);
    if (timeIsOver && (locked || exceeded)) {
        request.steps.at(0);
        co_return std::nullopt;
    }
    if (!locked) co_return failed(sessionError(locked.error(), m_lock.name));
    // NULL: the server gave up by itself, which it does when somebody ended the request.
    co_return failed(
        LockError{LockError::Kind::Refused,
                  QCoreApplication::translate("LockError", "The server ended the wait for the lock “%1”. Try again.")
                      .arg(QString::fromUtf8(m_lock.name))});
}

QCoro::Task<> SqlAdvisory::giveBack(std::shared_ptr<sql::Session> session) {
    sql::Statement statement;
    statement.text = m_mySql ? "SELECT RELEASE_ALL_LOCKS()" : "SELECT 1 FROM pg_advisory_unlock_all()";
    statement.waits = false;
    const sql::Result done = co_await session->execute(std::move(statement), 10s, {});
    if (done) session->giveBack(); // else it is closed: an old MariaDB does not know the word
}

Outcome<HoldNews> SqlAdvisory::news(Grant grant, std::stop_token stop) {
    return SessionHolds::news(std::move(grant), m_lock.pingEvery, std::move(stop));
}

Outcome<int> SqlAdvisory::release(Grant grant, std::stop_token) {
    const SessionHolds::Shared hold = SessionHolds::holdOf(grant);
    SessionHolds& holds = m_holds[grant.mode];
    if (!hold || !hold->given()) {
        holds.forget(grant.thread, hold);
        co_return std::unexpected(notSqlOwner(m_lock.name));
    }
    grant.steps.at(4);
    sql::Statement statement;
    if (m_mySql) {
        statement.text = QByteArrayLiteral("SELECT RELEASE_LOCK(CONVERT(? USING utf8mb4))");
        statement.values = valuesOf(m_lock.name);
    } else {
        statement.text = calling(grant.mode == Mode::Shared ? "pg_advisory_unlock_shared" : "pg_advisory_unlock");
        statement.values = m_key.values();
    }
    statement.waits = false;
    // Not to be stopped: half of it would be a connection that holds the lock and that nobody has.
    const std::shared_ptr<sql::Session> session = hold->session;
    const sql::Result done = co_await session->execute(std::move(statement), 10s, {});
    if (done ? done->number() != 1 : session->broken()) {
        hold->count = 0;
        hold->session.reset(); // whatever it still held is free with it
        holds.forget(grant.thread, hold);
        grant.steps.at(0);
        co_return std::unexpected(notSqlOwner(m_lock.name));
    }
    if (!done) hold->spoiled = true; // the last release sees to what the server counts
    if (hold->count > 0) --hold->count;
    if (hold->count == 0) {
        grant.steps.at(0);
        holds.forget(grant.thread, hold);
        if (!hold->spoiled) session->giveBack();
        hold->session.reset();
    }
    if (!done) co_return std::unexpected(lockError(done.error()));
    co_return hold->count;
}

Outcome<bool> SqlAdvisory::forceRelease(std::stop_token stop) {
    sql::Statement who;
    if (m_mySql) {
        who.text = "SELECT IS_USED_LOCK(CONVERT(? USING utf8mb4))";
        who.values = valuesOf(m_lock.name);
    } else {
        who.text = "SELECT pg_terminate_backend(pid), pid FROM pg_locks WHERE " + AdvisoryKey::heldRows();
        who.values = m_key.heldValues();
    }
    const sql::Result holder = co_await m_lock.port.execute(who, stop);
    if (!holder) co_return std::unexpected(lockError(holder.error()));
    if (holder->number() == 0) co_return false;
    QByteArrayList ended; // readers are several
    for (std::size_t i = 0; i < holder->rows.size(); ++i)
        ended << holder->text(i, m_mySql ? 0 : 1);
    if (!m_mySql) {
        co_await awaitEndOf(m_lock, ended, stop);
        co_return true;
    }
    sql::Statement kill;
    kill.text = "KILL ?";
    kill.values = valuesOf(holder->number());
    const sql::Result killed = co_await m_lock.port.execute(kill, stop);
    if (!killed && killed.error().code != "1094") co_return std::unexpected(lockError(killed.error()));
    co_await awaitEndOf(m_lock, ended, stop);
    co_return true;
}

Outcome<bool> SqlAdvisory::isLocked(std::stop_token stop) {
    sql::Statement who;
    if (m_mySql) {
        who.text = "SELECT IS_USED_LOCK(CONVERT(? USING utf8mb4))";
        who.values = valuesOf(m_lock.name);
    } else {
        who.text = "SELECT pid FROM pg_locks WHERE " + AdvisoryKey::heldRows() + " LIMIT 1";
        who.values = m_key.heldValues();
    }
    const sql::Result holder = co_await m_lock.port.execute(who, stop);
    if (!holder) co_return std::unexpected(lockError(holder.error()));
    co_return holder->number() != 0;
}

} // namespace lockscope::recipes
