// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/holder_told.h"
#include "client/qt/lock_use.h"
#include "client/qt/translated.h"
#include "lock/distributed_condition.h"
#include "lock/distributed_multi_lock.h"
#include "lock/lock_mode.h"
#include "lock/manager/lock_manager.h"
#include "lock/manager/managed_condition.h"

#include <lockscope/qt/condition.h>
#include <lockscope/qt/locks.h>

namespace lockscope::qt {

Hold::Hold() = default;
Hold::Hold(LockGuard guard, std::weak_ptr<LockUse> use, QByteArray thread)
    : m_guard(guard ? std::make_unique<LockGuard>(std::move(guard)) : nullptr),
      m_use(std::move(use)),
      m_thread(std::move(thread)) {
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
    return LockUse::awaited(m_use, m_thread, [&] { return guard.unlock(); });
}

int Hold::permits() const {
    return m_guard ? m_guard->permits() : 0;
}

Outcome<int> Hold::release(int permits) {
    if (!m_guard) return told(LockGuard().release(permits));
    Outcome<int> left = LockUse::awaited(m_use, m_thread, [&] { return m_guard->release(permits); });
    if (!*m_guard) m_guard.reset();
    return left;
}

Lock::Lock(std::shared_ptr<LockUse> use) : m_use(std::move(use)) {
}

Lock::~Lock() = default;

LazyLock& Lock::inner() const {
    return m_use->lock();
}

namespace {
Outcome<std::vector<Holder>> holding(recipes::Outcome<std::vector<recipes::HolderInfo>> inner) {
    const auto all = co_await told(std::move(inner));
    if (!all) co_return std::unexpected(all.error());
    std::vector<Holder> holders;
    for (const recipes::HolderInfo& info : *all)
        holders.push_back(holderOf(info));
    co_return holders;
}
} // namespace

Outcome<Hold> Lock::take(LockMode mode, Nanoseconds wait, int thread, std::stop_token stop,
                         std::optional<Nanoseconds> lease, int permits) {
    LockRequest request;
    request.mode = lockscope::detail::modeOf(mode);
    request.permits = permits;
    request.wait = wait;
    request.thread = QByteArray::number(thread);
    request.lease = lease;
    return m_use->take(std::move(request), std::move(stop));
}

Outcome<bool> Lock::forceUnlock() {
    return told(inner().forceUnlock());
}

Outcome<bool> Lock::isLocked(std::stop_token stop) {
    return told(inner().isLocked(std::move(stop)));
}

Outcome<std::vector<Holder>> Lock::holders(std::stop_token stop) {
    return holding(inner().holders(std::move(stop)));
}

void Lock::onEvent(std::function<void(HoldEvent event, const QString& reason)> listener) {
    m_use->listen(std::move(listener));
}

namespace {
/// A lock of a manager's namespace, over the engine in use.
class EngineLock final : public LazyLock {
public:
    EngineLock(LockManager& manager, const QString& space, const QString& name, recipes::Mode mode, int permits = 1)
        : m_manager(manager), m_space(space.toUtf8()), m_name(name.toUtf8()), m_mode(mode), m_permits(permits) {}

private:
    std::expected<std::unique_ptr<AnyLock>, LockError> make() override {
        return m_manager.lockAs(m_space, m_name, m_mode, m_permits);
    }
    LockManager& m_manager;
    QByteArray m_space, m_name;
    recipes::Mode m_mode;
    int m_permits;
};

template <typename T, typename... Arguments>
std::shared_ptr<LockUse> over(const Connection& connection, const QString& name, Arguments&&... arguments) {
    const QByteArray inner = name.toUtf8();
    return std::make_shared<LockUse>(
        std::vector{Inside::backing(connection)}, inner, inner,
        std::make_unique<T>(Inside::connection(connection), inner, std::forward<Arguments>(arguments)...));
}

std::shared_ptr<LockUse> overEngines(const Manager& manager, const QString& space, const QString& name,
                                     recipes::Mode mode, int permits = 1) {
    const QByteArray place = space.toUtf8() + '\0' + name.toUtf8();
    return std::make_shared<LockUse>(
        std::vector{Inside::backing(manager)}, place, name.toUtf8(),
        std::make_unique<EngineLock>(Inside::manager(manager), space, name, mode, permits));
}
} // namespace

Mutex::Mutex(Connection& connection, const QString& name, LockOptions options)
    : ExclusiveLock(over<DistributedMutex>(connection, name, std::move(options))) {
}

Mutex::Mutex(Manager& manager, const QString& space, const QString& name)
    : ExclusiveLock(overEngines(manager, space, name, recipes::Mode::Exclusive)) {
}

SharedMutex::SharedMutex(Connection& connection, const QString& name, LockOptions options)
    : ExclusiveLock(over<DistributedSharedMutex>(connection, name, std::move(options))) {
}

SharedMutex::SharedMutex(Manager& manager, const QString& space, const QString& name)
    : ExclusiveLock(overEngines(manager, space, name, recipes::Mode::Shared)) {
}

Semaphore::Semaphore(Connection& connection, const QString& name, int permits, LockOptions options)
    : Lock(over<DistributedSemaphore>(connection, name, permits, std::move(options))) {
}

Semaphore::Semaphore(Manager& manager, const QString& space, const QString& name, int permits)
    : Lock(overEngines(manager, space, name, recipes::Mode::Permit, permits)) {
}

Outcome<std::optional<int>> Semaphore::availablePermits(std::stop_token stop) {
    return told(inner().permitsFree(std::move(stop)));
}

Outcome<std::optional<int>> Semaphore::queueLength(std::stop_token stop) {
    return told(inner().queueLength(std::move(stop)));
}

namespace {
std::vector<lockscope::LockPart> innerOf(const std::vector<LockPart>& parts) {
    std::vector<lockscope::LockPart> inner;
    for (const LockPart& part : parts)
        inner.push_back({Inside::connection(part.connection), part.name.toUtf8(), part.recipe.toUtf8()});
    return inner;
}

std::shared_ptr<LockUse> overAll(const std::vector<LockPart>& parts, LockOptions options) {
    std::vector<std::shared_ptr<Backing>> backings;
    QByteArrayList names;
    for (const LockPart& part : parts) {
        backings.push_back(Inside::backing(part.connection));
        names += part.name.toUtf8();
    }
    return std::make_shared<LockUse>(std::move(backings), names.join('\0'), names.join(','),
                                     std::make_unique<DistributedMultiLock>(innerOf(parts), std::move(options)));
}
} // namespace

MultiLock::MultiLock(const std::vector<LockPart>& parts, LockOptions options)
    : ExclusiveLock(overAll(parts, std::move(options))) {
}

namespace {
/// Over a connection, or over a manager's engine in use.
std::expected<std::unique_ptr<AnyCondition>, LockError> conditionOf(LazyLock& mutex) {
    if (auto* const one = dynamic_cast<DistributedMutex*>(&mutex)) return std::make_unique<DistributedCondition>(*one);
    const auto lock = mutex.lockObject();
    if (!lock) return std::unexpected(lock.error());
    return std::make_unique<ManagedCondition>(static_cast<ManagedLock&>(**lock));
}
} // namespace

Condition::Condition(Mutex& mutex) : m_mutex(mutex) {
}

Condition::~Condition() = default;

std::expected<AnyCondition*, Error> Condition::made() {
    if (m_condition) return m_condition.get();
    auto condition = conditionOf(m_mutex.inner());
    if (!condition) return std::unexpected(toldOf(condition.error()));
    m_condition = *std::move(condition);
    return m_condition.get();
}

Outcome<bool> Condition::await(std::chrono::nanoseconds wait, std::stop_token stop, int thread) {
    const auto condition = made();
    if (!condition) return failed<bool>(condition.error());
    return told((*condition)->await(wait, QByteArray::number(thread), std::move(stop)));
}

Outcome<int> Condition::signal(int thread) {
    const auto condition = made();
    if (!condition) return failed<int>(condition.error());
    return told((*condition)->signal(QByteArray::number(thread)));
}

Outcome<int> Condition::signalAll(int thread) {
    const auto condition = made();
    if (!condition) return failed<int>(condition.error());
    return told((*condition)->signalAll(QByteArray::number(thread)));
}

} // namespace lockscope::qt
