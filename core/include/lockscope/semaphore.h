// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/detail/handle.h>

namespace lockscope::blocking {

/// Permits that are held: see Hold. Its release() gives some of them back.
using Permit = Hold;

/// A fixed number of permits that threads of many processes share. Thread-safe.
class Semaphore {
public:
    /// `permits`: how many the semaphore has, > 0; give the same number in all processes. Throws as Mutex's
    /// constructor; RefusedException for fewer than one permit.
    Semaphore(const Client& client, std::string_view name, int permits, LockOptions options = {})
        : m_handle(client, name, LockMode::Permit, std::move(options), permits) {}
    /// A semaphore of a manager's namespace; errors as Mutex's constructor.
    Semaphore(const Manager& manager, std::string_view space, std::string_view name, int permits)
        : m_handle(manager, space, name, LockMode::Permit, permits) {}

    /// Takes `permits` at once, however long that takes. All taking functions throw RefusedException for fewer than one
    /// or more than the semaphore has, InterruptedException on a stop request or when the client is closed, and other
    /// LockExceptions.
    Permit acquire(int permits = 1, std::stop_token stop = {}) {
        return take(permits, detail::kForever, std::move(stop));
    }
    /// Tries once; empty when fewer than `permits` are free.
    Permit tryAcquire(int permits = 1) { return take(permits, std::chrono::nanoseconds(0), {}); }
    /// Waits at most `wait`; empty when `permits` were not free in time, or the server was away: see
    /// Mutex::try_lock_for().
    template <typename Rep, typename Period>
    Permit tryAcquireFor(std::chrono::duration<Rep, Period> wait, int permits = 1, std::stop_token stop = {}) {
        return take(permits, detail::waitOf(wait), std::move(stop));
    }
    /// As tryAcquireFor(), with its own lease of at least 1 ms that no watchdog renews: see Mutex::tryLockWithLease().
    template <typename Rep, typename Period, typename LeaseRep, typename LeasePeriod>
    Permit tryAcquireWithLease(std::chrono::duration<Rep, Period> wait,
                               std::chrono::duration<LeaseRep, LeasePeriod> lease, int permits = 1,
                               std::stop_token stop = {}) {
        return take(permits, detail::waitOf(wait), std::move(stop), detail::waitOf(lease));
    }
    /// Frees all permits, regardless of their holders; false when all were free. The holders hear of the loss as with
    /// Mutex::forceUnlock.
    bool forceUnlock() { return m_handle.forceUnlock(); }
    /// Asks the server whether any permit is taken; limits as Mutex::isLocked.
    bool isLocked() { return m_handle.isLocked(); }
    /// Asks the server for all permits that are taken, this program's included: one Holder each. Redis says how long
    /// each will last, ZooKeeper which client has it: see Holder. For display only, as isLocked(); changes nothing.
    std::vector<Holder> holders() { return m_handle.holders(); }
    /// Asks the server how many permits are free: 0 to the number given to the constructor. Permits whose lease has
    /// ended are free, and those that a waiter has asked for are, too, until it has them. Empty when it cannot be told:
    /// more are taken than that number, so another process gave another one. For display only, as isLocked(): others
    /// may take what was free, and on a ZooKeeper who waits longest comes first. Changes nothing.
    std::optional<int> availablePermits() { return m_handle.permitsFree(); }
    /// Asks the server how many contenders wait for permits, this program's included. Empty where it keeps no queue: on
    /// Redis, waiters listen to a channel, and nothing there counts them. On ZooKeeper a contender that is being
    /// granted its permits counts until it knows. For display only, as isLocked(). Changes nothing.
    std::optional<int> queueLength() { return m_handle.queueLength(); }
    /// Calls `listener` on the service thread at each event of this program's permits; otherwise as Mutex::onEvent.
    void onEvent(std::function<void(HoldEvent event, const std::string& reason)> listener) {
        m_handle.onEvent(std::move(listener));
    }
    /// Calls `listener` on the service thread when this program loses permits; otherwise as Mutex::onLost.
    void onLost(std::function<void(const std::string& reason)> listener) { m_handle.onLost(std::move(listener)); }
    /// Calls `listener` when the server does not answer for permits; otherwise as Mutex::onSuspended.
    void onSuspended(std::function<void(const std::string& reason)> listener) {
        m_handle.onSuspended(std::move(listener));
    }

private:
    Permit take(int permits, std::chrono::nanoseconds wait, std::stop_token stop,
                std::optional<std::chrono::nanoseconds> lease = std::nullopt) {
        return m_handle.acquire(LockMode::Permit, wait, std::move(stop), lease, permits);
    }
    detail::Handle m_handle;
};

} // namespace lockscope::blocking
