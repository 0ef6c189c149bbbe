// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/client.h>
#include <lockscope/detail/waits.h>
#include <lockscope/hold.h>
#include <lockscope/hold_event.h>
#include <lockscope/holder.h>

#include <functional>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace lockscope {
struct HoldView;
} // namespace lockscope

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

/// The shared part of Mutex, SharedMutex, MultiLock and Semaphore: one lock, used on behalf of the calling thread.
class Handle {
public:
    using Nanoseconds = std::chrono::nanoseconds;
    using EventListener = std::function<void(HoldEvent event, const std::string& reason)>;
    using ReasonListener = std::function<void(const std::string& reason)>;

    Handle(const Client& client, std::string_view name, LockMode mode, LockOptions options, int permits);
    Handle(const Manager& manager, std::string_view space, std::string_view name, LockMode mode, int permits);
    Handle(const std::vector<LockPart>& parts, LockOptions options);
    ~Handle();
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    bool take(LockMode mode, Nanoseconds wait, std::stop_token stop = {},
              std::optional<Nanoseconds> lease = std::nullopt);
    /// As take(), for an object that owns the hold; empty when not in time. The hold is separate: it does not re-enter
    /// a hold of the calling thread.
    Hold acquire(LockMode mode, Nanoseconds wait, std::stop_token stop = {},
                 std::optional<Nanoseconds> lease = std::nullopt, int permits = 1);
    int giveUp(LockMode mode);
    int giveBack(HoldsOf whose);
    /// giveUp() for destructors: errors go to the handler that onUnlockFailed() set.
    void giveUpQuietly(LockMode mode) noexcept;
    void extend(LockMode mode, Nanoseconds lease);
    bool stillMine(LockMode mode) const;
    std::stop_token lost(LockMode mode) const;
    std::int64_t token(LockMode mode) const;
    std::vector<std::int64_t> tokens(LockMode mode) const;
    Nanoseconds remaining(LockMode mode) const;
    int holdCount(LockMode mode) const;
    bool forceUnlock();
    bool isLocked();
    std::vector<Holder> holders();
    std::optional<int> permitsFree();
    std::optional<int> queueLength();
    std::optional<Holder> holder();
    void onEvent(EventListener listener);
    void onLost(ReasonListener listener);
    void onSuspended(ReasonListener listener);
    void onUnlockFailed(std::function<void(const LockException&)> handler);

    const std::shared_ptr<Service>& service() const { return m_service; }
    const std::shared_ptr<Entry>& entry() const { return m_entry; }

private:
    void report(const LockException& problem) const noexcept;
    std::shared_ptr<const HoldView> view(LockMode mode) const;
    std::shared_ptr<Service> m_service;
    std::shared_ptr<Entry> m_entry;
    std::uint64_t m_listener = 0, m_lostListener = 0, m_suspendedListener = 0;
    std::function<void(const LockException&)> m_onUnlockFailed;
};

} // namespace lockscope::blocking::detail
