// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/memcached/port.h"
#include "recipes/recipe.h"

namespace lockscope::recipes {

/// What every memcached recipe is made of.
struct MemcachedLock {
    memcached::Port& port;
    QByteArray name;   ///< the item's key, as the user wrote it; a valid key
    QByteArray client; ///< this client's UUID
    /// How long waiters, whom nobody wakes, sleep at most before they look again: drawn anew each time.
    Nanos low = 100ms, high = 200ms;
};

/// The recipe of that id over a memcached, nullptr when there is none.
std::unique_ptr<Recipe> makeMemcachedRecipe(const QByteArray& id, MemcachedLock lock);

/// A server's answer as a lock's error.
LockError lockError(const memcached::Error& error);

/// The error of a name that is no key there; nullopt when it is one.
std::optional<LockError> memcachedNameError(const QByteArray& name);
/// The error of a server that keeps no numbers of its items' states, as these recipes and records need them.
LockError memcachedWithoutCas();
/// The error of a lease that the server would take for a date; nullopt when it would not.
std::optional<LockError> memcachedLeaseError(Nanos lease);

} // namespace lockscope::recipes
