// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/memcached/port.h"
#include "recipes/recipe.h"

namespace lockscope::recipes {

/// Our own changes can make a number that we know out of date; somebody else's end the loop at the first look.
inline constexpr int kMemcachedLooks = 4;
/// What deletes an item by cas.
inline constexpr memcached::Expiry kMemcachedAtOnce = -1;

/// What every memcached recipe is made of.
struct MemcachedLock {
    memcached::Port& port;
    QByteArray name;   ///< the item's key, as the user wrote it; a valid key
    QByteArray client; ///< this client's UUID
    /// How long waiters, whom nobody wakes, sleep at most before they look again: drawn anew each time.
    Nanos low = 100ms, high = 200ms;
};

/// Whether an item is what a recipe writes.
using MemcachedFormat = bool (*)(QByteArrayView value);
/// "<client>:<thread>": what memcached-add writes.
bool isMemcachedOwner(QByteArrayView value);

/// Frees what is of that format, whoever holds it; true when there was one. ForeignFormat: somebody else's data stands
/// there and was left alone.
Outcome<bool> forceMemcachedLock(MemcachedLock lock, MemcachedFormat ours, std::stop_token stop);

/// The recipe of that id over a memcached, nullptr when there is none.
std::unique_ptr<Recipe> makeMemcachedRecipe(const QByteArray& id, MemcachedLock lock);

/// A server's answer as a lock's error.
LockError lockError(const memcached::Error& error);

/// The error of a name that is no key there; nullopt when it is one.
std::optional<LockError> memcachedNameError(const QByteArray& name);
/// The error of an item that this recipe does not write.
LockError memcachedForeign(const QByteArray& name);
/// The error of an item that is another one at each look.
LockError memcachedUnsteady(const QByteArray& name);
/// The error of a server that keeps no numbers of its items' states, as these recipes and records need them.
LockError memcachedWithoutCas();
/// The error of a lease that the server would take for a date; nullopt when it would not.
std::optional<LockError> memcachedLeaseError(Nanos lease);

} // namespace lockscope::recipes
