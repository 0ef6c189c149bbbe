// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/distributed_mutex.h"

namespace lockscope {

/// A condition variable of a mutex that many processes share: its holder gives the mutex up and waits until another
/// holder signals. It resembles java.util.concurrent's Condition. Works over recipes with RecipeInfo::condition.
///
/// await() may return without a signal (for instance after this process was away for longer than its entry lives on the
/// server): check the awaited state in a loop.
/// The mutex and its connection must outlive it. Single-threaded, on their runtime's thread.
class DistributedCondition final : public AnyCondition {
public:
    /// All conditions of one mutex are the same condition, in this process and in others.
    explicit DistributedCondition(DistributedMutex& mutex)
        : m_connection(mutex.connection()), m_mutex(&mutex), m_name(mutex.name()) {}
    /// For a lock that was made directly over a connection; `name` is the lock's name.
    DistributedCondition(Connection& connection, DistributedLock& lock, QByteArray name)
        : m_connection(connection), m_lock(&lock), m_name(std::move(name)) {}

    /// Gives up all holds of `thread`, waits for a signal, and takes as many again. True when signalled, false when not
    /// within `wait`; in both cases the mutex is held again. A signal between giving up and waiting is not lost. A stop
    /// request ends the wait with Cancelled, after taking the mutex again. Kind::NotOwner when the thread does not hold
    /// it; after other errors it may not be held: see stillMine().
    Outcome<bool> await(Nanos wait = kNever, Thread thread = "1", std::stop_token stop = {}) override;
    /// Wakes the longest waiter; returns how many were woken. Kind::NotOwner when the thread does not hold the mutex.
    Outcome<int> signal(Thread thread = "1") override { return wake(1, std::move(thread)); }
    /// Wakes all waiters; otherwise as signal().
    Outcome<int> signalAll(Thread thread = "1") override {
        return wake(std::numeric_limits<int>::max(), std::move(thread));
    }

private:
    /// Finds the lock and the recipe, once; nullopt: both are there.
    std::optional<LockError> find();
    Outcome<int> wake(int most, Thread thread);
    Connection& m_connection;
    DistributedMutex* m_mutex = nullptr;
    DistributedLock* m_lock = nullptr;
    QByteArray m_name;
    std::shared_ptr<recipes::ConditionRecipe> m_recipe;
};

} // namespace lockscope
