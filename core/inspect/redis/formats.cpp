// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/formats.h"

namespace lockscope::inspect {

std::span<const Format<SeenKey>> redisFormats() {
    static constexpr Format<SeenKey> kFormats[] = {
        {"Redisson read/write", readRedissonReadWrite},
        {"Redisson fast multi-lock", readRedissonFastMulti},
        {"Redisson", readRedissonLock},
        {"Redisson permits", readRedissonPermits},
        {"redis-semaphore", readRedisSemaphore},
        {"string locks", readStringLocks},
    };
    return kFormats;
}

} // namespace lockscope::inspect
