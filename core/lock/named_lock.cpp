// SPDX-License-Identifier: Apache-2.0
#include "lock/named_lock.h"

#include "lock/recipe_choice.h"

namespace lockscope {

std::expected<std::unique_ptr<DistributedLock>, LockError>
makeLock(Connection& connection, const QByteArray& name, recipes::Mode mode, HoldOptions options, int permits) {
    if (const auto wrong = wrongIn(options)) return std::unexpected(*wrong);
    auto recipe = chooseRecipe(connection, options.recipeId(), mode, {name, permits});
    if (!recipe) return std::unexpected(recipe.error());
    if (const auto refusal = unsafe((*recipe)->info(), options)) return std::unexpected(*refusal);
    if (mode == recipes::Mode::Permit) options.capacity = permits;
    return std::make_unique<DistributedLock>(connection.lockClient(), *std::move(recipe), withTimelyWatchdog(options),
                                             connection.lockEntity(name));
}

NamedLock::NamedLock(Connection& connection, QByteArray name, recipes::Mode mode, LockOptions options, int permits)
    : m_connection(connection),
      m_name(std::move(name)),
      m_mode(mode),
      m_options(std::move(options)),
      m_permits(permits) {
}

std::expected<std::unique_ptr<AnyLock>, LockError> NamedLock::make() {
    return makeLock(m_connection, m_name, m_mode, m_options, m_permits);
}

std::expected<DistributedLock*, LockError> NamedLock::lockObject() {
    const auto lock = LazyLock::lockObject();
    if (!lock) return std::unexpected(lock.error());
    return static_cast<DistributedLock*>(*lock);
}

std::expected<AnyLock*, LockError> LazyLock::lockObject() {
    if (m_lock) return m_lock.get();
    auto made = make();
    if (!made) return std::unexpected(made.error());
    m_lock = *std::move(made);
    m_lock->listen(m_listener);
    return m_lock.get();
}

void LazyLock::listen(DistributedLock::Listener listener) {
    m_listener = std::move(listener);
    if (m_lock) m_lock->listen(m_listener);
}

LazyLock::Outcome<bool> LazyLock::forceUnlock() {
    const auto lock = lockObject();
    if (!lock) co_return std::unexpected(lock.error());
    co_return co_await (*lock)->forceUnlock();
}

LazyLock::Outcome<bool> LazyLock::isLocked(std::stop_token stop) {
    const auto lock = lockObject();
    if (!lock) co_return std::unexpected(lock.error());
    co_return co_await (*lock)->isLocked(std::move(stop));
}

LazyLock::Outcome<std::vector<recipes::HolderInfo>> LazyLock::holders(std::stop_token stop) {
    const auto lock = lockObject();
    if (!lock) co_return std::unexpected(lock.error());
    co_return co_await (*lock)->holders(std::move(stop));
}

LazyLock::Outcome<std::optional<int>> LazyLock::permitsFree(std::stop_token stop) {
    const auto lock = lockObject();
    if (!lock) co_return std::unexpected(lock.error());
    co_return co_await (*lock)->permitsFree(std::move(stop));
}

LazyLock::Outcome<std::optional<int>> LazyLock::queueLength(std::stop_token stop) {
    const auto lock = lockObject();
    if (!lock) co_return std::unexpected(lock.error());
    co_return co_await (*lock)->queueLength(std::move(stop));
}

LazyLock::Outcome<LockGuard> LazyLock::take(LockRequest request, std::stop_token stop) {
    const auto lock = lockObject();
    if (!lock) co_return std::unexpected(lock.error());
    co_return co_await (*lock)->acquire(request, stop);
}

} // namespace lockscope
