// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/sql/sql_recipe.h"

namespace lockscope::recipes {

/// `sql-row`: a row under a unique key is the lock; deleting it frees the lock. There is no expiry: a holder that dies
/// keeps it forever. Release deletes by name, whoever owns the row. The owner is written for people, and to undo an
/// INSERT whose answer was not awaited. Source: articles, as “lock by a database's unique index”.
class SqlRow final : public Recipe {
public:
    explicit SqlRow(SqlLock lock) : m_lock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;
    Outcome<std::vector<HolderInfo>> holders(std::stop_token stop) override;

private:
    class Contender;
    SqlLock m_lock;
};

} // namespace lockscope::recipes
