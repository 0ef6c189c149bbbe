// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/backoff.h"
#include "recipes/sql/sql_session_holds.h"

namespace lockscope::recipes {

/// `sql-for-update`: a transaction that has locked the lock's row holds the lock; its end frees it. Waiters stand in
/// the server's own queue. Each hold has a connection of its own, and lives as long as that does: news() tells.
///
/// The row is found by the primary key, so that nothing else is locked with it. A wait without a bound ends as the
/// server says (InnoDB: 50 s): Kind::WaitExceeded. Two holds of one client are two transactions to the server: it sees
/// no cycle through one client, only those inside its own transactions (Kind::Deadlock).
/// Source: the seeds' “lock by SELECT … FOR UPDATE”.
class SqlForUpdate final : public Recipe {
public:
    explicit SqlForUpdate(SqlLock lock) : m_lock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    bool asksAgain(const LockError& error) const override { return passes(error); }
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<HoldNews> news(Grant grant, std::stop_token stop) override;
    Nanos newsRest() const override { return sql::kLeftAlone; }
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    /// Ends the connection of whoever holds it. MySQL, MariaDB: needs the PROCESS privilege, and looks at the server's
    /// queue from inside it, for at most some seconds.
    Outcome<bool> forceRelease(std::stop_token stop) override;
    /// MySQL, MariaDB: tells by locking the row, for no longer than that statement takes; a try of somebody else's that
    /// comes just then is told that it is taken.
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    sql::Statement selectRow(bool wait) const;
    Outcome<std::optional<Grant>> acquireAgain(Request request, Nanos giveUpAt, std::stop_token stop);
    Outcome<std::optional<Grant>> acquireAnew(Request request, Nanos giveUpAt, std::stop_token stop);
    Outcome<std::int64_t> holderOfMySql(std::stop_token stop);
    Outcome<bool> isLockedOnMySql(std::stop_token stop);
    SqlLock m_lock;
    SessionHolds m_holds;
};

} // namespace lockscope::recipes
