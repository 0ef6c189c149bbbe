// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/port.h"
#include "recipes/recipe.h"

namespace lockscope::recipes {

/// How waiters that are not woken by the server look again.
struct Polling {
    Nanos low = 100ms, high = 200ms; ///< drawn anew each time, so that waiters do not march in step
};

/// What every Redis recipe is made of.
struct RedisLock {
    redis::Port& port;
    QByteArray name;   ///< the lock's key, as the user wrote it
    QByteArray client; ///< this client's UUID
    Polling polling{};
};

/// The recipe of that id over a Redis, nullptr when there is none.
std::unique_ptr<Recipe> makeRedisRecipe(const QByteArray& id, RedisLock lock);

/// A server's answer as a lock's error, with what it means for the lock.
LockError lockError(const redis::Error& error, const QByteArray& name);

/// Released or renewed what is no longer ours.
LockError notOwner(const QByteArray& name);

/// Whole milliseconds of a lease as an argument, at least 1.
QByteArray milliseconds(Nanos lease);

/// Redisson's rule for helper keys and channels: braces around the name unless it has one anywhere.
QByteArray hashTagged(const QByteArray& name);

} // namespace lockscope::recipes
