// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/any_lock.h"

namespace lockscope {

namespace detail {
class Namespace;
struct ManagedCore;
} // namespace detail

/// A lock of a LockManager's namespace, on the engine in use. As with a DistributedLock, use one object per lock name
/// and thread; DistributedLock describes how threads are distinguished.
class ManagedLock final : public AnyLock {
public:
    ~ManagedLock() override;
    ManagedLock(const ManagedLock&) = delete;
    ManagedLock& operator=(const ManagedLock&) = delete;

    /// As DistributedLock::acquire. Also waits while no engine is in use, and moves on to the next engine during a
    /// wait. An empty guard when not in time, and when this object or its manager is destroyed meanwhile. A thread that
    /// holds the lock on an engine that is being drained can still re-enter there if the recipe is reentrant, as long
    /// as its hold may last. Kind::Refused for a name that the engine does not allow, and for a lease longer than the
    /// namespace's, because other processes wait only that long at a switch. Kind::OutcomeUnknown and Kind::Unreachable
    /// when the engine's server does not answer. A stop request ends it with Cancelled.
    Outcome<LockGuard> acquire(LockRequest request, std::stop_token stop = {}) override;
    /// As acquire() without a guard, for callers that use unlock(); true when taken.
    Outcome<bool> take(LockRequest request, std::stop_token stop = {}) override;
    /// Takes an exclusive hold within `wait` (0: one try; kNever: no bound).
    Outcome<LockGuard> tryLockFor(Nanos wait, Thread thread = "1", std::stop_token stop = {});
    /// Takes an exclusive hold, however long that takes.
    Outcome<LockGuard> lock(Thread thread = "1", std::stop_token stop = {}) {
        return tryLockFor(kNever, std::move(thread), std::move(stop));
    }
    /// Gives one hold up, on the engine where the thread has it; returns the holds left. Kind::NotOwner when the thread
    /// does not, or no longer, hold it; also when a switch has ended the hold.
    Outcome<int> unlock(const Thread& thread = "1", Mode mode = Mode::Exclusive) override;

    /// Frees the lock on the engine in use, regardless of its holder; false when it was free. The holder hears of the
    /// loss as with DistributedLock::forceUnlock().
    /// When no engine is in use it does not wait for one: Kind::Unreachable, and nothing was changed. Holds on an
    /// engine that is being left end by themselves.
    Outcome<bool> forceUnlock() override;
    /// Asks the engine in use whether the lock is held, as DistributedLock::isLocked. Kind::Unreachable when none is in
    /// use, or when it is left before the answer comes: an engine that is being left may still have holders.
    Outcome<bool> isLocked(std::stop_token stop = {}) override;

    Outcome<void> extend(const Thread& thread, Mode mode, Nanos lease) override;
    /// Asks the engine in use, as isLocked().
    Outcome<std::vector<recipes::HolderInfo>> holders(std::stop_token stop = {}) override;
    /// Asks the engine in use, as isLocked().
    Outcome<std::optional<int>> permitsFree(std::stop_token stop = {}) override;
    /// Asks the engine in use, as isLocked().
    Outcome<std::optional<int>> queueLength(std::stop_token stop = {}) override;

    /// As DistributedLock::stillMine, on the engine where the thread holds it. False once a switch has ended the hold.
    bool stillMine(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;
    bool isHeld() const override;
    int holdCount(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;
    std::vector<std::int64_t> tokens(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;
    std::shared_ptr<const HoldView> view(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;
    /// As DistributedLock::listen, for the locks on all engines, including engines that are being left.
    void listen(Listener listener) override;
    void atWork(const Thread& thread = "1") override;
    /// Stops renewing the present holds; locks on engines of later epochs renew theirs.
    void stopWatchdog() override;

private:
    friend class LockManager;
    friend class ManagedCondition;
    ManagedLock(std::shared_ptr<detail::Namespace> space, QByteArray name, int permits);
    std::shared_ptr<detail::ManagedCore> m_core;
};

} // namespace lockscope
