// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"
#include "recipes/condition.h"
#include "recipes/redis/redis_recipe.h"

namespace lockscope {

/// The recipe for one lock over a Redis port, which it keeps alive. The URL's option `wait=N` is the number of replicas
/// that must confirm each acquisition. Kind::NotSupported when there is no such recipe, Kind::Refused for an invalid
/// name, number of permits or option.
std::expected<std::unique_ptr<recipes::Recipe>, LockError>
makeRedisLock(const QByteArray& id, std::shared_ptr<redis::Port> port, const LockSpec& spec,
              const Connection& connection, std::shared_ptr<recipes::Doubts> doubts);

/// The condition of one lock over a Redis port, which it keeps alive. Kind::NotSupported when the recipe has none.
std::expected<std::unique_ptr<recipes::ConditionRecipe>, LockError>
makeRedisLockCondition(const QByteArray& recipe, std::shared_ptr<redis::Port> port, const LockSpec& spec,
                       const Connection& connection, std::shared_ptr<recipes::Doubts> doubts);

/// Whether the server behind the port could grant a lock now; Kind::Refused when it is a replica, which takes no
/// writes.
recipes::Outcome<void> pingMaster(std::shared_ptr<redis::Port> port, QString where, std::stop_token stop);

} // namespace lockscope
