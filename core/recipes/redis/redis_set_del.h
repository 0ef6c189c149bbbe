// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/redis_recipe.h"

namespace lockscope::recipes {

/// `redis-set-del`, *naive*: SET NX with an expiry, and a DEL that does not look whose lock it deletes. Exists to be
/// seen failing: a holder that outlives its lease deletes the next holder's lock.
class RedisSetDel final : public Recipe {
public:
    explicit RedisSetDel(RedisLock lock) : m_lock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;

private:
    RedisLock m_lock;
};

} // namespace lockscope::recipes
