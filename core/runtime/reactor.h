// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QObject>
#include <QPointer>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

class QAbstractEventDispatcher;
class QSocketNotifier;
struct epoll_event;

namespace lockscope {

/// The sockets and coroutines of one thread, behind a single notifier of its Qt event loop.
///
/// A lock's request and its answer are a few bytes each, so the event loop's overhead counts: one notifier per socket,
/// one event per resumed coroutine and one wake-up per event cost more than the request itself. The reactor reads all
/// that has arrived in one pass, resumes the coroutines that waited for it, then writes what they sent. Because answers
/// tend to come at once, it then waits for the next ones for a fraction of a millisecond before it returns to Qt's
/// event loop.
///
/// One per thread, alive while somebody holds it. Single-threaded except for announce().
class Reactor final : public QObject, public std::enable_shared_from_this<Reactor> {
public:
    /// This thread's reactor; made when there is none. Needs no event loop before the first socket or job.
    static std::shared_ptr<Reactor> ofThisThread();
    ~Reactor() override;

    /// Gets the events of a file descriptor.
    class Watcher {
    public:
        /// Data, an end or an error is there to read. Must not resume coroutines directly, but wake them through
        /// Waiter.
        virtual void readable() = 0;
        /// There is room to write again; called only after wantWrite().
        virtual void writable() {}
        /// Called before readable(): nothing more will arrive after the data that is there.
        virtual void hungUp() {}

    protected:
        ~Watcher() = default;
    };
    using Id = std::uint64_t; ///< never 0
    /// Watches a descriptor until remove(), which must come before the descriptor is closed.
    Id add(int fd, Watcher& watcher);
    void wantWrite(Id id, bool wanted);
    void remove(Id id);

    /// Whether a pass is in progress: a caller in a coroutine must not destroy what its runtime still uses.
    bool passing() const { return m_level >= 0; }

    /// Everything that had arrived by this instant, an end included, has been handed out.
    std::chrono::steady_clock::time_point lookedAt() const { return m_lookedAt; }

    /// Work to do soon, not from inside the caller: at the end of this pass, or by an event.
    class Job {
    public:
        /// Called on the reactor's thread; must not throw.
        virtual void run() = 0;

    protected:
        ~Job() = default;
    };
    enum class Phase : std::uint8_t {
        Resume, ///< coroutines go on
        Flush,  ///< sends together what they wrote
    };
    /// Runs `job` once, soon; not after cancel(). A job must not be scheduled again before it runs.
    void schedule(Job& job, Phase phase);
    void cancel(Job& job);

    /// Something was sent, so an answer may come soon. `awake`: how long staying awake for it is worthwhile.
    void sent(std::chrono::microseconds awake = kStayAwake) {
        m_stayAwake = m_sent ? std::max(m_stayAwake, awake) : awake;
        m_sent = true;
    }
    /// Waits briefly for answers, if any are expected. For callbacks of other event sources, after their Pass.
    void awaitAnswers() {
        if (m_sent) turn();
    }

    /// Any thread: an event was posted to this thread's event loop. The reactor does not wait for answers until
    /// arrived().
    void announce();
    void arrived() { m_announced.fetch_sub(1); }

    /// Surrounds a callback of another event source (a timer, another notifier) that wakes coroutines: they resume when
    /// the pass ends. Not inside a coroutine, nor where a resumed coroutine could destroy an object still in use.
    class Pass {
    public:
        explicit Pass(std::shared_ptr<Reactor> reactor);
        ~Pass();
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;

    private:
        std::shared_ptr<Reactor> m_reactor;
        int m_outerLevel;
    };

protected:
    bool event(QEvent* event) override;

private:
    /// How long to wait awake for an answer. Other threads get this processor meanwhile; if they keep it, waiting awake
    /// was in vain.
    static constexpr std::chrono::microseconds kStayAwake{50};
    Reactor() = default;
    struct Entry {
        Watcher* watcher = nullptr; ///< nullptr: free
        std::uint32_t generation = 1;
        int fd = -1;
    };
    Entry* find(Id id);
    void openPoll();
    void followEventLoop();
    void turn();
    bool linger();
    enum class Wait : std::uint8_t { Not, Awake, Asleep };
    bool deliver(Wait wait);
    int fetch(epoll_event* events, Wait wait);
    int fetchAwake(epoll_event* events);
    void settle();
    void runAll(std::vector<Job*>& jobs);
    void postIfDue();
    void aboutToBlock();

    std::vector<Entry> m_entries;
    std::vector<Job*> m_resume, m_flush, m_running; ///< nullptr: cancelled
    int m_poll = -1;
    int m_interrupt = -1; ///< an eventfd, written to end a wait for answers
    QSocketNotifier* m_notifier = nullptr;
    QPointer<QAbstractEventDispatcher> m_dispatcher;
    std::atomic<int> m_announced = 0;
    std::atomic<bool> m_lingering = false;
    int m_level = -1; ///< QThread::loopLevel() of the pass in progress; -1: none
    bool m_posted = false;
    bool m_sent = false;                                ///< since the last check
    std::chrono::microseconds m_stayAwake = kStayAwake; ///< for answers to what was sent last
    /// Rations attempts: the more often in a row one failed, the more rarely it is tried.
    struct Patience {
        unsigned misses = 0;  ///< failures in a row
        unsigned abstain = 0; ///< attempts still to skip
        bool tries();
        void had(bool success);
    };
    Patience m_asleep, m_awake;
    std::chrono::steady_clock::time_point m_fetchedAt;  ///< before the latest look at the sockets
    std::chrono::steady_clock::time_point m_lookedAt;   ///< m_fetchedAt of the events that have been handed out
    std::chrono::steady_clock::time_point m_awakeAgain; ///< until then other threads need the processor
    bool m_canLinger = true;                            ///< the kernel has epoll_pwait2
};

} // namespace lockscope
