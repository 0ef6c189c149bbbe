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
    /// A timed wait of a blocking lock is over, and the last answer that could be had was an error: `reason` says
    /// which. The lock was not taken.
    WaitFailed,
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
    /// Takes it as asked; whether it was in time. Kind::NotSupported, Kind::Refused for what cannot be; without an
    /// answer Kind::Unreachable or OutcomeUnknown. A stop request ends it with Cancelled and leaves nothing behind.
    virtual Outcome<bool> take(LockRequest request, std::stop_token stop) = 0;
    /// The same for an object that owns the hold; an empty one when not in time.
    virtual Outcome<LockGuard> acquire(LockRequest request, std::stop_token stop) = 0;
    /// Gives one hold up; the holds left. Kind::NotOwner when it is not, or no longer, held.
    virtual Outcome<int> unlock(const Thread& thread, Mode mode) = 0;
    /// Frees the lock whoever holds it; false when nobody did.
    virtual Outcome<bool> forceUnlock() = 0;
    /// Asks the server whether anybody holds it, in any mode.
    virtual Outcome<bool> isLocked(std::stop_token stop) = 0;
    /// Whether any thread holds it by this object, in any mode; how often that thread does.
    virtual bool isHeld() const = 0;
    virtual int holdCount(const Thread& thread, Mode mode) const = 0;
    /// The fencing tokens of the hold, 0 = none: one, or of several locks as one, one for each part. Empty when not
    /// held.
    virtual std::vector<std::int64_t> tokens(const Thread& thread, Mode mode) const = 0;
    /// What other threads of this program may look at; nullptr when not held.
    virtual std::shared_ptr<const HoldView> view(const Thread& thread, Mode mode) const = 0;
    /// Called at each event, on the runtime's thread; must not throw. nullptr: nobody.
    virtual void listen(Listener listener) = 0;
};

/// The same of conditions: DistributedCondition and ManagedCondition.
class AnyCondition {
public:
    using Thread = AnyLock::Thread;
    template <typename T>
    using Outcome = recipes::Outcome<T>;

    virtual ~AnyCondition() = default;
    /// Gives the lock up with all holds of `thread`, waits for a signal, and takes it again with as many; false when
    /// not signalled within `wait`. Kind::NotOwner when the thread does not hold it.
    virtual Outcome<bool> await(Nanos wait, Thread thread, std::stop_token stop) = 0;
    /// Wakes the one that has waited longest, or all; how many were woken. Kind::NotOwner as above.
    virtual Outcome<int> signal(Thread thread) = 0;
    virtual Outcome<int> signalAll(Thread thread) = 0;
};

} // namespace lockscope
