// SPDX-License-Identifier: Apache-2.0
#include "lock/manager/managed_lock.h"

#include "lock/manager/managed_core.h"
#include "lock/manager/namespace.h"

namespace lockscope {

using detail::ManagedCore;
using detail::Namespace;

ManagedLock::ManagedLock(std::shared_ptr<Namespace> space, QByteArray name, int permits)
    : m_core(std::make_shared<ManagedCore>(std::move(space), std::move(name), permits)) {
    m_core->space->locks.insert(m_core);
}

ManagedLock::~ManagedLock() {
    m_core->space->locks.erase(m_core);
    m_core->locks.clear();
    m_core->closing.request_stop();
    m_core->space->wakeAll(); // the callers that wait for an engine
}

void ManagedLock::listen(Listener listener) {
    m_core->listener = std::move(listener);
    for (const auto& [epoch, lock] : m_core->locks)
        lock->listen(m_core->listener);
}

ManagedLock::Outcome<LockGuard> ManagedLock::tryLockFor(Nanos wait, Thread thread, std::stop_token stop) {
    LockRequest request;
    request.wait = wait;
    request.thread = std::move(thread);
    return acquire(std::move(request), std::move(stop));
}

ManagedLock::Outcome<LockGuard> ManagedLock::acquire(LockRequest request, std::stop_token stop) {
    return ManagedCore::take<LockGuard>(m_core, std::move(request), std::move(stop));
}

ManagedLock::Outcome<bool> ManagedLock::take(LockRequest request, std::stop_token stop) {
    return ManagedCore::take<bool>(m_core, std::move(request), std::move(stop));
}

ManagedLock::Outcome<int> ManagedLock::unlock(const Thread& thread, Mode mode) {
    const std::shared_ptr<DistributedLock> lock = m_core->heldBy(thread, mode).second;
    return lock ? lock->unlock(thread, mode) : detail::LockCore::giveUp(nullptr, m_core->goneFrom(thread, mode));
}

ManagedLock::Outcome<bool> ManagedLock::forceUnlock() {
    const auto lock = m_core->lockInUse();
    if (!lock) co_return std::unexpected(lock.error());
    co_return co_await (*lock)->forceUnlock();
}

namespace {
/// The answer of the engine in use. That of an engine which was left meanwhile means nothing.
template <typename T>
recipes::Outcome<T> ask(std::shared_ptr<ManagedCore> core,
                        recipes::Outcome<T> (DistributedLock::*question)(std::stop_token), std::stop_token stop) {
    const auto lock = core->lockInUse();
    if (!lock) co_return std::unexpected(lock.error());
    auto answer = co_await ((**lock).*question)(std::move(stop));
    const auto now = core->lockInUse();
    if (answer && !now) co_return std::unexpected(now.error());
    if (answer && *now != *lock) co_return std::unexpected(core->space->notInUse());
    co_return answer;
}
} // namespace

ManagedLock::Outcome<bool> ManagedLock::isLocked(std::stop_token stop) {
    return ask<bool>(m_core, &DistributedLock::isLocked, std::move(stop));
}

ManagedLock::Outcome<void> ManagedLock::extend(const Thread& thread, Mode mode, Nanos lease) {
    const std::shared_ptr<DistributedLock> lock = m_core->heldBy(thread, mode).second;
    return lock ? lock->extend(thread, mode, lease)
                : detail::LockCore::extend(nullptr, m_core->goneFrom(thread, mode), lease);
}

ManagedLock::Outcome<std::vector<recipes::HolderInfo>> ManagedLock::holders(std::stop_token stop) {
    return ask<std::vector<recipes::HolderInfo>>(m_core, &DistributedLock::holders, std::move(stop));
}

ManagedLock::Outcome<std::optional<int>> ManagedLock::permitsFree(std::stop_token stop) {
    return ask<std::optional<int>>(m_core, &DistributedLock::permitsFree, std::move(stop));
}

ManagedLock::Outcome<std::optional<int>> ManagedLock::queueLength(std::stop_token stop) {
    return ask<std::optional<int>>(m_core, &DistributedLock::queueLength, std::move(stop));
}

bool ManagedLock::isHeld() const {
    return std::ranges::any_of(m_core->locks, [](const auto& one) { return one.second->isHeld(); });
}

int ManagedLock::holdCount(const Thread& thread, Mode mode) const {
    const auto lock = m_core->heldBy(thread, mode).second;
    return lock ? lock->holdCount(thread, mode) : 0;
}

bool ManagedLock::stillMine(const Thread& thread, Mode mode) const {
    const auto lock = m_core->heldBy(thread, mode).second;
    return lock && lock->stillMine(thread, mode);
}

void ManagedLock::atWork(const Thread& thread) {
    for (const auto& [epoch, lock] : m_core->locks)
        lock->atWork(thread);
}

void ManagedLock::stopWatchdog() {
    for (const auto& [epoch, lock] : m_core->locks)
        lock->stopWatchdog();
}

std::vector<std::int64_t> ManagedLock::tokens(const Thread& thread, Mode mode) const {
    const auto lock = m_core->heldBy(thread, mode).second;
    return lock ? lock->tokens(thread, mode) : std::vector<std::int64_t>();
}

std::shared_ptr<const HoldView> ManagedLock::view(const Thread& thread, Mode mode) const {
    const auto lock = m_core->heldBy(thread, mode).second;
    return lock ? lock->view(thread, mode) : nullptr;
}

} // namespace lockscope
