// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/detail/handle.h>
#include <lockscope/lock_concepts.h>

namespace lockscope::blocking {

/// The common base of Mutex, SharedMutex and MultiLock: a hold that one thread of one process has alone.
class ExclusiveLock {
public:
    /// Takes the lock, however long that takes. The thread then sees what threads of this program wrote before they
    /// unlocked, also through other clients. All taking functions throw LockException; its type is InterruptedException
    /// on a stop request or when the client is closed. The hold belongs to the calling thread, which alone can unlock
    /// it. Use acquire() for a hold that another thread gives back.
    void lock() { m_handle.take(LockMode::Exclusive, detail::kForever); }
    void lock(std::stop_token stop) { m_handle.take(LockMode::Exclusive, detail::kForever, std::move(stop)); }
    /// Tries once: asks the server, but does not wait for the holder. Without an answer it throws.
    bool try_lock() { return m_handle.take(LockMode::Exclusive, std::chrono::nanoseconds(0)); }
    /// Waits at most `wait`; false when the lock was not free in time, or the server was away until then: onEvent()
    /// then reports HoldEvent::WaitFailed with the reason, when the wait ends: lock(), whose wait never does, reports
    /// nothing. Errors that waiting cannot mend (such as a refused login) throw.
    template <typename Rep, typename Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> wait, std::stop_token stop = {}) {
        return m_handle.take(LockMode::Exclusive, detail::waitOf(wait), std::move(stop));
    }
    template <typename Clock, typename Duration>
    bool try_lock_until(std::chrono::time_point<Clock, Duration> until, std::stop_token stop = {}) {
        return m_handle.take(LockMode::Exclusive, detail::waitUntil(until), std::move(stop));
    }
    /// As try_lock_for(), with its own lease of at least 1 ms that no watchdog renews: the lock is free when it ends.
    /// When a thread takes the lock again, the longest lease wins. If any of its holds is renewed by the watchdog, all
    /// of them are. With a session or connection, this program gives the lock back at that time, by its own clock. etcd
    /// grants whole seconds, and no less than its election time-out.
    template <typename Rep, typename Period, typename LeaseRep, typename LeasePeriod>
    bool tryLockWithLease(std::chrono::duration<Rep, Period> wait, std::chrono::duration<LeaseRep, LeasePeriod> lease,
                          std::stop_token stop = {}) {
        return m_handle.take(LockMode::Exclusive, detail::waitOf(wait), std::move(stop), detail::waitOf(lease));
    }
    /// Takes the lock, however long that takes, for an object that owns the hold. Any thread may give it back: for
    /// thread pools and event loops.
    Hold acquire(std::stop_token stop = {}) {
        return m_handle.acquire(LockMode::Exclusive, detail::kForever, std::move(stop));
    }
    /// As acquire(), with one try; empty when the lock is held, even by this thread.
    Hold tryAcquire() { return m_handle.acquire(LockMode::Exclusive, std::chrono::nanoseconds(0)); }
    /// As acquire(), waiting at most `wait`; empty when not in time, as with try_lock_for().
    template <typename Rep, typename Period>
    Hold tryAcquireFor(std::chrono::duration<Rep, Period> wait, std::stop_token stop = {}) {
        return m_handle.acquire(LockMode::Exclusive, detail::waitOf(wait), std::move(stop));
    }
    /// As tryAcquireFor(), with its own lease: see tryLockWithLease().
    template <typename Rep, typename Period, typename LeaseRep, typename LeasePeriod>
    Hold tryAcquireWithLease(std::chrono::duration<Rep, Period> wait,
                             std::chrono::duration<LeaseRep, LeasePeriod> lease, std::stop_token stop = {}) {
        return m_handle.acquire(LockMode::Exclusive, detail::waitOf(wait), std::move(stop), detail::waitOf(lease));
    }
    /// Asks the server to keep this thread's hold for `lease` from now; it never ends sooner for that. Use it for work
    /// whose hold no watchdog renews (tryLockWithLease(), or LockOptions::watchdog = 0); a hold that the watchdog
    /// renews is renewed to the longer of both leases from then on. A hold that lasts as long as a session or
    /// connection, and has no lease of its own, needs none: nothing is asked. Throws NotOwnerException when the hold
    /// was lost, RefusedException for a lease under 1 ms or one longer than the server allows (memcached: 30 days,
    /// elsewhere 100 years; a lease always has a bound), NotSupportedException for a longer lease than was granted
    /// where that is fixed (etcd, Redlock, several locks as one), other LockExceptions without an answer.
    void extend(std::chrono::nanoseconds lease) { m_handle.extend(LockMode::Exclusive, lease); }
    /// Gives one hold up. Does not throw, because guards call it in their destructors: errors go to onUnlockFailed().
    void unlock() noexcept { m_handle.giveUpQuietly(LockMode::Exclusive); }
    /// Gives one hold up; returns how many holds this thread has left. Throws NotOwnerException when the hold was lost
    /// or this thread never had one.
    int unlockOrThrow() { return m_handle.giveUp(LockMode::Exclusive); }
    /// Gives back holds that other threads of this program took with lock() and the like and left behind: a thread
    /// ended, or another thread destroyed its guard. Otherwise a watchdog renews such holds as long as the client
    /// exists (or until LockOptions::maxHold). Returns how many were given back. Make sure that nobody acts on these
    /// holds any more. Throws LockException when the server does not answer.
    int giveBack(HoldsOf whose) { return m_handle.giveBack(whose); }

    /// Whether this thread holds the lock and may still act on it: false once it is lost or its deadline has passed.
    /// Compares clocks, does not ask the server; works while the service thread is busy.
    bool stillMine() const { return m_handle.stillMine(LockMode::Exclusive); }
    /// Stopped when this thread's present hold is lost, not when it is given back: for work that should end with it.
    /// Callbacks run on the service thread and must not block. A token without a hold is never stopped.
    std::stop_token lost() const { return m_handle.lost(LockMode::Exclusive); }
    /// The fencing token of this thread's hold, to send with each write. 0 = none: the recipe gives none, or
    /// LockOptions::token is false.
    std::int64_t token() const { return m_handle.token(LockMode::Exclusive); }
    /// How many holds this thread has on the lock; asks the service thread.
    int holdCount() const { return m_handle.holdCount(LockMode::Exclusive); }
    /// Time left to this thread's hold unless it is renewed, by the local clock. 0 when not held or lost;
    /// nanoseconds::max() when nothing ends it. Does not ask the server.
    std::chrono::nanoseconds remaining() const { return m_handle.remaining(LockMode::Exclusive); }
    /// Frees the lock, regardless of its holder; false when it was free. The holder hears of the loss at once where the
    /// server can tell (ZooKeeper, etcd; Redis, once it has held for half a second), otherwise at its next renewal. On
    /// MySQL and MariaDB the account needs the right PROCESS for that, if the recipe is sql-for-update.
    bool forceUnlock() { return m_handle.forceUnlock(); }
    /// Asks the server whether any thread holds the lock, this one included. The answer may be outdated on arrival: use
    /// it for display only. To learn whether the lock can be taken, try to take it.
    bool isLocked() { return m_handle.isLocked(); }
    /// Asks the server who holds the lock, this program included; nullopt when it is free. If several readers hold it,
    /// one of them. For display only, as isLocked(); changes nothing. Throws NotSupportedException where the lock's
    /// format does not say who holds it (sql-for-update, sql-advisory, several locks as one, …).
    std::optional<Holder> holder() { return m_handle.holder(); }
    /// As holder(), for all readers; empty when the lock is free.
    std::vector<Holder> holders() { return m_handle.holders(); }
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
    /// Calls `handler` on the unlocking thread when unlock() fails. Default: a warning to the log handler, or a line on
    /// stderr if the program sets none. It is not called for a release that LockOptions::minHold postponed: onEvent()
    /// reports that failure, or else the log handler. `handler` must not throw. Set it before other threads use this
    /// object.
    void onUnlockFailed(std::function<void(const LockException&)> handler) {
        m_handle.onUnlockFailed(std::move(handler));
    }

protected:
    ExclusiveLock(const Client& client, std::string_view name, LockMode mode, LockOptions options)
        : m_handle(client, name, mode, std::move(options), 1) {}
    ExclusiveLock(const Manager& manager, std::string_view space, std::string_view name, LockMode mode)
        : m_handle(manager, space, name, mode, 1) {}
    ExclusiveLock(const std::vector<LockPart>& parts, LockOptions options) : m_handle(parts, std::move(options)) {}
    ~ExclusiveLock() = default;
    detail::Handle m_handle;
};

} // namespace lockscope::blocking
