// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/backoff.h"
#include "recipes/sql/sql_recipe.h"

namespace lockscope::recipes {

/// `sql-version`: optimistic. Nothing is held and nobody waits.
///
/// acquire() reads the lock's version, at once and for everybody who asks: Grant::token. release() is the
/// compare-and-set: it raises the version if it is still the one that was read, and then all that happened since
/// acquire() was alone. Kind::NotOwner: somebody else was quicker; what was computed since acquire() is to be thrown
/// away and done again. forceRelease() raises the version, so that everybody under way fails.
///
/// For work that only counts when its release succeeds; not for guarding anything that is touched meanwhile.
/// Source: the seeds' “optimistic lock by a version column”.
class SqlVersion final : public Recipe {
public:
    explicit SqlVersion(SqlLock lock) : m_lock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    bool asksAgain(const LockError& error) const override { return passes(error); }
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    /// Never: nobody is kept out. Asks nobody.
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    Outcome<int> settle(Grant grant, std::stop_token stop);
    QCoro::Task<sql::Result> raise(const Grant& grant, std::stop_token stop);
    SqlLock m_lock;
};

} // namespace lockscope::recipes
