// SPDX-License-Identifier: Apache-2.0
#include "raw.h"

#include <random>
#include <set>
#include <thread>

namespace lockscope::bench {

void napBeforeWaking() {
    static std::minstd_rand random;
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(3000, 30'000)(random)));
}

MadeRaw makeRaw(const ConnectionUrl& url, const QByteArray& recipe, const Workload& workload) {
    if (workload.kind == Workload::Kind::Held) return nullptr;
    // How long those rest between two looks is their choice, and no limit.
    static const std::set<QByteArray> polling{"sql-lease", "sql-row", "memcached-lease", "memcached-add",
                                              "redis-redlock"};
    if (workload.oneLock() && polling.contains(recipe)) return nullptr;
    switch (url.service) {
    case Service::Redis:
        return makeRawRedis(url, recipe, workload);
    case Service::ZooKeeper:
        return makeRawZooKeeper(url, recipe, workload);
    case Service::MySql:
    case Service::PostgreSql:
    case Service::Sqlite:
        return makeRawSql(url, recipe, workload);
    case Service::Memcached:
        return makeRawMemcached(url, recipe, workload);
    case Service::Etcd:
        return makeRawEtcd(url, workload);
    case Service::RedisSentinel:
        return makeRawSentinel(url, recipe, workload);
    case Service::Redlock:
        return makeRawRedlock(url, workload);
    case Service::RedisCluster:
        break; // its bare client would be one that knows slots: hiredis does not
    }
    return nullptr;
}

} // namespace lockscope::bench
