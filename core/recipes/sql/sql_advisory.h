// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/sql/sql_session_holds.h"

namespace lockscope::recipes {

/// `sql-advisory`: the server's own named locks, held by a connection: GET_LOCK(name) on MySQL and MariaDB;
/// pg_advisory_lock(key) on PostgreSQL, which also has shared ones. It needs no table. Waiters stand in the server's
/// queue. The server counts re-entries. NotSupported behind a pooler that may give each transaction another process of
/// the server.
class SqlAdvisory final : public Recipe {
public:
    /// `key`: Port::namedKey() of the lock's name.
    SqlAdvisory(SqlLock lock, sql::NamedKey key) : m_lock(std::move(lock)), m_key(std::move(key)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<HoldNews> news(Grant grant, std::stop_token stop) override;
    Nanos newsRest() const override { return sql::kLeftAlone; }
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    /// Ends the connections that hold the lock.
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    class Contender;
    SqlLock m_lock;
    const sql::NamedKey m_key;
    std::map<Mode, SessionHolds> m_holds; ///< a reader's connection is not a writer's
};

} // namespace lockscope::recipes
