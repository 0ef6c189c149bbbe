// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/memcached/port.h"
#include "recipes/recipe.h"

namespace lockscope::recipes {

/// Looks at an item before giving up: our own changes can outdate a known number; another client's change ends the loop
/// at once.
inline constexpr int kMemcachedLooks = 4;
/// The expiry that deletes an item by cas.
inline constexpr memcached::Expiry kMemcachedAtOnce = -1;

/// Everything that a memcached recipe needs.
struct MemcachedLock {
    memcached::Port& port;
    QByteArray name;   ///< the item's key, as the user wrote it; a valid key
    QByteArray client; ///< this client's UUID
    /// Bounds of a waiter's pause between looks, drawn anew each time; nobody wakes waiters.
    Nanos low = 100ms, high = 200ms;
};

/// Whether an item is in a recipe's format.
using MemcachedFormat = bool (*)(QByteArrayView value);
/// "<client>:<thread>", the format of memcached-add.
bool isMemcachedOwner(QByteArrayView value);

/// Frees an item of that format, regardless of its holder; true when there was one. ForeignFormat: the key holds
/// somebody else's data and was left unchanged.
Outcome<bool> forceMemcachedLock(MemcachedLock lock, MemcachedFormat ours, std::stop_token stop);

/// The recipe with that id over a memcached; nullptr when there is none.
std::unique_ptr<Recipe> makeMemcachedRecipe(const QByteArray& id, MemcachedLock lock);

/// The lock error that corresponds to a server's answer.
LockError lockError(const memcached::Error& error);

/// The error for a name that is not a valid key; nullopt when it is valid.
std::optional<LockError> memcachedNameError(const QByteArray& name);
/// The error for an item that this recipe does not write.
LockError memcachedForeign(const QByteArray& name);
/// The error for an item that differs at each look.
LockError memcachedUnsteady(const QByteArray& name);
/// The error for a server without unique numbers (cas), which these recipes and records need.
LockError memcachedWithoutCas();
/// The error for a lease that the server would read as a date; nullopt when it would not.
std::optional<LockError> memcachedLeaseError(Nanos lease);

} // namespace lockscope::recipes
