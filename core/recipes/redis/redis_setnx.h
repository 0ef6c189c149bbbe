// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/polled_lock.h"

namespace lockscope::recipes {

/// `redis-setnx`, *naive*: SETNX with an expiry time as its value, computed on the client's own wall clock; whoever
/// finds it past takes the lock over with GETSET; DEL gives it up. The key has no TTL and says nothing of its holder.
/// Clocks that differ steal live locks; of two that race for an expired one the loser overwrites the winner's expiry
/// time.
class RedisSetnx final : public PolledLock {
public:
    explicit RedisSetnx(RedisLock lock) : PolledLock(std::move(lock), {2, 5}) {}
    const RecipeInfo& info() const override { return *findRecipe("redis-setnx"); }
    /// By our own wall clock, as everything here.
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    Outcome<bool> attempt(Request& request, QByteArray& value) override;
    bool valuesAreNumbers() const override { return true; }
};

/// `redis-setnx-expire`, *naive*: SETNX, then the expiry as a second command. Who dies between the two leaves a lock
/// that never ends.
class RedisSetnxExpire final : public PolledLock {
public:
    explicit RedisSetnxExpire(RedisLock lock) : PolledLock(std::move(lock), {3, 5}) {}
    const RecipeInfo& info() const override { return *findRecipe("redis-setnx-expire"); }

private:
    Outcome<bool> attempt(Request& request, QByteArray& value) override;
};

} // namespace lockscope::recipes
