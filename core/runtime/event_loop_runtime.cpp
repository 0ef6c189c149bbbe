// SPDX-License-Identifier: Apache-2.0
#include "runtime/event_loop_runtime.h"

#include <QDateTime>
#include <QRandomGenerator>

namespace lockscope {

namespace {
/// Instants for work that may be done at any time: a process that keeps thousands of holds wakes a few times a second.
constexpr Nanos kGrid = 50ms;
/// QTimer counts milliseconds in an int: 24 days. Waking once in a while meanwhile costs nothing.
constexpr std::chrono::milliseconds kLongestTimer = 1h;
} // namespace

EventLoopRuntime::EventLoopRuntime(std::chrono::steady_clock::time_point origin)
    : m_origin(origin), m_random(QRandomGenerator::system()->generate64()) {
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    QObject::connect(&m_timer, &QTimer::timeout, &m_context, [this] { fire(); });
}

EventLoopRuntime::~EventLoopRuntime() {
    kill();
    if (m_reactor) m_reactor->cancel(*this);
}

const std::shared_ptr<Reactor>& EventLoopRuntime::reactor() {
    if (!m_reactor) m_reactor = Reactor::ofThisThread();
    return m_reactor;
}

void EventLoopRuntime::wantTurn() {
    if (!std::exchange(m_turnWanted, true)) reactor()->schedule(*this, Reactor::Phase::Resume);
}

void EventLoopRuntime::run() {
    m_turnWanted = false;
    const std::weak_ptr<const bool> living = exists();
    // Coroutines that become ready meanwhile have their turn after this one.
    for (std::size_t due = readyCount(); due > 0; --due) {
        // In case that this one runs an event loop of its own. Paused, none would do anything; resume() asks anew.
        if (due > 1 && life() == Life::Running) wantTurn();
        runTurn();
        if (living.expired()) return;
    }
    if (readyCount() == 0 && std::exchange(m_turnWanted, false)) m_reactor->cancel(*this);
}

std::int64_t EventLoopRuntime::wallMs() const {
    return QDateTime::currentMSecsSinceEpoch() + std::chrono::floor<std::chrono::milliseconds>(m_wallOffset).count();
}

Runtime::TimerId EventLoopRuntime::callAt(Nanos monotonic, Callback callback) {
    const TimerId id = m_calls.add(monotonic, std::move(callback));
    arm();
    return id;
}

void EventLoopRuntime::cancelCall(TimerId id) {
    m_calls.cancel(id);
}

void EventLoopRuntime::post(Callback callback) {
    QMetaObject::invokeMethod(&m_context, std::move(callback), Qt::QueuedConnection);
}

Nanos EventLoopRuntime::sometime(Nanos earliest, Nanos latest) {
    if (latest <= earliest) return latest;
    const Nanos any = random(earliest, latest);
    const Nanos onGrid = any - any % kGrid;
    return onGrid >= earliest ? onGrid : any;
}

void EventLoopRuntime::arm() {
    // A timer that is armed too early only finds nothing to do: cheaper than disarming at every cancelled time-out.
    if (m_calls.next() >= m_armedFor) return;
    m_armedFor = m_calls.next();
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(m_armedFor - monotonic());
    m_timer.start(std::clamp(wait, std::chrono::milliseconds(0), kLongestTimer)); // if too early, fire() arms it again
}

void EventLoopRuntime::fire() {
    const std::shared_ptr<Reactor> all = reactor(); // this may be gone after the pass
    {
        const Reactor::Pass pass(all);
        m_armedFor = kNever;
        const Nanos now = monotonic();
        while (const Callback call = m_calls.takeDue(now))
            call();
        arm();
    }
    all->awaitAnswers();
}

} // namespace lockscope
