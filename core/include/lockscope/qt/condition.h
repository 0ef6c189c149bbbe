// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/qt/locks.h>

namespace lockscope {
class AnyCondition;
}

namespace lockscope::qt {

/// A condition variable of a mutex that many processes share, a manager's mutexes included. The mutex must outlive it.
/// await() may return without a signal: check the awaited state in a loop.
class Condition {
public:
    explicit Condition(Mutex& mutex);
    ~Condition();
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;

    /// Gives up all holds of `thread`, waits for a signal, and takes as many again. True when signalled, false when not
    /// within `wait`; in both cases, and after a stop request, the mutex is held again. ErrorKind::NotOwner when the
    /// thread does not hold it; after other errors it may not be held.
    Outcome<bool> await(std::chrono::nanoseconds wait = std::chrono::nanoseconds::max(), std::stop_token stop = {},
                        int thread = 1);
    /// Wakes the longest waiter; returns how many were woken. ErrorKind::NotOwner unless the thread holds the mutex.
    Outcome<int> signal(int thread = 1);
    /// Wakes all waiters; otherwise as signal().
    Outcome<int> signalAll(int thread = 1);

private:
    std::expected<AnyCondition*, Error> made();
    Mutex& m_mutex;
    std::unique_ptr<AnyCondition> m_condition; ///< made at first use
};

} // namespace lockscope::qt
