// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/distributed_mutex.h"

namespace lockscope {

/// A condition of a mutex that many processes share: its holders give it up until another holder signals. What
/// java.util.concurrent's Condition is within one process; over recipes with RecipeInfo::condition.
///
/// As there, await() may return without a signal (after this process was away for longer than its entry lives on the
/// server): ask in a loop whether what was waited for is the case.
/// The mutex and its connection must outlive it. Single-threaded, on their runtime's thread.
class DistributedCondition final : public AnyCondition {
public:
    /// Two conditions of one mutex are the same condition, in this process and in others.
    explicit DistributedCondition(DistributedMutex& mutex)
        : m_connection(mutex.connection()), m_mutex(&mutex), m_name(mutex.name()) {}
    /// Of a lock that was made by hand over a connection.
    DistributedCondition(Connection& connection, DistributedLock& lock, QByteArray name)
        : m_connection(connection), m_lock(&lock), m_name(std::move(name)) {}

    /// Gives the mutex up with all holds of `thread`, waits for a signal, and takes it again with as many. True when
    /// signalled, false when not within `wait`; the mutex is held again in both cases. A signal that comes between
    /// giving up and waiting is not lost. A stop request ends the wait with Cancelled, also after taking the mutex
    /// again. Kind::NotOwner when the thread does not hold it; after other errors it may not be held: see stillMine().
    Outcome<bool> await(Nanos wait = kNever, Thread thread = "1", std::stop_token stop = {}) override;
    /// Wakes the one that has waited longest; how many were woken. Kind::NotOwner when the thread does not hold it.
    Outcome<int> signal(Thread thread = "1") override { return wake(1, std::move(thread)); }
    /// Wakes all.
    Outcome<int> signalAll(Thread thread = "1") override {
        return wake(std::numeric_limits<int>::max(), std::move(thread));
    }

private:
    /// Finds lock and recipe, once; nullopt when both are there.
    std::optional<LockError> find();
    Outcome<int> wake(int most, Thread thread);
    Connection& m_connection;
    DistributedMutex* m_mutex = nullptr;
    DistributedLock* m_lock = nullptr;
    QByteArray m_name;
    std::shared_ptr<recipes::ConditionRecipe> m_recipe;
};

} // namespace lockscope
