// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/port.h"
#include "recipes/recipe.h"
#include "recipes/redis/hold_accounts.h"

namespace lockscope::recipes {

/// Pauses of waiters that the server does not wake: a release is noticed within 200 ms, round trip included.
struct Polling {
    Nanos low = 50ms, high = 150ms; ///< drawn anew each time, so that waiters spread out
};

/// State that the locks of one client process share.
struct Doubts {
    Doubts() { turn.release(); }
    /// Counts of the locks whose holds the server counts.
    std::shared_ptr<HoldAccounts> accounts = std::make_shared<HoldAccounts>();
    SignalCount turn; ///< the turn to use WAIT (do replicas have the write?): one lock at a time
};

/// Default of RedisLock::patience.
inline constexpr Nanos kWaiterPatience = 10s;

/// Everything that a Redis recipe needs.
struct RedisLock {
    redis::Port& port;
    QByteArray name;   ///< the lock's key, as the user wrote it
    QByteArray client; ///< this client's UUID
    Polling polling{};
    std::shared_ptr<Doubts> doubts = std::make_shared<Doubts>();
    int permits = 1;       ///< a semaphore's number of permits
    int replicas = 0;      ///< number of replicas that must confirm each acquisition (WAIT), else it is given back
    Nanos confirmFor = 1s; ///< how long they have for that: less than the time-out of an answer
    Nanos patience = kWaiterPatience; ///< fair lock: a waiter not heard of for so long is dead
    bool holdersListen = false;       ///< for forced releases; costs a subscription per lock that is held for a while
    std::shared_ptr<const void> alive = nullptr; ///< the owner of `port`, if the recipe must keep it alive
};

/// The keys that tell a lock's holder: the name itself; with `redis-multi` each of the names in "a,b,c", in order.
std::vector<QByteArray> lockKeys(const QByteArray& recipe, const QByteArray& name);

/// The recipe with that id over a Redis; nullptr when there is none.
std::unique_ptr<Recipe> makeRedisRecipe(const QByteArray& id, RedisLock lock);

/// The lock error that corresponds to a server's answer.
LockError lockError(const redis::Error& error, const QByteArray& name);

/// The error for a key with data that the recipe does not write; `what` is a word of what_is.lua.
LockError foreignData(const QByteArray& name, const QByteArray& what);

/// The error for a key with another library's or recipe's data; asks the server what it is.
QCoro::Task<LockError> foreignFormat(redis::Port& port, QByteArray name);

/// As lockError(); for a key of another type, the message says which.
QCoro::Task<LockError> explainedError(redis::Port& port, redis::Error error, QByteArray name);

/// what_is.lua: names in one word what a key holds.
const redis::Script& whatIs();

/// Frees a lock that is a string, regardless of its holder; true when there was one. ForeignFormat when the key holds
/// something else. `args` as for set_force.lua.
Outcome<bool> forceStringLock(redis::Port& port, QByteArray name, redis::Args args, std::stop_token stop);

/// Whether the lock's key exists with this type (as TYPE names it). ForeignFormat when it has another type.
Outcome<bool> keyIsThere(redis::Port& port, QByteArray name, QByteArray type, std::stop_token stop);

/// The key's remaining time to live; nullopt: the key has no expiry, or is gone.
Outcome<std::optional<Nanos>> keyLeft(redis::Port& port, QByteArray key, std::stop_token stop);
/// The number that a fencing counter stands at; nullopt: there is none.
Outcome<std::optional<std::int64_t>> counterNow(redis::Port& port, QByteArray counter, std::stop_token stop);

/// The channel on which a forced release is announced to a lock's holders.
QByteArray forcedChannelOf(const QByteArray& name);
/// Recipe::listen() by a channel. Kind::Refused when this user may not subscribe to the channel.
Outcome<void> listenForForce(redis::Port& port, QByteArray channel, CallList::Callback ask, std::stop_token stop);

/// The error for releasing or renewing a hold that is no longer the caller's.
LockError notOwner(const QByteArray& name);

/// A lease in whole milliseconds, at least 1, as an argument.
QByteArray milliseconds(Nanos lease);

/// Redisson's rule for helper keys and channels: braces around the name, unless it contains a brace.
QByteArray hashTagged(const QByteArray& name);

} // namespace lockscope::recipes
