// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_lease.h"

#include "recipes/polling_rests.h"
#include "recipes/sql/sql_renewals.h"

namespace lockscope::recipes {

namespace {
constexpr const char* kId = "sql-lease";
}

const RecipeInfo& SqlLease::info() const {
    static const RecipeInfo& info = *findRecipe(kId);
    return info;
}

/// The version that we hold the row at, 0 when it is another's or not there.
Outcome<std::int64_t> SqlLease::take(QByteArray owner, Nanos lease, Nanos patience, std::stop_token stop) {
    // One statement, so that nothing can come between the look and the change; MySQL hands the new version over with
    // the answer to LAST_INSERT_ID(…), the others by RETURNING.
    const bool mySql = m_lock.tables.dialect == sql::Dialect::MySql;
    QByteArray text =
        mySql ? QByteArrayLiteral("UPDATE {t} SET owner = ?, version = LAST_INSERT_ID(version + 1), "
                                  "acquired_at = {now}, expires_at = {in} WHERE name = ? AND recipe = {recipe} AND "
                                  "(owner IS NULL OR expires_at <= {now})")
              : QByteArrayLiteral("UPDATE {t} SET owner = ?, version = version + 1, acquired_at = {now}, "
                                  "expires_at = {in} WHERE name = ? AND recipe = {recipe} AND "
                                  "(owner IS NULL OR expires_at <= {now}) RETURNING version");
    const sql::Result done = co_await m_lock.port.execute(
        statementOf(m_lock, kId, text, valuesOf(owner, leaseMs(lease), m_lock.name)), stop, patience);
    if (!done) co_return std::unexpected(lockError(done.error()));
    if (!mySql) co_return done->number();
    if (done->affected != 1 || done->insertId != 0) co_return done->affected == 1 ? done->insertId : 0;
    // MariaDB forgets the number when the table has a trigger.
    const auto version = co_await readVersion(owner, stop);
    co_return version;
}

/// Of a row that is ours by now, so that nobody changes it meanwhile.
Outcome<std::int64_t> SqlLease::readVersion(QByteArray owner, std::stop_token stop) {
    sql::Result read;
    try {
        read = co_await m_lock.port.execute(statementOf(m_lock, kId,
                                                        "SELECT version FROM {t} WHERE name = ? AND owner = ?",
                                                        valuesOf(m_lock.name, owner)),
                                            stop);
    } catch (const sql::NothingRan&) {
        throw Cancelled(Cancelled::Why::Stopped); // the UPDATE before it did run
    }
    if (!read) co_return std::unexpected(LockError{LockError::Kind::OutcomeUnknown, read.error().message});
    co_return read->number();
}

Outcome<SqlLease::Seen> SqlLease::look(Nanos patience, std::stop_token stop) {
    const sql::Result done = co_await m_lock.port.execute(
        statementOf(m_lock, kId, "SELECT recipe, owner, {left} FROM {t} WHERE name = ?", valuesOf(m_lock.name)), stop,
        patience);
    if (!done) co_return std::unexpected(lockError(done.error()));
    Seen seen;
    if (done->rows.empty()) co_return seen;
    if (done->text() != kId) co_return std::unexpected(foreignRow(m_lock.name, done->text()));
    seen.there = true;
    if (!done->isNull(0, 1)) seen.left = std::chrono::milliseconds(done->number(0, 2));
    co_return seen;
}

Outcome<bool> SqlLease::extend(QByteArray owner, Nanos lease, std::optional<Nanos> patience, std::stop_token stop) {
    const sql::Result done = co_await m_lock.port.execute(
        statementOf(m_lock, kId, "UPDATE {t} SET expires_at = {in} WHERE name = ? AND owner = ? AND expires_at > {now}",
                    valuesOf(leaseMs(lease), m_lock.name, owner)),
        stop, patience);
    if (!done) co_return std::unexpected(lockError(done.error()));
    co_return done->affected == 1;
}

QCoro::Task<sql::Result> SqlLease::letGo(const QByteArray& owner, std::stop_token stop) {
    return m_lock.port.execute(statementOf(m_lock, kId,
                                           QByteArrayLiteral("UPDATE {t} SET owner = NULL, expires_at = {now} "
                                                             "WHERE name = ? AND owner = ? AND expires_at > {now}"),
                                           valuesOf(m_lock.name, owner)),
                               std::move(stop));
}

QCoro::Task<sql::Result> SqlLease::undo(const QByteArray& owner, std::stop_token stop, std::optional<Nanos> patience) {
    return m_lock.port.execute(
        statementOf(m_lock, kId, "UPDATE {t} SET owner = NULL, expires_at = {now} WHERE name = ? AND owner = ?",
                    valuesOf(m_lock.name, owner)),
        std::move(stop), patience);
}

QCoro::Task<bool> SqlLease::withdraw(QByteArray owner, bool stopped) {
    // Whatever became of our UPDATE: if it ran, undo it.
    return awaitWithdrawal(m_lock.port.runtime(), undo(owner, {}, std::nullopt), stopped);
}

QCoro::Task<> SqlLease::undoLeftBehind(Nanos giveUpAt, std::stop_token stop) {
    return m_leftBehind.undoWith(m_lock.port.runtime(), [this, giveUpAt, stop](QByteArray old) -> QCoro::Task<bool> {
        const sql::Result undone = co_await undo(old, stop, patienceUntil(m_lock, giveUpAt));
        co_return undone.has_value();
    });
}

Outcome<std::optional<Grant>> SqlLease::acquire(Request request, std::stop_token stop) {
    const Nanos giveUpAt = laterBy(m_lock.port.runtime().monotonic(), request.wait);
    if (request.held > 0) return acquireAgain(std::move(request), giveUpAt, std::move(stop));
    return acquireAnew(std::move(request), giveUpAt, std::move(stop));
}

Outcome<std::optional<Grant>> SqlLease::acquireAgain(Request request, Nanos giveUpAt, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    for (;;) {
        const auto held = m_mine.find(request.thread);
        if (held == m_mine.end()) break;
        request.steps.at(1);
        const Mine mine = held->second;
        const Nanos askedAt = runtime.monotonic();
        const Nanos patience = patienceUntil(m_lock, giveUpAt, request.lease);
        const auto extended = co_await extend(mine.owner, request.lease, patience, stop);
        if (!extended && !keptOut(extended.error())) co_return std::unexpected(extended.error());
        if (!extended) {
            const bool again = co_await napUntil(m_lock, giveUpAt, stop);
            if (again) continue;
            request.steps.at(0);
            co_return std::nullopt;
        }
        const auto present = m_mine.find(request.thread);
        if (present != m_mine.end() && present->second.owner == mine.owner) { // else it was given up meanwhile
            if (*extended) {
                request.steps.at(3);
                co_return Grant{request.thread,          mine.owner,   askedAt,      request.lease,
                                ++present->second.holds, mine.version, request.steps};
            }
            m_mine.erase(present);
        }
        break;
    }
    const auto granted = co_await acquireAnew(request, giveUpAt, stop);
    co_return granted;
}

Outcome<std::optional<Grant>> SqlLease::acquireAnew(Request request, Nanos giveUpAt, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    if (request.held == 0) m_mine.erase(request.thread);
    const QByteArray owner = ownerOf(m_lock, request.thread);
    PollingRests rests(m_lock.pollHigh);
    for (;;) {
        request.steps.at(1);
        if (!m_leftBehind.empty()) co_await undoLeftBehind(giveUpAt, stop);
        const Nanos askedAt = runtime.monotonic();
        std::expected<std::int64_t, LockError> version = 0;
        bool stopped = false;
        try {
            version = co_await take(owner, request.lease, patienceUntil(m_lock, giveUpAt, request.lease), stop);
        } catch (const sql::NothingRan&) {
            request.steps.at(0);
            throw;
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Killed) throw;
            stopped = true;
        }
        if (stopped || (!version && version.error().kind == LockError::Kind::OutcomeUnknown)) {
            const bool undone = co_await withdraw(owner, stopped);
            if (!undone) m_leftBehind.note(owner, laterBy(runtime.monotonic(), request.lease));
            request.steps.at(0);
            if (stopped) throw Cancelled(Cancelled::Why::Stopped);
        }
        if (!version && !keptOut(version.error())) co_return std::unexpected(version.error());
        if (version && *version > 0) {
            m_mine[request.thread] = {owner, *version, 1};
            request.steps.at(3);
            co_return Grant{request.thread, owner, askedAt, request.lease, 1, *version, request.steps};
        }

        const auto seen = co_await look(patienceUntil(m_lock, giveUpAt), stop);
        if (!seen && !keptOut(seen.error())) co_return std::unexpected(seen.error());
        if (seen && !seen->there) {
            const auto made = co_await makeRow(m_lock, kId, giveUpAt, stop);
            if (!made) co_return std::unexpected(made.error());
            if (*made && m_lock.renewals) m_lock.renewals->tidy(); // one more row: are there some too many?
            if (*made) continue;
        }
        if (runtime.monotonic() >= giveUpAt) {
            request.steps.at(0);
            co_return std::nullopt;
        }
        request.steps.at(2);
        const Nanos nap = napWithin(runtime, rests.next(runtime), giveUpAt, seen ? seen->left : kNever);
        co_await runtime.sleep(nap, stop);
    }
}

Outcome<bool> SqlLease::renew(Grant grant, std::stop_token stop) {
    if (m_lock.renewals) {
        const auto together = co_await m_lock.renewals->renew(m_lock.name, grant.value, grant.lease, stop);
        // A database that was started again with nothing in it: whoever makes the table makes a free row.
        if (!together && together.error().kind == LockError::Kind::NotPrepared) co_return false;
        co_return together;
    }
    const auto extended = co_await extend(grant.value, grant.lease, std::nullopt, stop);
    if (!extended && extended.error().kind == LockError::Kind::NotPrepared) co_return false;
    co_return extended;
}

Outcome<void> SqlLease::listen(Grant, CallList::Callback ask, std::stop_token stop) {
    const std::expected<void, LockError> ended = co_await m_lock.renewals->listen(std::move(ask), std::move(stop));
    co_return ended;
}

Outcome<int> SqlLease::release(Grant grant, std::stop_token stop) {
    const auto mine = m_mine.find(grant.thread);
    if (mine != m_mine.end() && mine->second.owner == grant.value && mine->second.holds > 1)
        co_return --mine->second.holds;
    grant.steps.at(4);
    abandoned(grant);
    sql::Result done = co_await letGo(grant.value, stop);
    bool unheard = false;
    if (!done && done.error().outcomeUnknown()) {
        // It does no harm twice; the second one's answer stands for both: not ours any more is what was wanted.
        sql::Result again = co_await letGo(grant.value, stop);
        unheard = again.has_value();
        if (again) done = std::move(again);
    }
    grant.steps.at(0);
    if (!done) co_return std::unexpected(lockError(done.error()));
    if (done->affected != 1 && !unheard) co_return std::unexpected(notSqlOwner(m_lock.name));
    co_return 0;
}

Outcome<bool> SqlLease::forceRelease(std::stop_token stop) {
    const sql::Result done = co_await m_lock.port.execute(
        statementOf(m_lock, kId,
                    "UPDATE {t} SET owner = NULL, expires_at = {now} "
                    "WHERE name = ? AND recipe = {recipe} AND owner IS NOT NULL AND expires_at > {now}",
                    valuesOf(m_lock.name)),
        stop);
    if (!done) co_return std::unexpected(lockError(done.error()));
    co_return done->affected > 0;
}

Outcome<bool> SqlLease::isLocked(std::stop_token stop) {
    const auto seen = co_await look(kNever, std::move(stop));
    if (!seen) co_return std::unexpected(seen.error());
    co_return seen->left > Nanos(0);
}

Outcome<std::vector<HolderInfo>> SqlLease::holders(std::stop_token stop) {
    const sql::Result done = co_await m_lock.port.execute(
        statementOf(m_lock, kId, "SELECT recipe, owner, {left}, version FROM {t} WHERE name = ?",
                    valuesOf(m_lock.name)),
        std::move(stop));
    if (!done) co_return std::unexpected(lockError(done.error()));
    if (done->rows.empty()) co_return std::vector<HolderInfo>();
    if (done->text() != kId) co_return std::unexpected(foreignRow(m_lock.name, done->text()));
    if (done->isNull(0, 1) || done->number(0, 2) <= 0) co_return std::vector<HolderInfo>();
    // <client>:<thread>:<what makes it another one each time>
    const QByteArray owner = done->text(0, 1);
    HolderInfo holder = HolderInfo::of(owner.first(std::max<qsizetype>(owner.lastIndexOf(':'), 0)));
    holder.left = std::chrono::milliseconds(done->number(0, 2));
    holder.token = done->number(0, 3);
    co_return std::vector{holder};
}

void SqlLease::abandoned(const Grant& grant) {
    const auto mine = m_mine.find(grant.thread);
    if (mine != m_mine.end() && mine->second.owner == grant.value) m_mine.erase(mine);
}

} // namespace lockscope::recipes
