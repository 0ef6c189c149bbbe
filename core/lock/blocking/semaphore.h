// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/blocking/handle.h"

namespace lockscope::blocking {

namespace detail {
struct GuardBox;
}

/// Some permits, held: given back when this goes, or sooner by release(). Movable, also to another thread; empty when
/// nothing was taken. One object is not for several threads at once.
class [[nodiscard]] Permit {
public:
    Permit() = default;
    Permit(Permit&&) noexcept = default;
    /// What this one held before is given back, as by its destructor.
    Permit& operator=(Permit&& other) noexcept;
    /// What goes wrong is told on stderr; release() to know.
    ~Permit();

    /// True from its grant until release(): also when it was lost meanwhile.
    explicit operator bool() const { return m_box != nullptr; }
    /// False once lost or past the own deadline; looks at the clock, not at the server.
    bool stillMine() const;
    /// What is left by the own clock, unless it is renewed; 0 when empty, or lost, kNever when nothing ends it. Does
    /// not ask the server.
    Nanos remaining() const;
    /// Gives them back. Throws NotOwnerException when they were lost. The permit is empty afterwards.
    void release();

private:
    friend class Semaphore;
    std::shared_ptr<detail::Service> m_service;
    std::shared_ptr<detail::GuardBox> m_box;
};

/// So many permits that the threads of many processes share. Thread-safe.
class Semaphore {
public:
    /// `permits`: how many there are in all, > 0; all processes should say the same.
    Semaphore(const Client& client, std::string_view name, int permits, LockOptions options = {})
        : m_handle(client, name, recipes::Mode::Permit, std::move(options), permits) {}
    /// One of a manager's namespace, as Mutex.
    Semaphore(const Manager& manager, std::string_view space, std::string_view name, int permits)
        : m_handle(manager, space, name, recipes::Mode::Permit, permits) {}

    /// Takes so many together, however long that takes. Throws LockException, InterruptedException.
    Permit acquire(int permits = 1, std::stop_token stop = {}) { return take(permits, kNever, std::move(stop)); }
    /// One try; empty when there are not so many free.
    Permit tryAcquire(int permits = 1) { return take(permits, Nanos(0), {}); }
    /// Takes them in time; empty when that was too short.
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
    Permit take(int permits, Nanos wait, std::stop_token stop, std::optional<Nanos> lease = std::nullopt);
    detail::Handle m_handle;
};

} // namespace lockscope::blocking
