// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/blocking/handle.h"
#include "lock/blocking/lock_concepts.h"

#include <functional>

namespace lockscope::blocking {

namespace detail {

/// The exclusive side of Mutex, SharedMutex and MultiLock.
class AloneLock {
public:
    /// Takes the lock, however long that takes. The thread then sees what threads of this program wrote before they
    /// unlocked, also through other clients. All taking functions throw LockException; its type is InterruptedException
    /// on a stop request or when the client is closed. The hold belongs to the calling thread, which alone can unlock
    /// it. Use acquire() for a hold that another thread gives back.
    void lock() { m_handle.take(recipes::Mode::Exclusive, kNever); }
    void lock(std::stop_token stop) { m_handle.take(recipes::Mode::Exclusive, kNever, std::move(stop)); }
    /// Tries once: asks the server, but does not wait for the holder.
    bool try_lock() { return m_handle.take(recipes::Mode::Exclusive, Nanos(0)); }
    /// Waits at most `wait`; false when the lock was not free in time, or the server was away until then: onEvent()
    /// then reports HoldEvent::WaitFailed with the reason. Errors that waiting cannot mend (such as a refused login)
    /// throw.
    template <typename Rep, typename Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> wait, std::stop_token stop = {}) {
        return m_handle.take(recipes::Mode::Exclusive, waitOf(wait), std::move(stop));
    }
    template <typename Clock, typename Duration>
    bool try_lock_until(std::chrono::time_point<Clock, Duration> until, std::stop_token stop = {}) {
        return m_handle.take(recipes::Mode::Exclusive, waitUntil(until), std::move(stop));
    }
    /// As try_lock_for(), with its own lease of at least 1 ms that no watchdog renews: see LockRequest::lease.
    template <typename Rep, typename Period, typename LeaseRep, typename LeasePeriod>
    bool tryLockWithLease(std::chrono::duration<Rep, Period> wait, std::chrono::duration<LeaseRep, LeasePeriod> lease,
                          std::stop_token stop = {}) {
        return m_handle.take(recipes::Mode::Exclusive, waitOf(wait), std::move(stop), waitOf(lease));
    }
    /// Takes the lock, however long that takes, for an object that owns the hold. Any thread may give it back: for
    /// thread pools and event loops.
    Hold acquire(std::stop_token stop = {}) {
        return m_handle.acquire(recipes::Mode::Exclusive, kNever, std::move(stop));
    }
    /// As acquire(), with one try; empty when the lock is held, even by this thread.
    Hold tryAcquire() { return m_handle.acquire(recipes::Mode::Exclusive, Nanos(0)); }
    /// As acquire(), waiting at most `wait`; empty when not in time, as with try_lock_for().
    template <typename Rep, typename Period>
    Hold tryAcquireFor(std::chrono::duration<Rep, Period> wait, std::stop_token stop = {}) {
        return m_handle.acquire(recipes::Mode::Exclusive, waitOf(wait), std::move(stop));
    }
    /// Gives one hold up. Does not throw, because guards call it in their destructors: errors go to onUnlockFailed().
    void unlock() noexcept { m_handle.giveUpQuietly(recipes::Mode::Exclusive); }
    /// Gives one hold up; returns how many holds this thread has left. Throws NotOwnerException when the hold was lost
    /// or this thread never had one.
    int unlockOrThrow() { return m_handle.giveUp(recipes::Mode::Exclusive); }
    /// Gives back holds that other threads of this program took with lock() and the like and left behind: a thread
    /// ended, or another thread destroyed its guard. Otherwise a watchdog renews such holds as long as the client
    /// exists (or until LockOptions::maxHold). Returns how many were given back. Make sure that nobody acts on these
    /// holds any more. Throws LockException when the server does not answer.
    int giveBack(HoldsOf whose) { return m_handle.giveBack(whose); }

    /// Whether this thread holds the lock and may still act on it: false once it is lost or its deadline has passed.
    /// Compares clocks, does not ask the server; works while the service thread is busy.
    bool stillMine() const { return m_handle.stillMine(recipes::Mode::Exclusive); }
    /// The fencing token of this thread's hold, to send with each write. 0 = none: the recipe gives none, or
    /// LockOptions::token is false.
    std::int64_t token() const { return m_handle.token(recipes::Mode::Exclusive); }
    /// How many holds this thread has on the lock; asks the service thread.
    int holdCount() const { return m_handle.holdCount(recipes::Mode::Exclusive); }
    /// Time left to this thread's hold unless it is renewed, by the local clock. 0 when not held or lost; kNever when
    /// nothing ends it. Does not ask the server.
    Nanos remaining() const { return m_handle.remaining(recipes::Mode::Exclusive); }
    /// Frees the lock, regardless of its holder; false when it was free. The holder hears of the loss at once where the
    /// server can tell (Redis, ZooKeeper, etcd), otherwise at its next renewal.
    bool forceUnlock() { return m_handle.forceUnlock(); }
    /// Asks the server whether any thread holds the lock, this one included. The answer may be outdated on arrival: use
    /// it for display only. To learn whether the lock can be taken, try to take it.
    bool isLocked() { return m_handle.isLocked(); }
    /// Calls `listener` on the service thread at each event of any hold that this program has on this lock; replaces
    /// the listener set before. nullptr: none. `reason` is a translated sentence with Lost, Suspended, ReleaseFailed
    /// and WaitFailed, else empty. The listener must not block (no calls of blocking locks) and must not throw.
    void onEvent(std::function<void(HoldEvent event, const std::string& reason)> listener) {
        m_handle.onEvent(std::move(listener));
    }
    /// Calls `listener` on the service thread when this program loses any hold on this lock, also because its client
    /// was closed. The listener must not block (no calls of blocking locks) and must not throw.
    void onLost(std::function<void(const std::string& reason)> listener) { m_handle.onLost(std::move(listener)); }
    /// As onLost(), when the server does not answer for a hold: wind down now, the hold may soon be lost. It is kept if
    /// the server comes back in time. A frozen server is noticed after the URL's `?timeout=` (3 s; databases 10 s): if
    /// the lease is not well above that, the loss comes first.
    void onSuspended(std::function<void(const std::string& reason)> listener) {
        m_handle.onSuspended(std::move(listener));
    }
    /// Calls `handler` on the unlocking thread when unlock() fails. Default: the handler of onWarning(), or a line on
    /// stderr if the program sets none. It is not called for a release that LockOptions::minHold postponed: onEvent()
    /// reports that failure, or else the handler of onWarning(). `handler` must not throw. Set it before other threads
    /// use this object.
    void onUnlockFailed(std::function<void(const LockException&)> handler) {
        m_handle.onUnlockFailed(std::move(handler));
    }

protected:
    AloneLock(const Client& client, std::string_view name, recipes::Mode mode, LockOptions options)
        : m_handle(client, name, mode, std::move(options), 1) {}
    AloneLock(const Manager& manager, std::string_view space, std::string_view name, recipes::Mode mode)
        : m_handle(manager, space, name, mode, 1) {}
    AloneLock(const std::vector<LockPart>& parts, LockOptions options) : m_handle(parts, std::move(options)) {}
    ~AloneLock() = default;
    Handle m_handle;
};

} // namespace detail

/// A mutex that threads of many processes share. Satisfies TimedLockable, so std::unique_lock and std::lock_guard work:
///
///     blocking::Client client("redis://127.0.0.1");
///     blocking::Mutex orders(client, "orders");
///     const std::lock_guard guard(orders);
///     ship(orders.token());
///
/// Thread-safe. Reentrant per thread where the recipe is (most are: RecipeInfo::reentrant), as in Redisson and Curator:
/// a thread unlocks as often as it locked, and no thread unlocks another's hold. Objects of one client with equal name
/// and recipe are one lock; they must have equal options.
///
/// For several mutexes use a MultiLock. std::scoped_lock and std::lock also work, but are slow under contention: they
/// take one, try the next, give back and start again, and each step asks a server (1.6 instead of 71 acquisitions per
/// second of two contended locks on ZooKeeper).
///
/// Unlike a mutex in memory, it can be lost: when the server or network is away for longer than the lease, when the
/// server loses its data, or when somebody frees it by force. Ask stillMine() before a step that must not happen twice,
/// send token() to the resource that checks it, or listen with onLost(). A server that comes back without its data is
/// found out as soon as the connection is back; keys that go while it is there (FLUSHALL, flush_all, an eviction, a
/// deleted row) at the next renewal (LockOptions::watchdog).
class Mutex : public detail::AloneLock {
public:
    /// Throws LockException when the server has no such recipe; RefusedException when this client has a lock of that
    /// name with other options, or for an unsafe recipe (LockOptions::allowNaive).
    Mutex(const Client& client, std::string_view name, LockOptions options = {})
        : AloneLock(client, name, recipes::Mode::Exclusive, std::move(options)) {}
    /// A lock of a manager's namespace, on the engine that the namespace uses. Throws NotSupportedException when any
    /// engine's recipe offers no exclusive holds, RefusedException when there is no such namespace.
    Mutex(const Manager& manager, std::string_view space, std::string_view name)
        : AloneLock(manager, space, name, recipes::Mode::Exclusive) {}

private:
    friend class Condition;
};

/// A readers-writer mutex that threads of many processes share. Satisfies SharedTimedLockable, so std::shared_lock
/// works; otherwise as Mutex. The recipe decides whether a thread may have both kinds of hold, and whether waiting
/// writers keep new readers out. Its default recipe differs from Mutex's, so all users of a lock must use SharedMutex.
/// If some use Mutex, most servers detect that and refuse; PostgreSQL cannot detect it.
class SharedMutex : public detail::AloneLock {
public:
    /// As Mutex's constructor, with a recipe that offers shared holds.
    SharedMutex(const Client& client, std::string_view name, LockOptions options = {})
        : AloneLock(client, name, recipes::Mode::Shared, std::move(options)) {}
    /// As Mutex's constructor for a manager; every engine's recipe must offer shared holds.
    SharedMutex(const Manager& manager, std::string_view space, std::string_view name)
        : AloneLock(manager, space, name, recipes::Mode::Shared) {}

    /// As lock(), for a reader. The functions below correspond to those of the same name without "shared".
    void lock_shared() { m_handle.take(recipes::Mode::Shared, kNever); }
    void lock_shared(std::stop_token stop) { m_handle.take(recipes::Mode::Shared, kNever, std::move(stop)); }
    bool try_lock_shared() { return m_handle.take(recipes::Mode::Shared, Nanos(0)); }
    template <typename Rep, typename Period>
    bool try_lock_shared_for(std::chrono::duration<Rep, Period> wait, std::stop_token stop = {}) {
        return m_handle.take(recipes::Mode::Shared, detail::waitOf(wait), std::move(stop));
    }
    template <typename Clock, typename Duration>
    bool try_lock_shared_until(std::chrono::time_point<Clock, Duration> until, std::stop_token stop = {}) {
        return m_handle.take(recipes::Mode::Shared, detail::waitUntil(until), std::move(stop));
    }
    template <typename Rep, typename Period, typename LeaseRep, typename LeasePeriod>
    bool tryLockSharedWithLease(std::chrono::duration<Rep, Period> wait,
                                std::chrono::duration<LeaseRep, LeasePeriod> lease, std::stop_token stop = {}) {
        return m_handle.take(recipes::Mode::Shared, detail::waitOf(wait), std::move(stop), detail::waitOf(lease));
    }
    /// As acquire() and tryAcquireFor(), for a reader.
    Hold acquireShared(std::stop_token stop = {}) {
        return m_handle.acquire(recipes::Mode::Shared, kNever, std::move(stop));
    }
    template <typename Rep, typename Period>
    Hold tryAcquireSharedFor(std::chrono::duration<Rep, Period> wait, std::stop_token stop = {}) {
        return m_handle.acquire(recipes::Mode::Shared, detail::waitOf(wait), std::move(stop));
    }
    void unlock_shared() noexcept { m_handle.giveUpQuietly(recipes::Mode::Shared); }
    int unlockSharedOrThrow() { return m_handle.giveUp(recipes::Mode::Shared); }
    /// Whether this thread holds the lock as a reader; otherwise as stillMine().
    bool stillShared() const { return m_handle.stillMine(recipes::Mode::Shared); }
    /// How many holds this thread has as a reader; asks the service thread.
    int sharedHoldCount() const { return m_handle.holdCount(recipes::Mode::Shared); }
    /// As remaining(), for this thread's hold as a reader.
    Nanos remainingShared() const { return m_handle.remaining(recipes::Mode::Shared); }
};

static_assert(TimedLockable<Mutex>);
static_assert(TimedLockable<SharedMutex> && SharedTimedLockable<SharedMutex>);

} // namespace lockscope::blocking
