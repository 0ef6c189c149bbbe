// SPDX-License-Identifier: Apache-2.0
#include "lock/named_lock.h"

#include "lock/recipe_choice.h"

namespace lockscope {

std::expected<std::unique_ptr<DistributedLock>, LockError>
makeLock(Connection& connection, const QByteArray& name, recipes::Mode mode, LockOptions options, int permits) {
    if (options.lease < 1ms) return std::unexpected(leaseTooShort(options.lease));
    if (options.epoch < 0 || options.epoch > kMostEpochs) return std::unexpected(epochTooHigh(options.epoch));
    auto recipe = chooseRecipe(connection, options.recipe, mode, {name, permits});
    if (!recipe) return std::unexpected(recipe.error());
    if (mode == recipes::Mode::Permit) options.capacity = permits;
    if (options.watchdog >= options.lease) options.watchdog = options.lease / 3; // it would always come too late
    return std::make_unique<DistributedLock>(connection.lockClient(), *std::move(recipe), std::move(options),
                                             connection.lockEntity(name));
}

NamedLock::NamedLock(Connection& connection, QByteArray name, recipes::Mode mode, LockOptions options, int permits)
    : m_connection(connection),
      m_name(std::move(name)),
      m_mode(mode),
      m_options(std::move(options)),
      m_permits(permits) {
}

std::expected<DistributedLock*, LockError> NamedLock::lockObject() {
    if (m_lock) return m_lock.get();
    auto made = makeLock(m_connection, m_name, m_mode, m_options, m_permits);
    if (!made) return std::unexpected(made.error());
    m_lock = *std::move(made);
    m_lock->listen(m_listener);
    return m_lock.get();
}

void NamedLock::listen(DistributedLock::Listener listener) {
    m_listener = std::move(listener);
    if (m_lock) m_lock->listen(m_listener);
}

NamedLock::Outcome<bool> NamedLock::forceUnlock() {
    const auto lock = lockObject();
    if (!lock) co_return std::unexpected(lock.error());
    co_return co_await (*lock)->forceUnlock();
}

NamedLock::Outcome<bool> NamedLock::isLocked(std::stop_token stop) {
    const auto lock = lockObject();
    if (!lock) co_return std::unexpected(lock.error());
    co_return co_await (*lock)->isLocked(std::move(stop));
}

NamedLock::Outcome<LockGuard> NamedLock::take(recipes::Mode mode, Nanos wait, Thread thread, int permits,
                                              std::stop_token stop) {
    const auto lock = lockObject();
    if (!lock) co_return std::unexpected(lock.error());
    LockRequest request;
    request.mode = mode;
    request.wait = wait;
    request.thread = std::move(thread);
    request.permits = permits;
    co_return co_await (*lock)->acquire(request, stop);
}

} // namespace lockscope
