// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/backoff.h"
#include "recipes/sql/advisory_key.h"
#include "recipes/sql/sql_session_holds.h"

namespace lockscope::recipes {

/// `sql-advisory`: the server's own named locks, held by a connection: GET_LOCK(name) on MySQL and MariaDB;
/// pg_advisory_lock(key) on PostgreSQL, which also has shared ones. It needs no table. Waiters stand in the server's
/// queue. The server counts re-entries.
///
/// On MySQL and MariaDB, GET_LOCK takes the lock's name as it is; the name holds for the whole server, not for one
/// database. On PostgreSQL the key is advisoryKeyOf(name), within one database. The recipe gives Refused behind a
/// pooler that may give each transaction another process of the server.
class SqlAdvisory final : public Recipe {
public:
    /// On PostgreSQL, lock.name must be one that lock.keys accepts: see advisoryKeyOf().
    explicit SqlAdvisory(SqlLock lock);
    const RecipeInfo& info() const override;
    bool asksAgain(const LockError& error) const override { return passes(error); }
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<HoldNews> news(Grant grant, std::stop_token stop) override;
    Nanos newsRest() const override { return sql::kLeftAlone; }
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    /// Ends the connections that hold the lock.
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    /// The statement that calls this function of PostgreSQL with m_key.
    QByteArray calling(const char* function) const;
    sql::Statement take(Mode mode, Nanos left) const;
    bool taken(const sql::Reply& reply, Nanos left) const;
    Outcome<std::optional<Grant>> acquireAgain(Request request, Nanos giveUpAt, std::stop_token stop);
    Outcome<std::optional<Grant>> acquireAnew(Request request, Nanos giveUpAt, std::stop_token stop);
    /// Gives a connection back whose wait ended without the lock. If the server grants the lock at that instant, it
    /// reports a time-out but keeps the lock for the connection: PostgreSQL undoes only what a transaction took.
    QCoro::Task<> giveBack(std::shared_ptr<sql::Session> session);
    SqlLock m_lock;
    bool m_mySql;
    AdvisoryKey m_key;                    ///< for PostgreSQL
    std::map<Mode, SessionHolds> m_holds; ///< a reader's connection is not a writer's
};

} // namespace lockscope::recipes
