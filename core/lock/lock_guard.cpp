// SPDX-License-Identifier: Apache-2.0
#include "lock/lock_guard.h"

#include "lock/hold_keeper.h"

#include <QCoreApplication>

namespace lockscope {

using detail::Hold;
using detail::LockCore;

namespace {
/// Nothing is left of a hold whose permits were all given back, whatever else its thread has.
recipes::Outcome<int> released(recipes::Outcome<int> unlocking) {
    auto left = co_await unlocking;
    if (left) left = 0;
    co_return left;
}
} // namespace

LockGuard::LockGuard(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold)
    : m_core(std::move(core)), m_hold(std::move(hold)) {
}

std::shared_ptr<LockCore> LockGuard::keeper() const {
    std::shared_ptr<LockCore> now = m_hold ? m_hold->keeper.lock() : nullptr;
    return now ? now : m_core;
}

LockGuard::~LockGuard() {
    if (!m_hold) return;
    const std::shared_ptr<LockCore> core = keeper();
    if (core->closed || !core->has(*m_hold)) return;
    Runtime& runtime = core->client.runtime;
    if (!runtime.alive()) return; // a killed client gives nothing back: that is what leases are for
    runtime.spawn([core, hold = m_hold]() -> QCoro::Task<> {
        const auto left = co_await LockCore::giveUp(core, hold);
        if (!left) core->unheard(left.error());
    });
}

LockGuard& LockGuard::operator=(LockGuard&& other) noexcept {
    LockGuard old(std::move(*this)); // given back when it goes
    m_core = std::move(other.m_core);
    m_hold = std::move(other.m_hold);
    return *this;
}

bool LockGuard::stillMine() const {
    return m_hold && keeper()->stillMine(*m_hold);
}

std::int64_t LockGuard::token() const {
    return m_hold ? keeper()->tokenOf(m_hold->grant) : 0;
}

std::vector<std::int64_t> LockGuard::tokens() const {
    return m_hold ? keeper()->tokensOf(m_hold->grant) : std::vector<std::int64_t>();
}

Nanos LockGuard::remaining() const {
    if (!stillMine()) return Nanos(0);
    if (m_hold->deadline == kNever) return kNever;
    return std::max(Nanos(0), m_hold->deadline - m_core->client.runtime.monotonic());
}

std::stop_token LockGuard::lost() const {
    return m_hold ? m_hold->lostToken() : std::stop_token();
}

std::shared_ptr<const HoldView> LockGuard::view() const {
    return m_hold ? m_hold->view : nullptr;
}

recipes::Outcome<void> LockGuard::extend(Nanos lease) {
    return LockCore::extend(keeper(), m_hold, lease);
}

recipes::Outcome<int> LockGuard::unlock() {
    std::shared_ptr<LockCore> core = keeper();
    m_core = nullptr;
    return LockCore::giveUp(std::move(core), std::exchange(m_hold, nullptr));
}

int LockGuard::permits() const {
    return m_hold ? m_hold->grant.permits : 0;
}

recipes::Outcome<int> LockGuard::release(int permits) {
    if (!m_hold || permits != m_hold->grant.permits) return LockCore::giveUpPart(keeper(), m_hold, permits);
    return released(unlock());
}

} // namespace lockscope
