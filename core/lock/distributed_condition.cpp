// SPDX-License-Identifier: Apache-2.0
#include "lock/distributed_condition.h"

#include "lock/hold_keeper.h"

namespace lockscope {

std::optional<LockError> DistributedCondition::find() {
    if (!m_lock) {
        const auto lock = m_mutex->lockObject();
        if (!lock) return lock.error();
        m_lock = *lock;
    }
    if (m_recipe) return std::nullopt;
    auto made = m_connection.makeCondition(m_lock->recipe().id, {m_name, 1});
    if (!made) return made.error();
    m_recipe = *std::move(made);
    return std::nullopt;
}

DistributedCondition::Outcome<bool> DistributedCondition::await(Nanos wait, Thread thread, std::stop_token stop) {
    if (const auto error = find()) co_return std::unexpected(*error);
    const std::shared_ptr<detail::LockCore> core = m_lock->m_core;
    const std::shared_ptr<recipes::ConditionRecipe> recipe = m_recipe;
    co_return co_await detail::LockCore::await(core, recipe, thread, wait, stop);
}

DistributedCondition::Outcome<int> DistributedCondition::wake(int most, Thread thread) {
    if (const auto error = find()) co_return std::unexpected(*error);
    if (!m_lock->stillMine(thread)) {
        co_return std::unexpected(detail::notHeldForCondition());
    }
    const std::shared_ptr<recipes::ConditionRecipe> recipe = m_recipe; // this may go away while we wait
    co_return co_await recipe->signal(most, {});
}

} // namespace lockscope
