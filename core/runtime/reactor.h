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

/// The sockets and the coroutines of one thread behind a single notifier of its Qt event loop.
///
/// A lock's request is a few bytes there and a few back, so what an event loop does around them counts: a notifier per
/// socket, an event per resumed coroutine and a wake-up of the loop for each event cost more than the request itself.
/// Here all that came is read in one pass; then everybody who waited for it goes on; then what they sent is written;
/// and as answers tend to come at once, the next ones are waited for right here, for a fraction of a millisecond,
/// before Qt's event loop gets its turn.
///
/// One per thread, for those who hold on to it; single-threaded but for announce().
class Reactor final : public QObject, public std::enable_shared_from_this<Reactor> {
public:
    /// This thread's; made when there is none. Needs no event loop before the first socket or job.
    static std::shared_ptr<Reactor> ofThisThread();
    ~Reactor() override;

    /// Somebody who wants to know of a file descriptor.
    class Watcher {
    public:
        /// There is something to read, an end or an error. Must resume no coroutine: it wakes them, by Waiter.
        virtual void readable() = 0;
        /// There is room to write again; only after wantWrite().
        virtual void writable() {}
        /// Before readable(): nothing more will come after what there is to read.
        virtual void hungUp() {}

    protected:
        ~Watcher() = default;
    };
    using Id = std::uint64_t; ///< never 0
    /// Watches a descriptor until remove(), which must come before the descriptor is closed.
    Id add(int fd, Watcher& watcher);
    void wantWrite(Id id, bool wanted);
    void remove(Id id);

    /// Whatever had come by then, an end included, was handed out: who has heard of nothing since has nothing to hear.
    std::chrono::steady_clock::time_point lookedAt() const { return m_lookedAt; }

    /// Work to be done soon, from here and not from inside the caller: at the end of this pass, or by an event.
    class Job {
    public:
        /// On the reactor's thread; must not throw.
        virtual void run() = 0;

    protected:
        ~Job() = default;
    };
    enum class Phase : std::uint8_t {
        Resume, ///< coroutines go on
        Flush,  ///< what they sent leaves together
    };
    /// Asked for once until it runs, and not after cancel().
    void schedule(Job& job, Phase phase);
    void cancel(Job& job);

    /// Something was sent: an answer may come soon. For how long it is worth staying awake for one.
    void sent(std::chrono::microseconds awake = kStayAwake) {
        m_stayAwake = m_sent ? std::max(m_stayAwake, awake) : awake;
        m_sent = true;
    }
    /// Waits for answers for a moment, if any are to be expected; for callbacks of other event sources, after their
    /// Pass.
    void awaitAnswers() {
        if (m_sent) turn();
    }

    /// Any thread: Qt's event loop of this one has got something to do; nothing is waited for here until arrived().
    void announce();
    void arrived() { m_announced.fetch_sub(1); }

    /// A callback of some other event source (a timer, a notifier of one's own) that wakes coroutines: they go on when
    /// this ends. Not for use inside a coroutine, nor where one of them could destroy what is still in use.
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
    /// How long of the wait for an answer awake. Others who want this processor get it meanwhile; when they keep it,
    /// that was in vain.
    static constexpr std::chrono::microseconds kStayAwake{50};
    Reactor() = default;
    struct Entry {
        Watcher* watcher = nullptr; ///< null: free
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
    std::vector<Job*> m_resume, m_flush, m_running; ///< null: cancelled
    int m_poll = -1;
    int m_interrupt = -1; ///< an eventfd, written to end lingering
    QSocketNotifier* m_notifier = nullptr;
    QPointer<QAbstractEventDispatcher> m_dispatcher;
    std::atomic<int> m_announced = 0;
    std::atomic<bool> m_lingering = false;
    int m_level = -1; ///< QThread::loopLevel() of the pass under way; -1: none
    bool m_posted = false;
    bool m_sent = false;                                ///< since the last look at it
    std::chrono::microseconds m_stayAwake = kStayAwake; ///< for answers to what was sent last
    /// What is tried more rarely the more often in a row it was in vain.
    struct Patience {
        unsigned misses = 0;  ///< in a row
        unsigned abstain = 0; ///< times still to leave out
        bool tries();
        void had(bool success);
    };
    Patience m_asleep, m_awake;
    std::chrono::steady_clock::time_point m_fetchedAt;  ///< before the last look at what came
    std::chrono::steady_clock::time_point m_lookedAt;   ///< the same, of what has been handed out
    std::chrono::steady_clock::time_point m_awakeAgain; ///< others need the processor until then
    bool m_canLinger = true;                            ///< the kernel has epoll_pwait2
};

} // namespace lockscope
