// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/holder_told.h"
#include "client/qt/connection_impl.h"
#include "client/qt/translated.h"
#include "lock/distributed_condition.h"
#include "lock/distributed_multi_lock.h"
#include "lock/lock_mode.h"

#include <lockscope/qt/condition.h>
#include <lockscope/qt/locks.h>

namespace lockscope::qt {

Hold Inside::hold(LockGuard guard) {
    return Hold(std::move(guard));
}

Hold::Hold() = default;
Hold::Hold(LockGuard guard) : m_guard(guard ? std::make_unique<LockGuard>(std::move(guard)) : nullptr) {
}
Hold::~Hold() = default;
Hold::Hold(Hold&&) noexcept = default;
Hold& Hold::operator=(Hold&& other) noexcept = default;

Hold::operator bool() const {
    return m_guard != nullptr;
}

bool Hold::stillMine() const {
    return m_guard && m_guard->stillMine();
}

std::stop_token Hold::lost() const {
    return m_guard ? m_guard->lost() : std::stop_token();
}

std::chrono::nanoseconds Hold::remaining() const {
    return m_guard ? m_guard->remaining() : Nanos(0);
}

std::int64_t Hold::token() const {
    return m_guard ? m_guard->token() : 0;
}

std::vector<std::int64_t> Hold::tokens() const {
    return m_guard ? m_guard->tokens() : std::vector<std::int64_t>();
}

Outcome<void> Hold::extend(std::chrono::nanoseconds lease) {
    return told(m_guard ? m_guard->extend(lease) : LockGuard().extend(lease));
}

Outcome<int> Hold::unlock() {
    LockGuard guard = m_guard ? std::move(*m_guard) : LockGuard();
    m_guard.reset();
    return told(guard.unlock());
}

Lock::Lock(std::unique_ptr<LazyLock> lock) : m_lock(std::move(lock)) {
}

Lock::~Lock() = default;

namespace {
Outcome<Hold> held(recipes::Outcome<LockGuard> inner) {
    auto guard = co_await told(std::move(inner));
    if (!guard) co_return std::unexpected(guard.error());
    co_return Inside::hold(*std::move(guard));
}

Outcome<std::vector<Holder>> holding(recipes::Outcome<std::vector<recipes::HolderInfo>> inner) {
    const auto all = co_await told(std::move(inner));
    if (!all) co_return std::unexpected(all.error());
    std::vector<Holder> holders;
    for (const recipes::HolderInfo& info : *all)
        holders.push_back(holderOf(info));
    co_return holders;
}
} // namespace

Outcome<Hold> Lock::take(LockMode mode, Nanoseconds wait, int thread, std::stop_token stop, Nanoseconds lease,
                         int permits) {
    LockRequest request;
    request.mode = lockscope::detail::modeOf(mode);
    request.permits = permits;
    request.wait = wait;
    request.thread = QByteArray::number(thread);
    if (lease > Nanoseconds(0)) request.lease = lease;
    return held(m_lock->take(std::move(request), std::move(stop)));
}

Outcome<bool> Lock::forceUnlock() {
    return told(m_lock->forceUnlock());
}

Outcome<bool> Lock::isLocked(std::stop_token stop) {
    return told(m_lock->isLocked(std::move(stop)));
}

Outcome<std::vector<Holder>> Lock::holders(std::stop_token stop) {
    return holding(m_lock->holders(std::move(stop)));
}

void Lock::onEvent(std::function<void(HoldEvent event, const QString& reason)> listener) {
    if (!listener) {
        m_lock->listen(nullptr);
        return;
    }
    m_lock->listen([listener = std::move(listener)](HoldEvent event, const QByteArray&, const QString& reason) {
        listener(event, reason);
    });
}

Mutex::Mutex(Connection& connection, const QString& name, LockOptions options)
    : ExclusiveLock(
          std::make_unique<DistributedMutex>(Inside::connection(connection), name.toUtf8(), std::move(options))) {
}

SharedMutex::SharedMutex(Connection& connection, const QString& name, LockOptions options)
    : ExclusiveLock(
          std::make_unique<DistributedSharedMutex>(Inside::connection(connection), name.toUtf8(), std::move(options))) {
}

Semaphore::Semaphore(Connection& connection, const QString& name, int permits, LockOptions options)
    : Lock(std::make_unique<DistributedSemaphore>(Inside::connection(connection), name.toUtf8(), permits,
                                                  std::move(options))) {
}

Outcome<std::optional<int>> Semaphore::availablePermits(std::stop_token stop) {
    return told(inner().permitsFree(std::move(stop)));
}

namespace {
std::vector<lockscope::LockPart> innerOf(const std::vector<LockPart>& parts) {
    std::vector<lockscope::LockPart> inner;
    for (const LockPart& part : parts)
        inner.push_back({Inside::connection(part.connection), part.name.toUtf8(), part.recipe.toUtf8()});
    return inner;
}
} // namespace

MultiLock::MultiLock(const std::vector<LockPart>& parts, LockOptions options)
    : ExclusiveLock(std::make_unique<DistributedMultiLock>(innerOf(parts), std::move(options))) {
}

Condition::Condition(Mutex& mutex)
    : m_condition(std::make_unique<DistributedCondition>(static_cast<DistributedMutex&>(mutex.inner()))) {
}

Condition::~Condition() = default;

Outcome<bool> Condition::await(std::chrono::nanoseconds wait, std::stop_token stop, int thread) {
    return told(m_condition->await(wait, QByteArray::number(thread), std::move(stop)));
}

Outcome<int> Condition::signal(int thread) {
    return told(m_condition->signal(QByteArray::number(thread)));
}

Outcome<int> Condition::signalAll(int thread) {
    return told(m_condition->signalAll(QByteArray::number(thread)));
}

} // namespace lockscope::qt
