// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/named_lock.h"

namespace lockscope {

/// A mutex that many processes share, for programs that run on an event loop:
///
///     DistributedMutex mutex(*connection, "orders");
///     auto guard = co_await mutex.lock();
///     if (!guard) co_return complain(guard.error().message);
///     ship(guard->token());
///     co_await guard->unlock();
///
/// Reentrant per thread where its recipe is; threads are logical ones, named by decimal numbers. Like its siblings it
/// is single-threaded and must not outlive its connection, nor its guards it. It can be made before the connection is
/// open. Of one name and recipe make one object for each thread at most. For std::unique_lock and threads that block:
/// blocking::Mutex.
class DistributedMutex : public NamedLock {
public:
    DistributedMutex(Connection& connection, QByteArray name, LockOptions options = {})
        : NamedLock(connection, std::move(name), recipes::Mode::Exclusive, std::move(options)) {}

    /// Takes the lock, however long that takes. A stop request ends it with Cancelled and leaves nothing behind.
    Outcome<LockGuard> lock(Thread thread = "1", std::stop_token stop = {}) {
        return take(recipes::Mode::Exclusive, kNever, std::move(thread), 1, std::move(stop));
    }
    /// One try; an empty guard when somebody has it.
    Outcome<LockGuard> tryLock(Thread thread = "1") { return tryLockFor(Nanos(0), std::move(thread)); }
    /// Takes it within `wait` (kNever: no bound); an empty guard when that was too short.
    Outcome<LockGuard> tryLockFor(Nanos wait, Thread thread = "1", std::stop_token stop = {}) {
        return take(recipes::Mode::Exclusive, wait, std::move(thread), 1, std::move(stop));
    }
    /// False once lost, given back, or past the own deadline; looks at the clock, not at the server. Of the thread's
    /// present hold, which may be a later one than a guard's: LockGuard::stillMine() knows of its own only.
    bool stillMine(const Thread& thread = "1") const { return held(thread, recipes::Mode::Exclusive); }
    int holdCount(const Thread& thread = "1") const { return holdsOf(thread, recipes::Mode::Exclusive); }
};

/// A mutex for writing that readers may hold together, shared by many processes. Recipes: those that offer shared
/// holds; whether a waiting writer keeps new readers out is theirs to say (zk-rw: yes; redis-rw: no).
class DistributedSharedMutex : public NamedLock {
public:
    DistributedSharedMutex(Connection& connection, QByteArray name, LockOptions options = {})
        : NamedLock(connection, std::move(name), recipes::Mode::Shared, std::move(options)) {}

    /// As DistributedMutex::lock.
    Outcome<LockGuard> lock(Thread thread = "1", std::stop_token stop = {}) {
        return take(recipes::Mode::Exclusive, kNever, std::move(thread), 1, std::move(stop));
    }
    Outcome<LockGuard> tryLock(Thread thread = "1") { return tryLockFor(Nanos(0), std::move(thread)); }
    Outcome<LockGuard> tryLockFor(Nanos wait, Thread thread = "1", std::stop_token stop = {}) {
        return take(recipes::Mode::Exclusive, wait, std::move(thread), 1, std::move(stop));
    }
    /// The same for a reader.
    Outcome<LockGuard> lockShared(Thread thread = "1", std::stop_token stop = {}) {
        return take(recipes::Mode::Shared, kNever, std::move(thread), 1, std::move(stop));
    }
    Outcome<LockGuard> tryLockShared(Thread thread = "1") { return tryLockSharedFor(Nanos(0), std::move(thread)); }
    Outcome<LockGuard> tryLockSharedFor(Nanos wait, Thread thread = "1", std::stop_token stop = {}) {
        return take(recipes::Mode::Shared, wait, std::move(thread), 1, std::move(stop));
    }
    bool stillMine(const Thread& thread = "1") const { return held(thread, recipes::Mode::Exclusive); }
    bool stillShared(const Thread& thread = "1") const { return held(thread, recipes::Mode::Shared); }
};

/// So many permits that many processes share. A thread that takes again takes more; each taking is a guard of its own.
class DistributedSemaphore : public NamedLock {
public:
    /// `permits`: how many there are in all; > 0. All processes should say the same; what counts when they do not is
    /// up to the recipe.
    DistributedSemaphore(Connection& connection, QByteArray name, int permits, LockOptions options = {})
        : NamedLock(connection, std::move(name), recipes::Mode::Permit, std::move(options), permits) {}

    /// Takes so many permits together, or waits; > 0.
    Outcome<LockGuard> acquire(int permits = 1, Thread thread = "1", std::stop_token stop = {}) {
        return take(recipes::Mode::Permit, kNever, std::move(thread), permits, std::move(stop));
    }
    Outcome<LockGuard> tryAcquire(int permits = 1, Thread thread = "1") {
        return tryAcquireFor(Nanos(0), permits, std::move(thread));
    }
    Outcome<LockGuard> tryAcquireFor(Nanos wait, int permits = 1, Thread thread = "1", std::stop_token stop = {}) {
        return take(recipes::Mode::Permit, wait, std::move(thread), permits, std::move(stop));
    }
};

} // namespace lockscope
