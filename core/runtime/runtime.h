// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <coroutine>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <qcoro/qcorotask.h>
#include <stop_token>

namespace lockscope {

/// Thrown from every await of a stopped or killed client when it resumes, or at once when there is nothing left to wait
/// for. Do not catch it: it unwinds the client's coroutines and frees what they hold.
class Cancelled : public std::exception {
public:
    enum class Why : std::uint8_t { Stopped, Killed };
    explicit Cancelled(Why why) : m_why(why) {}
    /// Whether a stop request or a kill caused it.
    Why why() const { return m_why; }
    const char* what() const noexcept override { return m_why == Why::Killed ? "client killed" : "stop requested"; }

private:
    Why m_why;
};

class Alarm;
class Waiter;

/// The environment of one client process: clocks, timers, randomness, and its life (it can be paused and killed).
///
/// There are two kinds: EventLoopRuntime (Qt's event loop, real time) and VirtualRuntime (virtual time). Code above
/// does not know which one is running. A paused runtime resumes no coroutine; after resume() they continue in the order
/// in which they became ready. A killed runtime resumes each of its coroutines once, with Cancelled, and never again.
///
/// Single-threaded: everything, stop requests included, happens on the scheduler's thread.
class Runtime {
public:
    using Callback = std::function<void()>;
    using TimerId = std::uint64_t; ///< 0 = none

    Runtime() = default;
    virtual ~Runtime();
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    // --- clocks ---
    /// This process's monotonic clock, ns from an arbitrary origin; continues while paused.
    virtual Nanos monotonic() const = 0;
    /// This process's wall clock, ms since 1970. May jump.
    virtual std::int64_t wallMs() const = 0;
    /// The trace time at which this process's monotonic clock will show `monotonic`.
    virtual Nanos traceTimeOf(Nanos monotonic) const = 0;
    /// Now, in trace time.
    virtual Nanos traceNow() const = 0;

    // --- randomness ---
    /// 64 random bits. Deterministic in virtual time.
    virtual std::uint64_t random() = 0;
    /// A duration in [low, high], whole nanoseconds. Precondition: low <= high.
    Nanos random(Nanos low, Nanos high);
    /// A random UUID (version 4), 36 characters, lower case.
    QByteArray randomUuid();

    // --- waiting ---
    /// Ends after `duration` of this process's monotonic time. Throws Cancelled.
    QCoro::Task<> sleep(Nanos duration, std::stop_token stop = {});
    /// An instant in [earliest, latest] for work that may run at any of them. In real time it is a random point of
    /// a coarse common grid: the work of many callers then wakes the process and reaches the server together, and
    /// callers that began at once spread over several points. In virtual time it is `latest`.
    virtual Nanos sometime(Nanos earliest, Nanos latest);
    /// Runs a coroutine on its own. Cancelled ends it silently; any other exception is reported as a defect.
    template <typename F>
    void spawn(F body) {
        supervise(start(std::move(body)));
    }

    // --- life ---
    enum class Life : std::uint8_t { Running, Paused, Dead };
    Life life() const { return m_life; }
    bool alive() const { return m_life != Life::Dead; }
    void pause();
    void resume();
    /// Ends every coroutine that waits on this runtime with Cancelled(Killed). Must not be called from one of them.
    /// Subclasses call it in their destructors, while their timers still exist.
    void kill();

    // --- for awaitables and drivers ---
    /// Calls back at an instant of the monotonic clock, also while paused or dead.
    virtual TimerId callAt(Nanos monotonic, Callback callback) = 0;
    virtual void cancelCall(TimerId id) = 0;
    /// Calls back soon, from the scheduler and not from inside the caller.
    virtual void post(Callback callback) = 0;

protected:
    /// One more coroutine may resume: the implementation must call runTurn() soon, from the scheduler, once per call.
    virtual void wantTurn();
    /// Resumes the first ready coroutine, unless paused; does nothing when none is left. May destroy this
    /// runtime: check exists().
    void runTurn();
    std::size_t readyCount() const { return m_ready.size(); }
    std::weak_ptr<const bool> exists() const { return m_exists; }

private:
    friend class Alarm;
    friend class Waiter;
    template <typename F>
    static QCoro::Task<> start(F body) {
        co_await body();
    }
    static QCoro::Task<> supervise(QCoro::Task<> task);
    void enroll(Waiter* waiter);
    void withdraw(Waiter* waiter);
    void makeReady(Waiter* waiter);

    Life m_life = Life::Running;
    Waiter* m_first = nullptr; ///< all waiters, oldest first
    Waiter* m_last = nullptr;
    std::deque<Waiter*> m_ready; ///< ready to resume, in that order; kept while paused
    std::shared_ptr<const bool> m_exists = std::make_shared<const bool>(true); ///< posted turns notice its end
};

/// A coroutine's wait: suspended until woken, timed out, stopped or killed, whichever is first. Every wait uses this
/// class. Lives in the waiting coroutine's frame.
class Waiter {
public:
    enum class Outcome : std::uint8_t { Pending, Ready, TimedOut, Stopped, Killed };

    /// `timeout` in this process's monotonic time; kNever = no bound.
    Waiter(Runtime& runtime, Nanos timeout, std::stop_token stop);
    ~Waiter();
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    /// Ends the wait; the first of wake, time-out, stop and kill wins. May be called before the await.
    void wake();

    /// An awaitable that only refers to its waiter, because QCoro copies what it awaits.
    struct End {
        Waiter* waiter;
        bool await_ready() const { return waiter->ready(); }
        void await_suspend(std::coroutine_handle<> handle) const { waiter->suspend(handle); }
        bool await_resume() const { return waiter->resume(); }
    };
    /// Awaits the end: `co_await waiter.end()` is true when woken, false when timed out. Throws Cancelled.
    End end() { return {this}; }
    /// An awaitable as End, for howEnded().
    struct HowEnded {
        Waiter* waiter;
        bool await_ready() const { return waiter->ready(); }
        void await_suspend(std::coroutine_handle<> handle) const { waiter->suspend(handle); }
        Outcome await_resume() const { return waiter->outcome(); }
    };
    /// Awaits the end without an exception, for waits that are often stopped: returns how it ended, never Pending.
    /// After Killed the coroutine must end.
    HowEnded howEnded() { return {this}; }

private:
    friend class Alarm;
    friend class Runtime;
    bool ready();
    Outcome outcome();
    void suspend(std::coroutine_handle<> handle);
    void suspendUntil(Nanos due);
    bool resume();
    void settle(Outcome outcome);
    struct OnStop {
        Waiter* waiter;
        void operator()() const { waiter->settle(Outcome::Stopped); }
    };
    Runtime& m_runtime;
    Nanos m_timeout;
    std::stop_token m_stop;
    std::optional<std::stop_callback<OnStop>> m_onStop;
    std::coroutine_handle<> m_handle;
    Alarm* m_alarm = nullptr; ///< called instead of a coroutine
    Runtime::TimerId m_timer = 0;
    Outcome m_outcome = Outcome::Pending;
    bool m_enrolled = false;
    bool m_queued = false;
    Waiter* m_previous = nullptr;
    Waiter* m_next = nullptr;
};

/// A call at an instant, like a coroutine that sleeps until then: delayed while the process is paused, in the order in
/// which waits became ready, and never after its end. Costs a fraction of such a coroutine, most of all when it is
/// cancelled.
class Alarm {
public:
    explicit Alarm(Runtime& runtime) : m_runtime(runtime) {}
    virtual ~Alarm() = default;
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;

    /// Sets the instant, on this process's monotonic clock; replaces the one set before. kNever: not at all.
    void set(Nanos at);
    void cancel() { m_waiter.reset(); }

protected:
    /// The instant has come; nothing is set any more. May destroy this object.
    virtual void ring() = 0;

private:
    friend class Runtime;
    void due();
    Runtime& m_runtime;
    std::optional<Waiter> m_waiter;
};

} // namespace lockscope
