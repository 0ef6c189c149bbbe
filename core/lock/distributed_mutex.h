// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/named_lock.h"

namespace lockscope {

// For all classes here: errors are LockError::Kind, as DistributedLock says. Times are nanoseconds (30s and 500ms
// work); a wait of 0 is one try, kNever no bound. `lease` is LockRequest::lease: at least 1 ms, not renewed by a
// watchdog; the lock is free when it ends. A stop request ends a wait with Cancelled and leaves nothing behind.

/// A mutex that many processes share, for programs that run on an event loop:
///
///     DistributedMutex mutex(*connection, "orders");
///     auto guard = co_await mutex.lock();
///     if (!guard) co_return complain(guard.error().message);
///     ship(guard->token());
///     co_await guard->unlock();
///
/// Reentrant per thread where its recipe is; threads are logical ones, named by decimal numbers. Single-threaded. It
/// must not outlive its connection, and its guards must not outlive it. It can be made before the connection is open.
/// Make at most one object per name, recipe and thread. For std::unique_lock and threads that block: blocking::Mutex.
class DistributedMutex : public NamedLock {
public:
    /// Sends nothing. Errors in name or options show at first use.
    DistributedMutex(Connection& connection, QByteArray name, LockOptions options = {})
        : NamedLock(connection, std::move(name), recipes::Mode::Exclusive, std::move(options)) {}

    /// Takes the lock, however long that takes. A stop request ends it with Cancelled and leaves nothing behind.
    Outcome<LockGuard> lock(Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Exclusive, kNever, std::move(thread)), std::move(stop));
    }
    /// Tries once; an empty guard when the lock is taken.
    Outcome<LockGuard> tryLock(Thread thread = "1") { return tryLockFor(Nanos(0), std::move(thread)); }
    /// Takes the lock within `wait` (kNever: no bound); an empty guard when not in time.
    Outcome<LockGuard> tryLockFor(Nanos wait, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Exclusive, wait, std::move(thread)), std::move(stop));
    }
    /// As tryLockFor(), with its own lease. Kind::Refused for a lease under 1 ms.
    Outcome<LockGuard> tryLockWithLease(Nanos wait, Nanos lease, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Exclusive, wait, std::move(thread), lease), std::move(stop));
    }
    /// False once lost, given back, or past the deadline. Compares clocks, does not ask the server. Refers to the
    /// thread's present hold, which may be later than a guard's: LockGuard::stillMine() knows only its own.
    bool stillMine(const Thread& thread = "1") const { return held(thread, recipes::Mode::Exclusive); }
    /// How many holds the thread has through this object; 0 = none.
    int holdCount(const Thread& thread = "1") const { return holdsOf(thread, recipes::Mode::Exclusive); }
};

/// A readers-writer mutex that many processes share, over recipes with shared holds. The recipe decides whether a
/// waiting writer keeps new readers out (zk-rw: yes; redis-rw: no).
class DistributedSharedMutex : public NamedLock {
public:
    /// Sends nothing. Errors in name or options show at first use.
    DistributedSharedMutex(Connection& connection, QByteArray name, LockOptions options = {})
        : NamedLock(connection, std::move(name), recipes::Mode::Shared, std::move(options)) {}

    /// For a writer; see the functions of DistributedMutex.
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

    /// For a reader; otherwise as for a writer.
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

    /// As DistributedMutex::stillMine: for the thread's hold as a writer, and as a reader.
    bool stillMine(const Thread& thread = "1") const { return held(thread, recipes::Mode::Exclusive); }
    bool stillShared(const Thread& thread = "1") const { return held(thread, recipes::Mode::Shared); }

    /// How many holds the thread has through this object: as a writer, and as a reader.
    int holdCount(const Thread& thread = "1") const { return holdsOf(thread, recipes::Mode::Exclusive); }
    int sharedHoldCount(const Thread& thread = "1") const { return holdsOf(thread, recipes::Mode::Shared); }
};

/// A fixed number of permits that many processes share. A thread that acquires again takes more permits; each
/// acquisition has its own guard.
class DistributedSemaphore : public NamedLock {
public:
    /// `permits`: how many the semaphore has, > 0. Give the same number in all processes; if they differ, the recipe
    /// decides which counts.
    DistributedSemaphore(Connection& connection, QByteArray name, int permits, LockOptions options = {})
        : NamedLock(connection, std::move(name), recipes::Mode::Permit, std::move(options), permits) {}

    /// Takes `permits` at once, however long that takes. Kind::Refused for fewer than one, or more than the semaphore
    /// has.
    Outcome<LockGuard> acquire(int permits = 1, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(kNever, permits, std::move(thread)), std::move(stop));
    }
    /// Tries once; an empty guard when fewer than `permits` are free.
    Outcome<LockGuard> tryAcquire(int permits = 1, Thread thread = "1") {
        return tryAcquireFor(Nanos(0), permits, std::move(thread));
    }
    /// Takes them within `wait` (kNever: no bound); an empty guard when not in time.
    Outcome<LockGuard> tryAcquireFor(Nanos wait, int permits = 1, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(wait, permits, std::move(thread)), std::move(stop));
    }
    /// As tryAcquireFor(), with its own lease. Kind::Refused for a lease under 1 ms.
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
