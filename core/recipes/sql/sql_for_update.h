// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/sql/sql_session_holds.h"

namespace lockscope::recipes {

/// `sql-for-update`: a transaction that has locked the lock's row holds the lock; the transaction's end frees it.
/// Waiters stand in the server's own queue. Each hold has its own connection and lasts as long as that does: see
/// news().
///
/// The row is found by its primary key, so nothing else is locked with it. A wait without a bound ends at the server's
/// limit (InnoDB: 50 s): Kind::WaitExceeded. Two holds of one client are two transactions to the server: it detects no
/// cycle through a client, only cycles of its own transactions (Kind::Deadlock). Source: articles, as “lock by SELECT …
/// FOR UPDATE”.
///
/// `sql-for-update-late` (naive): the same, but a SELECT … FOR UPDATE that finds no row counts as the lock, and the row
/// is inserted before COMMIT. Nothing is locked until then: on InnoDB all that look get the same gap, and die but one
/// when they insert. Source: MySQL's manual, InnoDB Locking.
class SqlForUpdate final : public Recipe {
public:
    /// Its way with a row that is not there.
    enum class MissingRow : std::uint8_t { MakeFirst, TakeForLocked };
    explicit SqlForUpdate(SqlLock lock, MissingRow missing = MissingRow::MakeFirst)
        : m_lock(std::move(lock)), m_missing(missing) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<HoldNews> news(Grant grant, std::stop_token stop) override;
    Nanos newsRest() const override { return sql::kLeftAlone; }
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    /// Ends the holder's connection. MySQL, MariaDB: needs the PROCESS privilege, and reads the server's lock queue by
    /// waiting in it for at most some seconds.
    Outcome<bool> forceRelease(std::stop_token stop) override;
    /// MySQL, MariaDB: tries to lock the row, for no longer than that statement takes; another client's single try at
    /// that moment finds the lock taken.
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    class Contender;
    /// Inserts the row of such a hold, in its transaction; the error is why it was no hold.
    Outcome<void> insertLate(SessionHolds::Shared hold);

    SqlLock m_lock;
    MissingRow m_missing;
    SessionHolds m_holds;
};

} // namespace lockscope::recipes
