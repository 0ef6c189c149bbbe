// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/manager/managed_lock.h"

#include <limits>

namespace lockscope {

/// A condition variable of a managed lock, as DistributedCondition is of other locks. All engines of the namespace must
/// have recipes with conditions; otherwise Kind::NotSupported.
///
/// *Across a switch.* A waiter on an engine that is left is woken without a signal, as soon as its process notices the
/// switch (within confirmFor). It takes the lock again on the next engine, as soon as that is in use. So no signal on
/// the old engine is lost: every waiter that it could have reached is woken and checks its state again after the
/// signaller has given the lock up. As with the standard's conditions, waiters must therefore check in a loop.
///
/// The lock must outlive it. Single-threaded, on its runtime's thread.
class ManagedCondition final : public AnyCondition {
public:
    explicit ManagedCondition(ManagedLock& lock) : m_core(lock.m_core) {}

    /// As DistributedCondition::await. Also true when the engine was left meanwhile. Guards of the hold stay valid
    /// afterwards, on any engine. Kind::NotOwner also when a switch has ended the hold. Kind::NotSupported when the
    /// thread holds the lock more than once and the recipe of any engine is not reentrant.
    Outcome<bool> await(Nanos wait = kNever, Thread thread = "1", std::stop_token stop = {}) override;
    /// Wakes the longest waiter on this engine; returns how many were woken. Kind::NotOwner when the thread does not,
    /// or no longer, hold the lock.
    Outcome<int> signal(Thread thread = "1") override;
    /// Wakes all waiters; otherwise as signal().
    Outcome<int> signalAll(Thread thread = "1") override;

private:
    std::shared_ptr<detail::ManagedCore> m_core;
};

} // namespace lockscope
