// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/redis/driver.h"
#include "sandbox/redis_server.h"
#include "support/live.h"

namespace lockscope::test {

inline redis::Result call(redis::RedisDriver& driver, redis::Args args) {
    return run(driver.call(std::move(args)));
}

} // namespace lockscope::test
