// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/named_lock.h"

namespace lockscope {

// All of these: errors are LockError::Kind, as DistributedLock says. Times are nanoseconds (30s, 500ms are fine); a
// wait of 0 is one try, kNever no bound. `lease` is LockRequest::lease: at least 1 ms, not renewed by a watchdog, and
// the lock is free when it ends. A stop request ends a wait with Cancelled and leaves nothing behind.

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
    /// Asks nobody: what makes no sense of name and options, the first use of it says.
    DistributedMutex(Connection& connection, QByteArray name, LockOptions options = {})
        : NamedLock(connection, std::move(name), recipes::Mode::Exclusive, std::move(options)) {}

    /// Takes the lock, however long that takes. A stop request ends it with Cancelled and leaves nothing behind.
    Outcome<LockGuard> lock(Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Exclusive, kNever, std::move(thread)), std::move(stop));
    }
    /// One try; an empty guard when somebody has it.
    Outcome<LockGuard> tryLock(Thread thread = "1") { return tryLockFor(Nanos(0), std::move(thread)); }
    /// Takes it within `wait` (kNever: no bound); an empty guard when that was too short.
    Outcome<LockGuard> tryLockFor(Nanos wait, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Exclusive, wait, std::move(thread)), std::move(stop));
    }
    /// The same with a lease of its own. Kind::Refused for one under 1 ms.
    Outcome<LockGuard> tryLockWithLease(Nanos wait, Nanos lease, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Exclusive, wait, std::move(thread), lease), std::move(stop));
    }
    /// False once lost, given back, or past the own deadline; looks at the clock, not at the server. Of the thread's
    /// present hold, which may be a later one than a guard's: LockGuard::stillMine() knows of its own only.
    bool stillMine(const Thread& thread = "1") const { return held(thread, recipes::Mode::Exclusive); }
    /// How often that thread holds it by this object; 0 when it does not.
    int holdCount(const Thread& thread = "1") const { return holdsOf(thread, recipes::Mode::Exclusive); }
};

/// A mutex for writing that readers may hold together, shared by many processes. Recipes: those that offer shared
/// holds; whether a waiting writer keeps new readers out is theirs to say (zk-rw: yes; redis-rw: no).
class DistributedSharedMutex : public NamedLock {
public:
    /// As DistributedMutex.
    DistributedSharedMutex(Connection& connection, QByteArray name, LockOptions options = {})
        : NamedLock(connection, std::move(name), recipes::Mode::Shared, std::move(options)) {}

    /// For a writer, as the same of DistributedMutex.
    Outcome<LockGuard> lock(Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Exclusive, kNever, std::move(thread)), std::move(stop));
    }
    Outcome<LockGuard> tryLock(Thread thread = "1") { return tryLockFor(Nanos(0), std::move(thread)); }
    Outcome<LockGuard> tryLockFor(Nanos wait, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Exclusive, wait, std::move(thread)), std::move(stop));
    }
    Outcome<LockGuard> tryLockWithLease(Nanos wait, Nanos lease, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Exclusive, wait, std::move(thread), lease), std::move(stop));
    }

    /// For a reader.
    Outcome<LockGuard> lockShared(Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Shared, kNever, std::move(thread)), std::move(stop));
    }
    Outcome<LockGuard> tryLockShared(Thread thread = "1") { return tryLockSharedFor(Nanos(0), std::move(thread)); }
    Outcome<LockGuard> tryLockSharedFor(Nanos wait, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Shared, wait, std::move(thread)), std::move(stop));
    }
    Outcome<LockGuard> tryLockSharedWithLease(Nanos wait, Nanos lease, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Shared, wait, std::move(thread), lease), std::move(stop));
    }

    /// As DistributedMutex::stillMine, of the thread's hold as a writer; as a reader.
    bool stillMine(const Thread& thread = "1") const { return held(thread, recipes::Mode::Exclusive); }
    bool stillShared(const Thread& thread = "1") const { return held(thread, recipes::Mode::Shared); }

    /// How often that thread holds it by this object, as a writer; as a reader.
    int holdCount(const Thread& thread = "1") const { return holdsOf(thread, recipes::Mode::Exclusive); }
    int sharedHoldCount(const Thread& thread = "1") const { return holdsOf(thread, recipes::Mode::Shared); }
};

/// So many permits that many processes share. A thread that takes again takes more; each taking is a guard of its own.
class DistributedSemaphore : public NamedLock {
public:
    /// `permits`: how many there are in all; > 0. All processes should say the same; what counts when they do not is
    /// up to the recipe.
    DistributedSemaphore(Connection& connection, QByteArray name, int permits, LockOptions options = {})
        : NamedLock(connection, std::move(name), recipes::Mode::Permit, std::move(options), permits) {}

    /// Takes so many permits together, or waits, however long. Kind::Refused for fewer than one, or more than there
    /// are.
    Outcome<LockGuard> acquire(int permits = 1, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(kNever, permits, std::move(thread)), std::move(stop));
    }
    /// One try; an empty guard when there are not so many free.
    Outcome<LockGuard> tryAcquire(int permits = 1, Thread thread = "1") {
        return tryAcquireFor(Nanos(0), permits, std::move(thread));
    }
    /// Takes them within `wait` (kNever: no bound); an empty guard when that was too short.
    Outcome<LockGuard> tryAcquireFor(Nanos wait, int permits = 1, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(wait, permits, std::move(thread)), std::move(stop));
    }
    /// The same with a lease of its own. Kind::Refused for one under 1 ms.
    Outcome<LockGuard> tryAcquireWithLease(Nanos wait, Nanos lease, int permits = 1, Thread thread = "1",
                                           std::stop_token stop = {}) {
        return take(asking(wait, permits, std::move(thread), lease), std::move(stop));
    }

private:
    static LockRequest asking(Nanos wait, int permits, Thread thread, std::optional<Nanos> lease = std::nullopt) {
        LockRequest request = NamedLock::asking(recipes::Mode::Permit, wait, std::move(thread), lease);
        request.permits = permits;
        return request;
    }
};

} // namespace lockscope
