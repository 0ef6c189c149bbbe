// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/redis_recipe.h"

namespace lockscope::recipes {

/// `redis-set`: SET NX PX with a value that only we know; release and renewal compare it first, in a script.
/// Source: the pattern of Redis' own documentation of SET ("Patterns", a simple locking system).
class RedisSet final : public Recipe {
public:
    explicit RedisSet(RedisLock lock) : m_lock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;

private:
    struct Answer {
        bool granted = false;
        std::int64_t token = 0;
    };
    Outcome<Answer> set(const QByteArray& value, const Request& request, std::stop_token stop);
    QCoro::Task<> withdraw(QByteArray value);
    RedisLock m_lock;
};

} // namespace lockscope::recipes
