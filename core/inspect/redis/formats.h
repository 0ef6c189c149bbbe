// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/format.h"
#include "inspect/redis/key_table.h"

namespace lockscope::inspect {

/// The layouts of locks on Redis, in the order of the wire-format tables: the first match wins.
std::span<const Format<SeenKey>> redisFormats();

std::vector<LockRow> readRedissonReadWrite(const SeenKey& seen); ///< redisson-rw
std::vector<LockRow> readRedissonFastMulti(const SeenKey& seen); ///< redisson-fastmulti: one row for each value
std::vector<LockRow> readRedissonLock(const SeenKey& seen);      ///< redisson, redisson-fair, redisson-fenced
std::vector<LockRow> readRedissonPermits(const SeenKey& seen);   ///< redisson-permit, -semaphore, -latch
std::vector<LockRow> readRedisSemaphore(const SeenKey& seen);    ///< npm's redis-semaphore
std::vector<LockRow> readStringLocks(const SeenKey& seen);       ///< by the value's shape, then by the key's name

/// The row of a fair lock's queue whose lock nobody holds at the moment.
LockRow redissonQueueRow(const QByteArray& name, const KeySnapshot& queue, const KeyTable& keys,
                         const std::optional<Subscriptions>& subscriptions, std::int64_t wallMs);

} // namespace lockscope::inspect
