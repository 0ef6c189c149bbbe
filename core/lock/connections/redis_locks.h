// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/connection.h"
#include "recipes/redis/redis_recipe.h"

namespace lockscope {

/// The recipe for one lock over a Redis port, which it keeps, with what the connection's URL says about locks:
/// `wait=N`, so many replicas must confirm each acquisition. Kind::NotSupported when there is no such recipe,
/// Kind::Refused for a name, a number of permits or an option that makes no sense.
std::expected<std::unique_ptr<recipes::Recipe>, LockError>
makeRedisLock(const QByteArray& id, std::shared_ptr<redis::Port> port, const LockSpec& spec,
              const Connection& connection, std::shared_ptr<recipes::Doubts> doubts);

} // namespace lockscope
