// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <list>

namespace lockscope {

/// A counting semaphore for the coroutines of one process: a wake-up without a waiter is kept for the next one. Waiters
/// are served in the order of arrival.
class SignalCount {
public:
    /// Wakes one waiter, or the next one to come.
    void release();
    /// Wakes all present waiters; later ones still wait.
    void releaseAll();
    /// Discards wake-ups that no waiter has taken.
    void drain() { m_count = 0; }
    int waiting() const { return static_cast<int>(m_waiters.size()); }

    /// Takes a kept wake-up; false when there is none.
    bool tryAcquire() {
        if (m_count == 0) return false;
        --m_count;
        return true;
    }
    /// True when released, false after `timeout`. Throws Cancelled.
    QCoro::Task<bool> acquire(Runtime& runtime, Nanos timeout, std::stop_token stop = {});

    /// The wait of a coroutine, in its own frame, for code that must be fast: `co_await place.end()`, then served().
    /// Take a kept wake-up first.
    class Place {
    public:
        Place(SignalCount& count, Runtime& runtime, Nanos timeout, std::stop_token stop);
        ~Place();
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        /// The object to await; see Waiter::end().
        Waiter::End end() { return m_waiter.end(); }
        /// After end(): whether it was released, also if the time ran out in the same moment. Then the wake-up is
        /// taken.
        bool served() {
            m_taken = true;
            return m_served;
        }

    private:
        friend class SignalCount;
        SignalCount& m_owner;
        Waiter m_waiter;
        std::list<Place*>::iterator m_at; ///< until it is served
        bool m_served = false;
        bool m_taken = false;
    };

private:
    int m_count = 0;
    std::list<Place*> m_waiters; ///< std::list: no allocation while nobody waits
};

} // namespace lockscope
