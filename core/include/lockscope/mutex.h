// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/exclusive_lock.h>

namespace lockscope::blocking {

/// A mutex that threads of many processes share. Satisfies TimedLockable, so std::unique_lock and std::lock_guard work:
///
///     blocking::Client client("redis://127.0.0.1");
///     blocking::Mutex orders(client, "orders");
///     const std::lock_guard guard(orders);
///     ship(orders.token());
///
/// Thread-safe. Reentrant per thread where the recipe is (most are: `lockscope list recipes`), as in Redisson and
/// Curator: a thread unlocks as often as it locked, and no thread unlocks another's hold. Objects of one client with
/// equal name and recipe are one lock; they must have equal options. When the last of them is destroyed while a thread
/// still holds the lock, it is given back, with a warning to the log handler; a Hold outlives them.
///
/// For several mutexes use a MultiLock. std::scoped_lock and std::lock also work, but are slow under contention: they
/// take one, try the next, give back and start again, and each step asks a server (1.6 instead of 71 acquisitions per
/// second of two contended locks on ZooKeeper).
///
/// Unlike a mutex in memory, it can be lost: when the server or network is away for longer than the lease, when the
/// server loses its data, or when somebody frees it by force. Ask stillMine() before a step that must not happen twice,
/// send token() to the resource that checks it, let lost() end the work, or listen with onLost(). A server that comes
/// back without its data is found out as soon as the connection is back; keys that go while it is there (FLUSHALL,
/// flush_all, an eviction, a deleted row) at the next renewal (LockOptions::watchdog).
class Mutex : public ExclusiveLock {
public:
    /// Throws LockException when the server has no such recipe; RefusedException when this client has a lock of that
    /// name with other options, or for an unsafe recipe (LockOptions::allowNaive).
    Mutex(const Client& client, std::string_view name, LockOptions options = {})
        : ExclusiveLock(client, name, LockMode::Exclusive, std::move(options)) {}
    /// A lock of a manager's namespace, on the engine that the namespace uses. Throws NotSupportedException when any
    /// engine's recipe offers no exclusive holds, RefusedException when there is no such namespace.
    Mutex(const Manager& manager, std::string_view space, std::string_view name)
        : ExclusiveLock(manager, space, name, LockMode::Exclusive) {}

private:
    friend class Condition;
};

static_assert(TimedLockable<Mutex>);

} // namespace lockscope::blocking
