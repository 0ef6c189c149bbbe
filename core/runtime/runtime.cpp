// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.h"

#include <QUuid>
#include <QtGlobal>

namespace lockscope {

Runtime::~Runtime() {
    Q_ASSERT_X(!m_first, "Runtime", "a subclass must call kill() in its destructor");
}

Nanos Runtime::random(Nanos low, Nanos high) {
    Q_ASSERT(low <= high);
    const auto span = static_cast<std::uint64_t>((high - low).count()) + 1;
    // The high half of a 64×64-bit product: unbiased enough for spans far below 2^64, and no floating point.
    __extension__ using Wide = unsigned __int128;
    const auto offset = static_cast<std::uint64_t>((static_cast<Wide>(random()) * span) >> 64);
    return low + Nanos(static_cast<std::int64_t>(offset));
}

QByteArray Runtime::randomUuid() {
    const std::uint64_t high = random();
    const std::uint64_t low = random();
    const QUuid uuid(static_cast<uint>(high >> 32), static_cast<ushort>(high >> 16),
                     static_cast<ushort>((high & 0x0fff) | 0x4000), static_cast<uchar>(((low >> 56) & 0x3f) | 0x80),
                     static_cast<uchar>(low >> 48), static_cast<uchar>(low >> 40), static_cast<uchar>(low >> 32),
                     static_cast<uchar>(low >> 24), static_cast<uchar>(low >> 16), static_cast<uchar>(low >> 8),
                     static_cast<uchar>(low));
    return uuid.toByteArray(QUuid::WithoutBraces);
}

Nanos Runtime::sometime(Nanos, Nanos latest) {
    return latest;
}

QCoro::Task<> Runtime::sleep(Nanos duration, std::stop_token stop) {
    Waiter waiter(*this, duration, std::move(stop));
    co_await waiter.end();
}

QCoro::Task<> Runtime::supervise(QCoro::Task<> task) {
    try {
        co_await task;
    } catch (const Cancelled&) {
        // The normal end of a client that was stopped or killed.
    } catch (const std::exception& defect) {
        qCritical("A coroutine ended by an exception nobody handles: %s", defect.what());
    }
}

void Runtime::pause() {
    if (m_life == Life::Running) m_life = Life::Paused;
}

void Runtime::resume() {
    if (m_life != Life::Paused) return;
    m_life = Life::Running;
    for (std::size_t i = 0; i < m_ready.size(); ++i)
        wantTurn();
}

void Runtime::kill() {
    m_life = Life::Dead;
    m_ready.clear();
    while (m_first) {
        Waiter* waiter = m_first;
        waiter->m_queued = false;
        waiter->m_outcome = Waiter::Outcome::Killed;
        withdraw(waiter);
        if (waiter->m_alarm)
            waiter->m_alarm->cancel();
        else
            waiter->m_handle.resume(); // unwinds; ends other waits of the same client as it goes
    }
}

void Runtime::enroll(Waiter* waiter) {
    waiter->m_enrolled = true;
    waiter->m_previous = m_last;
    waiter->m_next = nullptr;
    (m_last ? m_last->m_next : m_first) = waiter;
    m_last = waiter;
}

void Runtime::withdraw(Waiter* waiter) {
    if (!waiter->m_enrolled) return;
    waiter->m_enrolled = false;
    (waiter->m_previous ? waiter->m_previous->m_next : m_first) = waiter->m_next;
    (waiter->m_next ? waiter->m_next->m_previous : m_last) = waiter->m_previous;
    if (waiter->m_queued) {
        waiter->m_queued = false;
        std::erase(m_ready, waiter);
    }
}

void Runtime::makeReady(Waiter* waiter) {
    waiter->m_queued = true;
    m_ready.push_back(waiter);
    if (m_life == Life::Running) wantTurn();
}

void Runtime::wantTurn() {
    post([this, exists = std::weak_ptr<const bool>(m_exists)] {
        if (!exists.expired()) runTurn();
    });
}

void Runtime::runTurn() {
    // A turn may find nothing: paused since, or its waiter was ended by a kill.
    if (m_life != Life::Running || m_ready.empty()) return;
    Waiter* waiter = m_ready.front();
    m_ready.pop_front();
    waiter->m_queued = false;
    withdraw(waiter);
    if (waiter->m_alarm)
        waiter->m_alarm->due();
    else
        waiter->m_handle.resume();
}

} // namespace lockscope
