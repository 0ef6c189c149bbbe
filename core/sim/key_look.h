// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_snapshot.h"
#include "sim/redis/engine.h"

namespace lockscope::sim {

/// The key and the keys that belong to the same lock, read by commands as a watcher of a real server reads them.
std::vector<inspect::KeySnapshot> lookAt(RedisEngine& engine, RedisEngine::SessionId session,
                                         const QByteArray& lockName);

/// Whether a change of that key may change what the record of the lock says.
bool concernsRecord(const QByteArray& key, const QByteArray& lockName);

} // namespace lockscope::sim
