// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/exclusive_lock.h>

namespace lockscope::blocking {

/// A readers-writer mutex that threads of many processes share. Satisfies SharedTimedLockable, so std::shared_lock
/// works; otherwise as Mutex. The recipe decides whether a thread may have both kinds of hold, and whether waiting
/// writers keep new readers out. A writer may read, too, with redis-rw and zk-rw; sql-advisory refuses that. A reader
/// that wants to write waits for itself with redis-rw, for ever if it calls lock(); zk-rw and sql-advisory refuse that
/// at once (NotSupportedException). Give the other hold back first. Its default recipe differs from Mutex's, so all
/// users of a lock must use SharedMutex. If some use Mutex, most servers detect that and refuse; PostgreSQL cannot
/// detect it.
class SharedMutex : public ExclusiveLock {
public:
    /// As Mutex's constructor, with a recipe that offers shared holds (else NotSupportedException).
    SharedMutex(const Client& client, std::string_view name, LockOptions options = {})
        : ExclusiveLock(client, name, LockMode::Shared, std::move(options)) {}
    SharedMutex(const Manager& manager, std::string_view space, std::string_view name)
        : ExclusiveLock(manager, space, name, LockMode::Shared) {}

    /// As lock(), for a reader. The functions below correspond to those of the same name without "shared".
    void lock_shared() { m_handle.take(LockMode::Shared, detail::kForever); }
    void lock_shared(std::stop_token stop) { m_handle.take(LockMode::Shared, detail::kForever, std::move(stop)); }
    bool try_lock_shared() { return m_handle.take(LockMode::Shared, std::chrono::nanoseconds(0)); }
    template <typename Rep, typename Period>
    bool try_lock_shared_for(std::chrono::duration<Rep, Period> wait, std::stop_token stop = {}) {
        return m_handle.take(LockMode::Shared, detail::waitOf(wait), std::move(stop));
    }
    template <typename Clock, typename Duration>
    bool try_lock_shared_until(std::chrono::time_point<Clock, Duration> until, std::stop_token stop = {}) {
        return m_handle.take(LockMode::Shared, detail::waitUntil(until), std::move(stop));
    }
    template <typename Rep, typename Period, typename LeaseRep, typename LeasePeriod>
    bool tryLockSharedWithLease(std::chrono::duration<Rep, Period> wait,
                                std::chrono::duration<LeaseRep, LeasePeriod> lease, std::stop_token stop = {}) {
        return m_handle.take(LockMode::Shared, detail::waitOf(wait), std::move(stop), detail::waitOf(lease));
    }
    /// As acquire(), tryAcquire(), tryAcquireFor() and tryAcquireWithLease(), for a reader.
    Hold acquireShared(std::stop_token stop = {}) {
        return m_handle.acquire(LockMode::Shared, detail::kForever, std::move(stop));
    }
    template <typename Rep, typename Period>
    Hold tryAcquireSharedFor(std::chrono::duration<Rep, Period> wait, std::stop_token stop = {}) {
        return m_handle.acquire(LockMode::Shared, detail::waitOf(wait), std::move(stop));
    }
    Hold tryAcquireShared() { return m_handle.acquire(LockMode::Shared, std::chrono::nanoseconds(0)); }
    template <typename Rep, typename Period, typename LeaseRep, typename LeasePeriod>
    Hold tryAcquireSharedWithLease(std::chrono::duration<Rep, Period> wait,
                                   std::chrono::duration<LeaseRep, LeasePeriod> lease, std::stop_token stop = {}) {
        return m_handle.acquire(LockMode::Shared, detail::waitOf(wait), std::move(stop), detail::waitOf(lease));
    }
    /// As extend(), unlock() and unlockOrThrow(), for this thread's hold as a reader.
    void extendShared(std::chrono::nanoseconds lease) { m_handle.extend(LockMode::Shared, lease); }
    void unlock_shared() noexcept { m_handle.giveUpQuietly(LockMode::Shared); }
    int unlockSharedOrThrow() { return m_handle.giveUp(LockMode::Shared); }
    /// Whether this thread holds the lock as a reader; otherwise as stillMine().
    bool stillShared() const { return m_handle.stillMine(LockMode::Shared); }
    /// As lost(), for this thread's hold as a reader.
    std::stop_token lostShared() const { return m_handle.lost(LockMode::Shared); }
    /// How many holds this thread has as a reader; asks the service thread.
    int sharedHoldCount() const { return m_handle.holdCount(LockMode::Shared); }
    /// As remaining(), for this thread's hold as a reader.
    std::chrono::nanoseconds remainingShared() const { return m_handle.remaining(LockMode::Shared); }
};

static_assert(TimedLockable<SharedMutex> && SharedTimedLockable<SharedMutex>);

} // namespace lockscope::blocking
