// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.h"

namespace lockscope {

Waiter::Waiter(Runtime& runtime, Nanos timeout, std::stop_token stop)
    : m_runtime(runtime), m_timeout(timeout), m_stop(std::move(stop)) {
}

Waiter::~Waiter() {
    m_onStop.reset();
    if (m_timer) m_runtime.cancelCall(m_timer);
    if (m_enrolled) m_runtime.withdraw(this);
}

void Waiter::wake() {
    settle(Outcome::Ready);
}

bool Waiter::ready() {
    if (!m_runtime.alive()) m_outcome = Outcome::Killed;
    if (m_outcome == Outcome::Pending && m_stop.stop_requested()) m_outcome = Outcome::Stopped;
    return m_outcome != Outcome::Pending;
}

void Waiter::suspend(std::coroutine_handle<> handle) {
    m_handle = handle;
    suspendUntil(laterBy(m_runtime.monotonic(), std::max(m_timeout, Nanos(0))));
    if (m_stop.stop_possible()) m_onStop.emplace(m_stop, OnStop{this});
}

void Waiter::suspendUntil(Nanos due) {
    m_runtime.enroll(this);
    if (due != kNever) {
        m_timer = m_runtime.callAt(due, [this] {
            m_timer = 0;
            settle(Outcome::TimedOut);
        });
    }
}

Waiter::Outcome Waiter::outcome() {
    m_onStop.reset();
    if (!m_runtime.alive()) m_outcome = Outcome::Killed;
    return m_outcome;
}

bool Waiter::resume() {
    const Outcome ended = outcome();
    if (ended == Outcome::Killed) throw Cancelled(Cancelled::Why::Killed);
    if (ended == Outcome::Stopped) throw Cancelled(Cancelled::Why::Stopped);
    return ended == Outcome::Ready;
}

void Waiter::settle(Outcome outcome) {
    if (m_outcome != Outcome::Pending) return;
    m_outcome = outcome;
    if (m_timer) m_runtime.cancelCall(std::exchange(m_timer, 0));
    if (m_enrolled) m_runtime.makeReady(this);
}

void Alarm::set(Nanos at) {
    cancel();
    if (at == kNever || !m_runtime.alive()) return;
    m_waiter.emplace(m_runtime, kNever, std::stop_token());
    m_waiter->m_alarm = this;
    m_waiter->suspendUntil(at);
}

void Alarm::due() {
    cancel();
    ring();
}

} // namespace lockscope
