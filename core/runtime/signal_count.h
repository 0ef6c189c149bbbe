// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <list>

namespace lockscope {

/// A counting semaphore for coroutines of one process: wake-ups that came while nobody waited are not lost.
/// Waiters are served first come, first served.
class SignalCount {
public:
    /// Lets one waiter go on, or the next one to come.
    void release();
    /// Lets all waiters go on; those that come later still wait.
    void releaseAll();
    /// Forgets wake-ups that nobody took.
    void drain() { m_count = 0; }
    int waiting() const { return static_cast<int>(m_waiters.size()); }

    /// Takes a wake-up that is there already.
    bool tryAcquire() {
        if (m_count == 0) return false;
        --m_count;
        return true;
    }
    /// True when released, false after `timeout`. Throws Cancelled.
    QCoro::Task<bool> acquire(Runtime& runtime, Nanos timeout, std::stop_token stop = {});

private:
    struct Place;
    int m_count = 0;
    std::list<Place*> m_waiters; ///< that allocates nothing while nobody waits
};

} // namespace lockscope
