// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/sql/sql_recipe.h"

namespace lockscope::recipes {

/// `sql-version`: optimistic. Nothing is held and nobody waits.
///
/// acquire() reads the lock's version (Grant::token), at once and for everybody. release() is the compare-and-set: it
/// raises the version if it has not changed; then nobody else succeeded since acquire(). Kind::NotOwner: another client
/// was faster; discard what was computed since acquire() and start again. forceRelease() raises the version, so that
/// everybody in progress fails.
///
/// Traces tell its clients as readers: none believes that it is alone. For work that counts only if its release
/// succeeds; not for guarding a resource that is touched meanwhile. Source: articles, as “optimistic lock by a version
/// column”.
class SqlVersion final : public Recipe {
public:
    explicit SqlVersion(SqlLock lock) : m_lock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    /// Always false: nobody is kept out. Sends nothing.
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    class Contender;
    /// The outcome of a compare-and-set whose answer was lost.
    enum class Settled : std::uint8_t { Done, NotDone, Unknown };
    QCoro::Task<Settled> settle(Grant grant, std::stop_token stop);
    sql::Answer<bool> raise(const Grant& grant, std::stop_token stop);
    SqlLock m_lock;
};

} // namespace lockscope::recipes
