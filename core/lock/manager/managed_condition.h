// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/manager/managed_lock.h"

#include <limits>

namespace lockscope {

/// A condition of a managed lock, as DistributedCondition is of another; for namespaces all of whose engines have
/// recipes with conditions, Kind::NotSupported for others.
///
/// *Across a switch.* Whoever waits on an engine that is left is woken without a signal, in each process as soon as
/// that sees the switch, within confirmFor; and takes the lock again on the next engine, as soon as that is in use. A
/// signal on the old engine cannot be lost by that: all who could have been meant are woken, and look again after the
/// signaller has given the lock up. That is, if they ask in a loop whether what they wait for is the case, which
/// waiters must here as with the standard's conditions.
///
/// The lock must outlive it. Single-threaded, on its runtime's thread.
class ManagedCondition final : public AnyCondition {
public:
    explicit ManagedCondition(ManagedLock& lock) : m_core(lock.m_core) {}

    /// As DistributedCondition::await. True also when the engine was left meanwhile. Guards of the hold know it again
    /// afterwards, on whichever engine. Kind::NotOwner also when a switch has ended the hold.
    Outcome<bool> await(Nanos wait = kNever, Thread thread = "1", std::stop_token stop = {}) override;
    /// Wakes the one that has waited longest on this engine; how many were woken. Kind::NotOwner when the thread does
    /// not hold the lock, or no longer.
    Outcome<int> signal(Thread thread = "1") override;
    /// Wakes all.
    Outcome<int> signalAll(Thread thread = "1") override;

private:
    std::shared_ptr<detail::ManagedCore> m_core;
};

} // namespace lockscope
