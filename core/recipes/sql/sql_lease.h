// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/left_behind.h"
#include "recipes/sql/sql_recipe.h"

#include <map>

namespace lockscope::recipes {

/// `sql-lease`: one row per lock name, with an owner, the end of its lease by the server's clock, and a version that
/// grows with every grant: the fencing token. In a new row it begins at the server's clock (token_start.h). The first
/// client to update an expired row takes it over. Release keeps the row; a client that creates another row deletes rows
/// that have been free for 30 days. Waiters look again from time to time, and when the lease that they saw should end.
/// Each attempt has its own owner text, so that the text identifies one grant. Re-entries are counted here, because the
/// row has only one owner. Source: the row lock of articles, with the improvements they name (owner, expiry, heartbeat,
/// version).
class SqlLease final : public Recipe {
public:
    explicit SqlLease(SqlLock lock) : m_lock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    bool prolongs() const override { return true; }
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    /// True for a database on a server. It reports no forced release, but a broken connection is noticed.
    bool listens() const override { return m_lock.renewals && m_lock.port.abilities().showsItsEnd; }
    Outcome<void> listen(Grant grant, CallList::Callback ask, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;
    Outcome<std::vector<HolderInfo>> holders(std::stop_token stop) override;
    void abandoned(const Grant& grant) override;

private:
    class Contender;
    struct Mine {
        QByteArray owner;
        std::int64_t version = 0;
        int holds = 1; ///< as counted when they were granted: several requests and releases may be in flight at once
    };
    sql::OwnedRow ownedBy(const Grant& grant) const { return {m_lock.name, grant.value}; }
    QCoro::Task<> undoLeftBehind(Nanos giveUpAt, std::stop_token stop);
    QCoro::Task<> withdraw(QByteArray owner, Nanos lease, bool stopped);
    SqlLock m_lock;
    std::map<QByteArray, Mine> m_mine; ///< by thread: what a re-entry extends
    LeftBehind m_leftBehind;
};

} // namespace lockscope::recipes
