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
/// MySQL, MariaDB: the lock's name is GET_LOCK's, a text, for the whole server and not for one database. PostgreSQL:
/// the key is advisoryKeyOf(name), within one database. Refused behind a pooler that may give each transaction another
/// process of the server.
class SqlAdvisory final : public Recipe {
public:
    /// On PostgreSQL `lock.keys` takes its name.
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
    /// PostgreSQL's function of that name for the key.
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
    AdvisoryKey m_key;                    ///< of PostgreSQL
    std::map<Mode, SessionHolds> m_holds; ///< a reader's connection is not a writer's
};

} // namespace lockscope::recipes
