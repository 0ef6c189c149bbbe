// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/blocking/mutex.h"

#include <mutex>

namespace lockscope::blocking {

/// A condition of a mutex that the threads of many processes share; used as std::condition_variable_any is, with
/// std::unique_lock<blocking::Mutex>. What DistributedCondition says holds here. Thread-safe.
///
/// As with the standard's, a wait may end without a signal: wait for a predicate, or look again.
class Condition {
public:
    /// The mutex must outlive it. That its recipe has conditions shows when it is used: the other functions throw
    /// NotSupportedException otherwise, a manager's also when the recipe of another engine has none.
    explicit Condition(Mutex& mutex) : m_mutex(mutex) {}

    /// Gives the mutex up with all holds of this thread, waits for a signal and takes it again with as many.
    /// Precondition: `lock` owns the condition's mutex. Throws NotOwnerException when it was lost; InterruptedException
    /// when stopped, with the mutex held again unless the client was closed. After other exceptions it may not be held
    /// either, although `lock` thinks so: see Mutex::stillMine().
    void wait(std::unique_lock<Mutex>& lock, std::stop_token stop = {}) { await(lock, kNever, std::move(stop)); }
    template <typename Predicate>
    void wait(std::unique_lock<Mutex>& lock, Predicate predicate) requires std::predicate<Predicate> {
        while (!predicate())
            wait(lock);
    }
    /// Whether the predicate holds; false when stopped before it did, with the mutex held again.
    template <typename Predicate>
    bool wait(std::unique_lock<Mutex>& lock, std::stop_token stop,
              Predicate predicate) requires std::predicate<Predicate> {
        while (!predicate()) {
            if (stop.stop_requested()) return false;
            try {
                wait(lock, stop);
            } catch (const InterruptedException&) {
                if (!stop.stop_requested()) throw; // its client was closed
                return predicate();
            }
        }
        return true;
    }
    /// False when not signalled in time; the mutex is held again.
    template <typename Rep, typename Period>
    bool wait_for(std::unique_lock<Mutex>& lock, std::chrono::duration<Rep, Period> wait, std::stop_token stop = {}) {
        return await(lock, detail::waitOf(wait), std::move(stop));
    }
    template <typename Clock, typename Duration>
    bool wait_until(std::unique_lock<Mutex>& lock, std::chrono::time_point<Clock, Duration> until,
                    std::stop_token stop = {}) {
        return await(lock, detail::waitUntil(until), std::move(stop));
    }
    /// Whether the predicate holds, in time.
    template <typename Rep, typename Period, typename Predicate>
    bool wait_for(std::unique_lock<Mutex>& lock, std::chrono::duration<Rep, Period> wait,
                  Predicate predicate) requires std::predicate<Predicate> {
        using Clock = std::chrono::steady_clock;
        const Nanos until = laterBy(Clock::now().time_since_epoch(), detail::waitOf(wait)); // no sum that overflows
        while (!predicate()) {
            if (!wait_until(lock, Clock::time_point(until))) return predicate();
        }
        return true;
    }
    template <typename Clock, typename Duration, typename Predicate>
    bool wait_until(std::unique_lock<Mutex>& lock, std::chrono::time_point<Clock, Duration> until,
                    Predicate predicate) requires std::predicate<Predicate> {
        while (!predicate()) {
            if (!wait_until(lock, until)) return predicate();
        }
        return true;
    }

    /// Wakes the one that has waited longest; how many were woken. The calling thread holds the mutex: otherwise
    /// NotOwnerException.
    int notify_one() { return signal(1); }
    int notify_all() { return signal(std::numeric_limits<int>::max()); }

private:
    bool await(std::unique_lock<Mutex>& lock, Nanos wait, std::stop_token stop);
    int signal(int most);
    Mutex& m_mutex;
};

} // namespace lockscope::blocking
