// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/any_lock.h"

namespace lockscope {

namespace detail {
class Namespace;
struct ManagedCore;
} // namespace detail

/// A lock of a LockManager's namespace, on whichever engine that uses. As with a DistributedLock, one such object per
/// lock name and thread is best; otherwise what that says of threads holds here.
class ManagedLock final : public AnyLock {
public:
    ~ManagedLock() override;
    ManagedLock(const ManagedLock&) = delete;
    ManagedLock& operator=(const ManagedLock&) = delete;

    /// As DistributedLock::acquire. Waits, too, while no engine is in use, and goes over to the next one in the middle
    /// of a wait. An empty guard when not in time, and when this object or its manager goes away meanwhile. A thread
    /// that holds it on an engine that is being drained still re-enters there, where the recipe is reentrant, for as
    /// long as it may hold it. Kind::Refused for a name that the engine in use cannot have, and for a lease longer than
    /// the namespace's, since others wait for no longer one at a switch; Kind::OutcomeUnknown and Kind::Unreachable
    /// when its server does not answer. A stop request ends it with Cancelled.
    Outcome<LockGuard> acquire(LockRequest request, std::stop_token stop = {}) override;
    /// The same without a guard, for who gives it up by unlock(); whether it was taken.
    Outcome<bool> take(LockRequest request, std::stop_token stop = {}) override;
    /// acquire() an exclusive hold within `wait` (0: one try; kNever: no bound).
    Outcome<LockGuard> tryLockFor(Nanos wait, Thread thread = "1", std::stop_token stop = {});
    /// The same, however long it takes.
    Outcome<LockGuard> lock(Thread thread = "1", std::stop_token stop = {}) {
        return tryLockFor(kNever, std::move(thread), std::move(stop));
    }
    /// Gives one hold up, on whichever engine the thread has it; the holds left. Kind::NotOwner when it is not, or no
    /// longer, held: also when a switch has ended it.
    Outcome<int> unlock(const Thread& thread = "1", Mode mode = Mode::Exclusive) override;

    /// Frees the lock on the engine in use, whoever holds it; false when nobody did. The holder is not told. When no
    /// engine is in use it does not wait for one: Kind::Unreachable, and nothing was changed. Holds on an engine that
    /// is being left end by themselves.
    Outcome<bool> forceUnlock() override;
    /// Asks the engine in use whether anybody holds it, as DistributedLock::isLocked. When none is in use, or it is
    /// left before the answer comes: Kind::Unreachable. Nobody could say then: an engine that is being left
    /// may still have holders.
    Outcome<bool> isLocked(std::stop_token stop = {}) override;

    /// As the same of DistributedLock, of whichever engine the thread holds it on. False once a switch has ended it.
    bool stillMine(const Thread& thread = "1", Mode mode = Mode::Exclusive) const;
    bool isHeld() const override;
    int holdCount(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;
    std::vector<std::int64_t> tokens(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;
    std::shared_ptr<const HoldView> view(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;
    /// As DistributedLock::listen: of the locks on all engines, those that are being left included.
    void listen(Listener listener) override;

private:
    friend class LockManager;
    friend class ManagedCondition;
    ManagedLock(std::shared_ptr<detail::Namespace> space, QByteArray name, int permits);
    std::shared_ptr<detail::ManagedCore> m_core;
};

} // namespace lockscope
