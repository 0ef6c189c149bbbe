// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/mutex.h>

#include <concepts>
#include <limits>
#include <mutex>

namespace lockscope::blocking {

/// A condition variable of a mutex that threads of many processes share. Use it as std::condition_variable_any, with
/// std::unique_lock<blocking::Mutex>. All conditions of one mutex are the same condition, in this
/// process and in others. A signal between giving up and waiting is not lost. Thread-safe.
///
/// A wait may end without a signal, as with the standard's: wait for a predicate, or check again.
class Condition {
public:
    /// The mutex must outlive it. A recipe without conditions is reported at first use: the other functions then throw
    /// NotSupportedException. With a manager they do so when any engine's recipe has none.
    explicit Condition(Mutex& mutex) : m_mutex(mutex) {}

    /// Gives up all holds that this thread has on the mutex, waits for a signal and takes as many holds again. Throws
    /// InvalidArgumentException unless `lock` owns the condition's mutex, NotOwnerException when that hold was lost,
    /// and InterruptedException on a stop request or when the client is closed. After a stop request the mutex is held
    /// again. After any other exception it may not be held, although `lock.owns_lock()` is true: ask
    /// Mutex::stillMine().
    void wait(std::unique_lock<Mutex>& lock, std::stop_token stop = {}) {
        await(lock, detail::kForever, std::move(stop));
    }
    /// Waits until the predicate holds, which is asked with the mutex held. Throws as above.
    template <typename Predicate>
    void wait(std::unique_lock<Mutex>& lock, Predicate predicate) requires std::predicate<Predicate> {
        while (!predicate())
            wait(lock);
    }
    /// True when the predicate holds; false when a stop request came first. In both cases the mutex is held again.
    template <typename Predicate>
    bool wait(std::unique_lock<Mutex>& lock, std::stop_token stop,
              Predicate predicate) requires std::predicate<Predicate> {
        while (!predicate()) {
            if (stop.stop_requested()) return false;
            try {
                wait(lock, stop);
            } catch (const InterruptedException&) {
                if (!stop.stop_requested()) throw; // not the stop token: the client was closed
                return predicate();
            }
        }
        return true;
    }
    /// False when no signal came in time. In both cases the mutex is held again.
    template <typename Rep, typename Period>
    bool wait_for(std::unique_lock<Mutex>& lock, std::chrono::duration<Rep, Period> wait, std::stop_token stop = {}) {
        return await(lock, detail::waitOf(wait), std::move(stop));
    }
    template <typename Clock, typename Duration>
    bool wait_until(std::unique_lock<Mutex>& lock, std::chrono::time_point<Clock, Duration> until,
                    std::stop_token stop = {}) {
        return await(lock, detail::waitUntil(until), std::move(stop));
    }
    /// The predicate's last value: false when it did not become true in time.
    template <typename Rep, typename Period, typename Predicate>
    bool wait_for(std::unique_lock<Mutex>& lock, std::chrono::duration<Rep, Period> wait,
                  Predicate predicate) requires std::predicate<Predicate> {
        using Clock = std::chrono::steady_clock;
        const std::chrono::nanoseconds until = detail::steadyAfter(detail::waitOf(wait));
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

    /// Wakes the longest waiter; returns how many were woken (0 or 1). Throws NotOwnerException unless the calling
    /// thread holds the mutex.
    int notify_one() { return signal(1); }
    /// Wakes all waiters; returns how many. Otherwise as notify_one().
    int notify_all() { return signal(std::numeric_limits<int>::max()); }

private:
    bool await(std::unique_lock<Mutex>& lock, std::chrono::nanoseconds wait, std::stop_token stop);
    int signal(int most);
    Mutex& m_mutex;
};

} // namespace lockscope::blocking
