// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_snapshot.h"
#include "sim/redis/engine.h"

namespace lockscope::sim {

/// How much of a long list or sorted set is read. A record says no more of waiters than their first ones and how many
/// there are; of a semaphore's permits, each has an owner.
enum class LookAt : std::uint8_t { First, All };

/// The key and the keys that belong to the same lock, read by commands as a watcher of a real server reads them.
std::vector<inspect::KeySnapshot> lookAt(RedisEngine& engine, RedisEngine::SessionId session,
                                         const QByteArray& lockName, LookAt elements = LookAt::First);

/// Whether a change of that key may change what the record of the lock says.
bool concernsRecord(const QByteArray& key, const QByteArray& lockName);

} // namespace lockscope::sim
