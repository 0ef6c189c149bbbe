// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/blocking/handle.h"

namespace lockscope::blocking {

/// Some permits, held: given back when this goes, or sooner by release().
using Permit = Hold;

/// So many permits that the threads of many processes share. Thread-safe.
class Semaphore {
public:
    /// `permits`: how many there are in all, > 0; all processes should say the same.
    Semaphore(const Client& client, std::string_view name, int permits, LockOptions options = {})
        : m_handle(client, name, recipes::Mode::Permit, std::move(options), permits) {}
    /// One of a manager's namespace, as Mutex.
    Semaphore(const Manager& manager, std::string_view space, std::string_view name, int permits)
        : m_handle(manager, space, name, recipes::Mode::Permit, permits) {}

    /// Takes so many together, however long that takes. Throws LockException; with a stop token InterruptedException.
    Permit acquire(int permits = 1, std::stop_token stop = {}) { return take(permits, kNever, std::move(stop)); }
    /// One try; empty when there are not so many free.
    Permit tryAcquire(int permits = 1) { return take(permits, Nanos(0), {}); }
    /// Takes them in time; empty when that was too short, also because the server was away: onEvent() hears of that.
    template <typename Rep, typename Period>
    Permit tryAcquireFor(std::chrono::duration<Rep, Period> wait, int permits = 1, std::stop_token stop = {}) {
        return take(permits, detail::waitOf(wait), std::move(stop));
    }
    /// The same with a lease of its own, at least 1 ms, that no watchdog renews: LockRequest::lease.
    template <typename Rep, typename Period, typename LeaseRep, typename LeasePeriod>
    Permit tryAcquireWithLease(std::chrono::duration<Rep, Period> wait,
                               std::chrono::duration<LeaseRep, LeasePeriod> lease, int permits = 1,
                               std::stop_token stop = {}) {
        return take(permits, detail::waitOf(wait), std::move(stop), detail::waitOf(lease));
    }
    /// Frees all permits, whoever has them; false when nobody had any. The holders are not told.
    bool forceUnlock() { return m_handle.forceUnlock(); }
    /// Asks the server whether anybody has any of the permits; as Mutex::isLocked.
    bool isLocked() { return m_handle.isLocked(); }
    /// As Mutex::onEvent.
    void onEvent(std::function<void(HoldEvent event, const std::string& reason)> listener) {
        m_handle.onEvent(std::move(listener));
    }
    /// As Mutex::onLost.
    void onLost(std::function<void(const std::string& reason)> listener) { m_handle.onLost(std::move(listener)); }
    /// As Mutex::onSuspended.
    void onSuspended(std::function<void(const std::string& reason)> listener) {
        m_handle.onSuspended(std::move(listener));
    }

private:
    Permit take(int permits, Nanos wait, std::stop_token stop, std::optional<Nanos> lease = std::nullopt) {
        return m_handle.acquire(recipes::Mode::Permit, wait, std::move(stop), lease, permits);
    }
    detail::Handle m_handle;
};

} // namespace lockscope::blocking
