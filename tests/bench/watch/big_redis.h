// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/redis/driver.h"
#include "inspect/redis/info.h"

#include <qcoro/qcorotask.h>

namespace lockscope::bench {

/// Calls and waits for the answer.
inline redis::Result call(redis::RedisDriver& driver, redis::Args args) {
    return QCoro::waitFor(driver.call(std::move(args)));
}

/// Strings and Redisson locks, in parts that a server is not busy with for long.
inline bool fill(redis::RedisDriver& driver, int keys, int locks) {
    constexpr int kPart = 50'000;
    const char* const strings = "for i = ARGV[1], ARGV[2] do redis.call('SET', 'user:' .. i, 'some value ' .. i) end";
    const char* const hashes = "for i = ARGV[1], ARGV[2] do redis.call('HSET', 'svc:' .. i, ARGV[3] .. i, 1) "
                               "redis.call('PEXPIRE', 'svc:' .. i, 3600000) end";
    const auto run = [&](const char* script, int count) {
        for (int from = 1; from <= count; from += kPart) {
            redis::Args args{"EVAL",
                             script,
                             "0",
                             QByteArray::number(from),
                             QByteArray::number(std::min(count, from + kPart - 1)),
                             "285475da-9152-4c83-822a-67ee2f116a79:"};
            if (!call(driver, std::move(args))) return false;
        }
        return true;
    };
    return run(strings, keys) && run(hashes, locks);
}

/// Seconds of a processor that the server has used since its start.
inline double cpuSeconds(redis::RedisDriver& driver) {
    const redis::Result info = call(driver, {"INFO", "cpu"});
    if (!info) return 0;
    return inspect::lineOfInfo(info->text, "used_cpu_user").toDouble() +
           inspect::lineOfInfo(info->text, "used_cpu_sys").toDouble();
}

} // namespace lockscope::bench
