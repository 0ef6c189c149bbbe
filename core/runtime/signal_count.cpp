// SPDX-License-Identifier: Apache-2.0
#include "runtime/signal_count.h"

namespace lockscope {

struct SignalCount::Place {
    Place(SignalCount& count, Waiter& waiterOfPlace) : owner(count), waiter(waiterOfPlace) {
        at = owner.m_waiters.insert(owner.m_waiters.end(), this);
    }
    ~Place() {
        if (!served) {
            owner.m_waiters.erase(at);
        } else if (!taken) {
            owner.release(); // woken, but stopped before it could go on: pass the wake-up to the next
        }
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    SignalCount& owner;
    Waiter& waiter;
    std::list<Place*>::iterator at; ///< until it is served
    bool served = false;
    bool taken = false;
};

void SignalCount::release() {
    if (m_waiters.empty()) {
        ++m_count;
        return;
    }
    Place* place = m_waiters.front();
    m_waiters.pop_front();
    place->served = true;
    place->waiter.wake();
}

void SignalCount::releaseAll() {
    for (auto n = m_waiters.size(); n > 0; --n)
        release();
}

QCoro::Task<bool> SignalCount::acquire(Runtime& runtime, Nanos timeout, std::stop_token stop) {
    if (runtime.alive() && tryAcquire()) co_return true;
    Waiter waiter(runtime, timeout, std::move(stop));
    Place place(*this, waiter);
    const bool woken = co_await waiter.end();
    place.taken = true; // also when the time ran out in the same moment: served says which
    co_return woken || place.served;
}

} // namespace lockscope
