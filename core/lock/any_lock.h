// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/hold_view.h"
#include "lock/lock_guard.h"
#include "lock/lock_options.h"

#include <functional>
#include <lockscope/hold_event.h>

namespace lockscope {

/// The common interface of DistributedLock (on one server) and ManagedLock (on the engine in use), for code that works
/// with both. Their own comments say more about each function.
class AnyLock {
public:
    using Thread = QByteArray; ///< decimal, "1"
    using Mode = recipes::Mode;
    template <typename T>
    using Outcome = recipes::Outcome<T>;
    using Event = HoldEvent;
    using Listener = std::function<void(Event, const Thread&, const QString& reason)>;

    virtual ~AnyLock() = default;
    /// Takes the lock as requested; false when not in time. Kind::NotSupported or Refused for an impossible request;
    /// Kind::Unreachable or OutcomeUnknown without an answer. A stop request ends it with Cancelled and leaves nothing
    /// behind.
    virtual Outcome<bool> take(LockRequest request, std::stop_token stop) = 0;
    /// As take(), for a guard that owns the hold; an empty guard when not in time.
    virtual Outcome<LockGuard> acquire(LockRequest request, std::stop_token stop) = 0;
    /// Gives one hold up; returns the holds left. Kind::NotOwner when the thread does not, or no longer, hold it.
    virtual Outcome<int> unlock(const Thread& thread, Mode mode) = 0;
    /// Frees the lock, regardless of its holder; false when it was free.
    virtual Outcome<bool> forceUnlock() = 0;
    /// Asks the server whether the lock is held, in any mode.
    virtual Outcome<bool> isLocked(std::stop_token stop) = 0;
    /// Asks the server to keep the thread's hold for `lease` from now, and never for less than it would last anyway. A
    /// hold that a watchdog renews is renewed to the longer lease from then on. Kind::NotOwner when the hold was lost,
    /// NotSupported where leases cannot be prolonged (Recipe::prolongs()), Refused for a lease under 1 ms or, with a
    /// manager, longer than its namespace's.
    virtual Outcome<void> extend(const Thread& thread, Mode mode, Nanos lease) = 0;
    /// Asks the server who holds the lock: Recipe::holders().
    virtual Outcome<std::vector<recipes::HolderInfo>> holders(std::stop_token stop) = 0;
    /// Asks the server how many permits are free: Recipe::permitsFree().
    virtual Outcome<std::optional<int>> permitsFree(std::stop_token stop) = 0;
    /// Asks the server how many contenders wait for permits: Recipe::queueLength().
    virtual Outcome<std::optional<int>> queueLength(std::stop_token stop) = 0;
    /// Whether any thread holds it through this object, in any mode.
    virtual bool isHeld() const = 0;
    /// How many holds `thread` has through this object, in that mode.
    virtual int holdCount(const Thread& thread, Mode mode) const = 0;
    /// False once lost, released, or past the deadline. Compares clocks, does not ask the server.
    virtual bool stillMine(const Thread& thread, Mode mode) const = 0;
    /// The fencing tokens of the hold, 0 = none: one token, or one per part of a multi-lock. Empty when not held.
    virtual std::vector<std::int64_t> tokens(const Thread& thread, Mode mode) const = 0;
    /// A view of the hold that other threads of this program may read; nullptr when not held.
    virtual std::shared_ptr<const HoldView> view(const Thread& thread, Mode mode) const = 0;
    /// Calls `listener` at each event, on the runtime's thread; it must not throw. nullptr: none.
    virtual void listen(Listener listener) = 0;
    /// Marks in the trace that the holder is at work: it stands at its recipe's work step.
    virtual void atWork(const Thread& thread) = 0;
    /// Fault injection: stops all renewals while the work goes on.
    virtual void stopWatchdog() = 0;
};

/// The common interface of DistributedCondition and ManagedCondition.
class AnyCondition {
public:
    using Thread = AnyLock::Thread;
    template <typename T>
    using Outcome = recipes::Outcome<T>;

    virtual ~AnyCondition() = default;
    /// Gives up all holds of `thread`, waits for a signal, and takes as many again; false when no signal came within
    /// `wait`. Kind::NotOwner when the thread does not hold the lock.
    virtual Outcome<bool> await(Nanos wait, Thread thread, std::stop_token stop) = 0;
    /// Wakes the longest waiter; returns how many were woken. Kind::NotOwner when the thread does not hold the lock.
    virtual Outcome<int> signal(Thread thread) = 0;
    /// Wakes all waiters; otherwise as signal().
    virtual Outcome<int> signalAll(Thread thread) = 0;
};

} // namespace lockscope
