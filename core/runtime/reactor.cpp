// SPDX-License-Identifier: Apache-2.0
#include "runtime/reactor.h"

#include <QAbstractEventDispatcher>
#include <QCoreApplication>
#include <QEvent>
#include <QSocketNotifier>
#include <QThread>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace lockscope {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

const auto kJobs = static_cast<QEvent::Type>(QEvent::registerEventType());

/// How long an answer may take to be waited for here: those of a server nearby come sooner.
constexpr auto kLinger = 150us;
/// How long Qt's event loop may have to wait while one answer follows the other, and how many answers that is at least.
constexpr auto kLongest = 400us;
constexpr int kAnswers = 4;
/// After misses in a row waiting is tried ever more rarely, but never given up: servers come nearer, too.
constexpr unsigned kMostMisses = 10;
/// The end of each exchange is a miss: it says nothing about the server.
constexpr unsigned kForgiven = 2;

/// How many times resumed coroutines may wake others in one pass, before the event loop gets its turn.
constexpr int kRounds = 4;

constexpr int kAtOnce = 64;

constexpr auto kReads = std::uint32_t(EPOLLIN | EPOLLRDHUP);
constexpr auto kEnds = std::uint32_t(EPOLLRDHUP | EPOLLHUP | EPOLLERR);

int loopLevel() {
    return QThread::currentThread()->loopLevel();
}

} // namespace

std::shared_ptr<Reactor> Reactor::ofThisThread() {
    thread_local std::weak_ptr<Reactor> mine;
    std::shared_ptr<Reactor> reactor = mine.lock();
    if (!reactor) {
        reactor = std::shared_ptr<Reactor>(new Reactor);
        mine = reactor;
    }
    return reactor;
}

Reactor::~Reactor() {
    delete m_notifier; // before what it watches
    if (m_poll >= 0) ::close(m_poll);
    if (m_interrupt >= 0) ::close(m_interrupt);
}

// Not in the constructor: a notifier wants a thread with an event loop, and one may come later than the runtime.
void Reactor::openPoll() {
    if (m_poll >= 0) return;
    m_poll = epoll_create1(EPOLL_CLOEXEC);
    m_interrupt = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (m_poll < 0 || m_interrupt < 0) qFatal("There is no room for one more file descriptor.");
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    epoll_ctl(m_poll, EPOLL_CTL_ADD, m_interrupt, &wanted); // as number 0, which no watcher has
    m_notifier = new QSocketNotifier(m_poll, QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, [this] { turn(); });
}

Reactor::Id Reactor::add(int fd, Watcher& watcher) {
    openPoll();
    auto free = std::find_if(m_entries.begin(), m_entries.end(), [](const Entry& entry) { return !entry.watcher; });
    if (free == m_entries.end()) free = m_entries.emplace(m_entries.end());
    free->watcher = &watcher;
    free->fd = fd;
    const auto index = static_cast<std::uint64_t>(free - m_entries.begin());
    const Id id = (index << 32U) | free->generation;
    epoll_event wanted{};
    wanted.events = kReads;
    wanted.data.u64 = id;
    if (epoll_ctl(m_poll, EPOLL_CTL_ADD, fd, &wanted) != 0) qFatal("A socket can not be watched: %s", strerror(errno));
    return id;
}

Reactor::Entry* Reactor::find(Id id) {
    const auto index = static_cast<std::size_t>(id >> 32U);
    if (index >= m_entries.size()) return nullptr;
    Entry& entry = m_entries[index];
    return entry.watcher && entry.generation == static_cast<std::uint32_t>(id) ? &entry : nullptr;
}

void Reactor::wantWrite(Id id, bool wanted) {
    const Entry* entry = find(id);
    if (!entry) return;
    epoll_event events{};
    events.events = wanted ? kReads | std::uint32_t(EPOLLOUT) : kReads;
    events.data.u64 = id;
    epoll_ctl(m_poll, EPOLL_CTL_MOD, entry->fd, &events);
}

void Reactor::remove(Id id) {
    Entry* entry = find(id);
    if (!entry) return;
    epoll_ctl(m_poll, EPOLL_CTL_DEL, entry->fd, nullptr);
    entry->watcher = nullptr;
    ++entry->generation; // events of the old one that were fetched already find nobody
}

void Reactor::schedule(Job& job, Phase phase) {
    Q_ASSERT(std::ranges::count(m_resume, &job) == 0 && std::ranges::count(m_flush, &job) == 0);
    (phase == Phase::Resume ? m_resume : m_flush).push_back(&job);
    // A pass is of no use to those inside an event loop that something in it runs: a dialog, a test that waits.
    if (m_level < 0 || m_level != loopLevel()) postIfDue();
}

void Reactor::cancel(Job& job) {
    for (std::vector<Job*>* jobs : {&m_resume, &m_flush, &m_running})
        std::replace(jobs->begin(), jobs->end(), &job, static_cast<Job*>(nullptr));
}

void Reactor::announce() {
    m_announced.fetch_add(1);
    if (m_lingering.load()) eventfd_write(m_interrupt, 1);
}

void Reactor::followEventLoop() {
    if (m_dispatcher) return;
    m_dispatcher = QAbstractEventDispatcher::instance();
    if (m_dispatcher) connect(m_dispatcher, &QAbstractEventDispatcher::aboutToBlock, this, [this] { aboutToBlock(); });
}

// An event loop that somebody of this pass runs goes to sleep: what waits for the end of the pass must not sleep, too.
void Reactor::aboutToBlock() {
    if (m_level < 0) return;
    std::vector<Job*> left;
    for (Job*& job : m_running)
        if (job) left.push_back(std::exchange(job, nullptr));
    m_resume.insert(m_resume.begin(), left.begin(), left.end());
    postIfDue();
}

void Reactor::postIfDue() {
    if ((m_resume.empty() && m_flush.empty()) || std::exchange(m_posted, true)) return;
    QCoreApplication::postEvent(this, new QEvent(kJobs));
}

bool Reactor::event(QEvent* event) {
    if (event->type() != kJobs) return QObject::event(event);
    m_posted = false;
    turn();
    return true;
}

Reactor::Pass::Pass(std::shared_ptr<Reactor> reactor)
    : m_reactor(std::move(reactor)), m_outerLevel(std::exchange(m_reactor->m_level, loopLevel())) {
    m_reactor->followEventLoop();
}

Reactor::Pass::~Pass() {
    // One level is one pass: inside another of the same event loop this ends with that one.
    if (m_outerLevel != m_reactor->m_level) m_reactor->settle();
    m_reactor->m_level = m_outerLevel;
    // Timers that became due meanwhile wait for their event: nothing may keep the event loop for itself.
    if (m_outerLevel < 0 || m_outerLevel != loopLevel()) m_reactor->postIfDue();
}

bool Reactor::Patience::tries() {
    if (abstain == 0) return true;
    --abstain;
    return false;
}

void Reactor::Patience::had(bool success) {
    misses = success ? 0 : std::min(misses + 1, kMostMisses);
    abstain = misses <= kForgiven ? 0 : (1U << (misses - kForgiven)) - 1;
}

void Reactor::turn() {
    const std::shared_ptr<Reactor> self = shared_from_this(); // the last user may go meanwhile
    const auto begun = Clock::now();
    bool came = false;
    {
        const Pass pass(self);
        came = deliver(Wait::Not);
    }
    while (m_poll >= 0 && !m_posted && Clock::now() - begun < std::max(kLongest, kAnswers * m_stayAwake)) {
        const bool wasSent = std::exchange(m_sent, false);
        if (!wasSent && !came) return;
        came = linger();
        if (!came) return;
    }
}

/// Waits for the next event right here; false when it did not come.
bool Reactor::linger() {
    const std::shared_ptr<Reactor> self = shared_from_this();
    if (m_awake.tries() && Clock::now() >= m_awakeAgain) {
        const Pass pass(self);
        if (deliver(Wait::Awake)) return true;
    }
    if (!m_canLinger || !m_asleep.tries()) return false;
    const Pass pass(self);
    return deliver(Wait::Asleep);
}

int Reactor::fetchAwake(epoll_event* events) {
    const auto begun = m_fetchedAt;
    for (;;) {
        const int count = epoll_wait(m_poll, events, kAtOnce, 0);
        const auto now = Clock::now();
        const bool late = now - begun > m_stayAwake;
        // A thread that yielded the processor and did not get it back for long had better sleep: sleepers are woken
        // first.
        if (now - begun > 4 * m_stayAwake) m_awakeAgain = now + 64 * (now - begun);
        if (count != 0 || late || m_announced.load(std::memory_order_relaxed) != 0) {
            if (m_announced.load(std::memory_order_relaxed) == 0) m_awake.had(count > 0 && !late);
            return count;
        }
        sched_yield();     // the server may wait for this very processor
        m_fetchedAt = now; // nothing had come by then
    }
}

int Reactor::fetch(epoll_event* events, Wait wait) {
    m_fetchedAt = Clock::now();
    if (wait == Wait::Not) return epoll_wait(m_poll, events, kAtOnce, 0);
    if (wait == Wait::Awake) return fetchAwake(events);
    m_lingering.store(true);
    int count = 0;
    if (m_announced.load() == 0) {
        const timespec limit{0, static_cast<long>(std::chrono::nanoseconds(kLinger).count())};
        count = epoll_pwait2(m_poll, events, kAtOnce, &limit, nullptr);
        if (count < 0 && errno == ENOSYS) m_canLinger = false;
        m_asleep.had(count > 0);
    }
    m_lingering.store(false);
    return count;
}

/// Hands out what came; false when nothing did.
bool Reactor::deliver(Wait wait) {
    if (m_poll < 0) return false;
    epoll_event events[kAtOnce];
    const int count = fetch(events, wait);
    const auto fetchedAt = m_fetchedAt; // in an event loop that somebody runs meanwhile there may be another look
    bool came = false;
    for (int i = 0; i < count; ++i) {
        const Id id = events[i].data.u64;
        if (id == 0) {
            eventfd_t times = 0;
            eventfd_read(m_interrupt, &times);
            continue;
        }
        came = true;
        if ((events[i].events & EPOLLOUT) != 0)
            if (const Entry* entry = find(id)) entry->watcher->writable();
        if ((events[i].events & kEnds) != 0)
            if (const Entry* entry = find(id)) entry->watcher->hungUp();
        if ((events[i].events & ~std::uint32_t(EPOLLOUT)) != 0)
            if (const Entry* entry = find(id)) entry->watcher->readable();
    }
    if (count >= 0 && count < kAtOnce) m_lookedAt = fetchedAt;
    return came;
}

void Reactor::settle() {
    for (int round = 0; round < kRounds && !(m_resume.empty() && m_flush.empty()); ++round) {
        runAll(m_resume);
        runAll(m_flush);
    }
}

void Reactor::runAll(std::vector<Job*>& jobs) {
    if (jobs.empty()) return;
    // Inside an event loop that one of these jobs runs, others may come: what is left of ours waits for its turn.
    const std::size_t begin = m_running.size();
    m_running.insert(m_running.end(), jobs.begin(), jobs.end());
    const std::size_t end = m_running.size();
    jobs.clear();
    for (std::size_t i = begin; i < end; ++i)
        if (Job* job = std::exchange(m_running[i], nullptr)) job->run();
    m_running.resize(begin);
}

} // namespace lockscope
