// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/hold_view.h"
#include "lock/lock_guard.h"
#include "lock/lock_options.h"

#include <functional>

namespace lockscope {

/// What happens to a hold, as the listeners of its lock are told.
enum class HoldEvent : std::uint8_t {
    Acquired,
    Reentered,
    Renewed,   ///< a renewal was confirmed; of sessions: the connection is back and the hold was kept
    Lost,      ///< the hold is gone; `reason` says why
    Released,  ///< one hold was given up
    Suspended, ///< the server does not answer for the hold, which may still last; ends with Renewed or Lost
    /// A hold was given up, and the server could not be told, or knew nothing of it any more; `reason` says which. It
    /// is held here no longer; what the server still has of it ends with its lease, session or connection.
    ReleaseFailed,
};

/// What a DistributedLock, on one server, and a ManagedLock, on whichever engine is in use, have in common: for those
/// who do not care. Each says what its functions do.
class AnyLock {
public:
    using Thread = QByteArray; ///< decimal, "1"
    using Mode = recipes::Mode;
    template <typename T>
    using Outcome = recipes::Outcome<T>;
    using Event = HoldEvent;
    using Listener = std::function<void(Event, const Thread&, const QString& reason)>;

    virtual ~AnyLock() = default;
    virtual Outcome<bool> take(LockRequest request, std::stop_token stop) = 0;
    virtual Outcome<LockGuard> acquire(LockRequest request, std::stop_token stop) = 0;
    virtual Outcome<int> unlock(const Thread& thread, Mode mode) = 0;
    virtual Outcome<bool> forceUnlock() = 0;
    virtual Outcome<bool> isLocked(std::stop_token stop) = 0;
    virtual bool isHeld() const = 0;
    virtual int holdCount(const Thread& thread, Mode mode) const = 0;
    virtual std::vector<std::int64_t> tokens(const Thread& thread, Mode mode) const = 0;
    virtual std::shared_ptr<const HoldView> view(const Thread& thread, Mode mode) const = 0;
    virtual void listen(Listener listener) = 0;
};

/// The same of conditions: DistributedCondition and ManagedCondition.
class AnyCondition {
public:
    using Thread = AnyLock::Thread;
    template <typename T>
    using Outcome = recipes::Outcome<T>;

    virtual ~AnyCondition() = default;
    virtual Outcome<bool> await(Nanos wait, Thread thread, std::stop_token stop) = 0;
    virtual Outcome<int> signal(Thread thread) = 0;
    virtual Outcome<int> signalAll(Thread thread) = 0;
};

} // namespace lockscope
