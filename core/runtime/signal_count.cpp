// SPDX-License-Identifier: Apache-2.0
#include "runtime/signal_count.h"

namespace lockscope {

SignalCount::Place::Place(SignalCount& count, Runtime& runtime, Nanos timeout, std::stop_token stop)
    : m_owner(count), m_waiter(runtime, timeout, std::move(stop)) {
    m_at = m_owner.m_waiters.insert(m_owner.m_waiters.end(), this);
}

SignalCount::Place::~Place() {
    if (!m_served) {
        m_owner.m_waiters.erase(m_at);
    } else if (!m_taken) {
        m_owner.release(); // woken, but stopped before it could go on: pass the wake-up to the next
    }
}

void SignalCount::release() {
    if (m_waiters.empty()) {
        ++m_count;
        return;
    }
    Place* place = m_waiters.front();
    m_waiters.pop_front();
    place->m_served = true;
    place->m_waiter.wake();
}

void SignalCount::releaseAll() {
    for (auto n = m_waiters.size(); n > 0; --n)
        release();
}

QCoro::Task<bool> SignalCount::acquire(Runtime& runtime, Nanos timeout, std::stop_token stop) {
    if (runtime.alive() && tryAcquire()) co_return true;
    Place place(*this, runtime, timeout, std::move(stop));
    co_await place.end();
    co_return place.served();
}

} // namespace lockscope
