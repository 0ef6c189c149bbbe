// SPDX-License-Identifier: Apache-2.0
#include "lock/distributed_lock.h"

#include "lock/hold_keeper.h"
#include "recipes/of_question.h"

namespace lockscope {

using detail::LockCore;

DistributedLock::DistributedLock(LockClient client, std::unique_ptr<recipes::Recipe> recipe, HoldOptions options,
                                 trace::EntityId lockEntity)
    : m_core(std::make_shared<LockCore>(std::move(client), std::move(recipe), std::move(options), lockEntity)) {
}

DistributedLock::~DistributedLock() {
    m_core->closed = true;
    m_core->listener = nullptr;
    for (auto& [key, hold] : m_core->holds) {
        hold->stopWatching();
        hold->view->mine = false; // nobody is left to hear of a loss
        // This thread's next lock of the same name must not go on counting from this hold's count on the server.
        const recipes::RecipeInfo& info = recipe();
        if (info.heldBy == recipes::HeldBy::Lease && info.reentrant && m_core->client.runtime.alive())
            m_core->recipe->abandoned(hold->own(hold->leaving));
    }
    // Holds that wait for their shortest time are still freed: their owner was told so, and no other code would do it.
}

const recipes::RecipeInfo& DistributedLock::recipe() const {
    return m_core->recipe->info();
}

void DistributedLock::listen(Listener listener) {
    m_core->listener = listener ? std::make_shared<const Listener>(std::move(listener)) : nullptr;
}

DistributedLock::Outcome<bool> DistributedLock::take(LockRequest request, std::stop_token stop) {
    return LockCore::take<bool>(m_core, std::move(request), std::move(stop));
}

DistributedLock::Outcome<LockGuard> DistributedLock::acquire(LockRequest request, std::stop_token stop) {
    return LockCore::take<LockGuard>(m_core, std::move(request), std::move(stop));
}

DistributedLock::Outcome<bool> DistributedLock::tryLockFor(Nanos wait, Thread thread, std::stop_token stop) {
    LockRequest request;
    request.wait = wait;
    request.thread = std::move(thread);
    return take(std::move(request), std::move(stop));
}

DistributedLock::Outcome<int> DistributedLock::unlock(const Thread& thread, Mode mode) {
    return LockCore::giveUp(m_core, m_core->findOrGone(thread, mode));
}

DistributedLock::Outcome<bool> DistributedLock::forceUnlock() {
    const std::shared_ptr<LockCore> core = m_core;
    co_return co_await core->recipe->forceRelease({});
}

DistributedLock::Outcome<bool> DistributedLock::isLocked(std::stop_token stop) {
    const std::shared_ptr<LockCore> core = m_core;
    auto locked = co_await core->recipe->isLocked(std::move(stop));
    if (!locked) locked = std::unexpected(ofQuestion(locked.error()));
    co_return locked;
}

DistributedLock::Outcome<void> DistributedLock::extend(const Thread& thread, Mode mode, Nanos lease) {
    return LockCore::extend(m_core, m_core->findOrGone(thread, mode), lease);
}

DistributedLock::Outcome<std::vector<recipes::HolderInfo>> DistributedLock::holders(std::stop_token stop) {
    const std::shared_ptr<LockCore> core = m_core;
    auto holders = co_await core->recipe->holders(std::move(stop));
    if (!holders) holders = std::unexpected(ofQuestion(holders.error()));
    if (holders && core->options.epoch > 0) {
        const bool gives = core->recipe->info().token;
        for (recipes::HolderInfo& holder : *holders) {
            if (gives && !holder.token) continue; // it has one that the server does not tell
            holder.token = core->withEpoch(holder.token.value_or(0));
        }
    }
    co_return holders;
}

DistributedLock::Outcome<std::optional<int>> DistributedLock::permitsFree(std::stop_token stop) {
    const std::shared_ptr<LockCore> core = m_core;
    auto free = co_await core->recipe->permitsFree(std::move(stop));
    if (!free) free = std::unexpected(ofQuestion(free.error()));
    co_return free;
}

DistributedLock::Outcome<std::optional<int>> DistributedLock::queueLength(std::stop_token stop) {
    const std::shared_ptr<LockCore> core = m_core;
    auto length = co_await core->recipe->queueLength(std::move(stop));
    if (!length) length = std::unexpected(ofQuestion(length.error()));
    co_return length;
}

bool DistributedLock::stillMine(const Thread& thread, Mode mode) const {
    const auto hold = m_core->find(thread, mode);
    return hold && m_core->stillMine(*hold);
}

bool DistributedLock::isHeld() const {
    return !m_core->holds.empty();
}

std::shared_ptr<const HoldView> DistributedLock::view(const Thread& thread, Mode mode) const {
    const auto hold = m_core->find(thread, mode);
    return hold ? hold->view : nullptr;
}

int DistributedLock::holdCount(const Thread& thread, Mode mode) const {
    return m_core->holdCount(thread, mode);
}

Nanos DistributedLock::remaining(const Thread& thread, Mode mode) const {
    const auto hold = m_core->find(thread, mode);
    if (!hold) return Nanos(0);
    if (hold->deadline == kNever) return kNever;
    return std::max(Nanos(0), hold->deadline - m_core->client.runtime.monotonic());
}

std::int64_t DistributedLock::token(const Thread& thread, Mode mode) const {
    const auto hold = m_core->find(thread, mode);
    return hold ? m_core->tokenOf(hold->grant) : 0;
}

std::vector<std::int64_t> DistributedLock::tokens(const Thread& thread, Mode mode) const {
    const auto hold = m_core->find(thread, mode);
    return hold ? m_core->tokensOf(hold->grant) : std::vector<std::int64_t>();
}

void DistributedLock::atWork(const Thread& thread) {
    for (const auto& [key, hold] : m_core->holds) {
        if (key.first == thread) hold->grant.steps.at(m_core->recipe->info().workStep);
    }
}

QCoro::Task<> DistributedLock::loseAll(const char* reason) {
    return LockCore::loseAll(m_core, reason);
}

void DistributedLock::recordAlsoAs(std::vector<trace::EntityId> locks) {
    m_core->alsoLocks = std::move(locks);
}

void DistributedLock::stopWatchdog() {
    m_core->watchdogStopped = true;
}

} // namespace lockscope
