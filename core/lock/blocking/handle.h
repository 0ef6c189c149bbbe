// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/any_lock.h"
#include "lock/blocking/client.h"
#include "lock/blocking/hold.h"

namespace lockscope::blocking {
class Manager;
struct LockPart;

/// The holds that Mutex::giveBack() gives back, whichever threads of the program took them.
enum class HoldsOf : std::uint8_t {
    EndedThreads, ///< holds of ended threads, which nobody could unlock any more
    AllThreads,   ///< also holds of live threads, such as those whose guard another thread destroyed
};
} // namespace lockscope::blocking

namespace lockscope::blocking::detail {

struct Entry;

/// Converts a wait to nanoseconds, rounded up: 0 when it is negative, kNever when it does not fit.
template <typename Rep, typename Period>
Nanos waitOf(std::chrono::duration<Rep, Period> wait) {
    using Wide = std::chrono::duration<long double, std::nano>;
    if (wait <= wait.zero()) return Nanos(0);
    if (Wide(wait) >= Wide(kNever)) return kNever;
    return std::chrono::ceil<Nanos>(wait);
}
template <typename Clock, typename Duration>
Nanos waitUntil(std::chrono::time_point<Clock, Duration> until) {
    // Floating point: the difference of extreme time points overflows an integer.
    using Wide = std::chrono::duration<long double, std::nano>;
    return waitOf(Wide(until.time_since_epoch()) - Wide(Clock::now().time_since_epoch()));
}

/// The shared part of Mutex, SharedMutex, MultiLock and Semaphore: one lock, used on behalf of the calling thread.
class Handle {
public:
    Handle(const Client& client, std::string_view name, recipes::Mode mode, LockOptions options, int permits);
    Handle(const Manager& manager, std::string_view space, std::string_view name, recipes::Mode mode, int permits);
    Handle(const std::vector<LockPart>& parts, LockOptions options);
    ~Handle();
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    bool take(recipes::Mode mode, Nanos wait, std::stop_token stop = {}, std::optional<Nanos> lease = std::nullopt);
    /// As take(), for an object that owns the hold; empty when not in time. The hold is separate: it does not re-enter
    /// a hold of the calling thread.
    Hold acquire(recipes::Mode mode, Nanos wait, std::stop_token stop = {}, std::optional<Nanos> lease = std::nullopt,
                 int permits = 1);
    int giveUp(recipes::Mode mode);
    int giveBack(HoldsOf whose);
    /// giveUp() for destructors: errors go to the handler that onUnlockFailed() set.
    void giveUpQuietly(recipes::Mode mode) noexcept;
    bool stillMine(recipes::Mode mode) const;
    std::int64_t token(recipes::Mode mode) const;
    std::vector<std::int64_t> tokens(recipes::Mode mode) const;
    Nanos remaining(recipes::Mode mode) const;
    int holdCount(recipes::Mode mode) const;
    bool forceUnlock();
    bool isLocked();
    void onEvent(std::function<void(HoldEvent, const std::string&)> listener);
    void onLost(std::function<void(const std::string&)> listener);
    void onSuspended(std::function<void(const std::string&)> listener);
    void onUnlockFailed(std::function<void(const LockException&)> handler);
    void report(const LockException& problem) const noexcept;

    const std::shared_ptr<Service>& service() const { return m_service; }
    const std::shared_ptr<Entry>& entry() const { return m_entry; }

private:
    std::shared_ptr<const HoldView> view(recipes::Mode mode) const;
    std::shared_ptr<const HoldView> view(const QByteArray& thread, recipes::Mode mode) const;
    bool heldByAnother(const QByteArray& thread) const;
    bool endedInOutage(const LockError& error, const LockRequest& request, Nanos begun) const;
    std::shared_ptr<Service> m_service;
    std::shared_ptr<Entry> m_entry;
    std::uint64_t m_listener = 0, m_lostListener = 0, m_suspendedListener = 0;
    std::function<void(const LockException&)> m_onUnlockFailed;
};

} // namespace lockscope::blocking::detail
