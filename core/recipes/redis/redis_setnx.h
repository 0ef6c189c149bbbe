// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/polled_lock.h"

namespace lockscope::recipes {

/// `redis-setnx`, *naive*: SETNX with an expiry time as its value, computed by the client's own wall clock. A client
/// that finds the time past takes the lock over with GETSET; DEL releases it. The key has no TTL and does not name its
/// holder. Clients with different clocks steal live locks. When two clients race for an expired lock, the loser
/// overwrites the winner's expiry time.
class RedisSetnx final : public PolledLock {
public:
    explicit RedisSetnx(RedisLock lock);
    const RecipeInfo& info() const override;
    /// Compares with our own wall clock, as this recipe always does.
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    Outcome<bool> attempt(Request& request, QByteArray& value) override;
    bool valuesAreNumbers() const override { return true; }
};

/// `redis-setnx-expire`, *naive*: SETNX, then the expiry as a second command. A client that dies between the two leaves
/// a lock that never ends.
class RedisSetnxExpire final : public PolledLock {
public:
    explicit RedisSetnxExpire(RedisLock lock);
    const RecipeInfo& info() const override;

private:
    Outcome<bool> attempt(Request& request, QByteArray& value) override;
};

} // namespace lockscope::recipes
