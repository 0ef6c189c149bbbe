// SPDX-License-Identifier: Apache-2.0
#include "drivers/dial.h"

#include "drivers/etcd/driver.h"
#include "drivers/memcached/driver.h"
#include "drivers/redis/driver.h"
#include "drivers/sql/driver.h"
#include "drivers/sql/reader.h"
#include "drivers/zookeeper/driver.h"

namespace lockscope {

const Diallers& realDiallers() {
    static const Diallers kDiallers{
        .redis =
            [](Runtime& runtime, const ConnectionUrl& url, const redis::DriverOptions& options) {
                return std::make_unique<redis::RedisDriver>(runtime, url, options);
            },
        .zookeeper =
            [](Runtime& runtime, const ConnectionUrl& url, const zookeeper::DriverOptions& options) {
                return std::make_unique<zookeeper::ZooKeeperDriver>(runtime, url, options);
            },
        .sql = [](Runtime& runtime,
                  const ConnectionUrl& url) { return std::make_unique<sql::SqlDriver>(runtime, url); },
        .memcached =
            [](Runtime& runtime, const ConnectionUrl& url) {
                return std::make_unique<memcached::MemcachedDriver>(runtime, url);
            },
        .etcd = [](Runtime& runtime,
                   const ConnectionUrl& url) { return std::make_unique<etcd::EtcdDriver>(runtime, url); },
        .sqlReader = [](Runtime& runtime,
                        const ConnectionUrl& url) { return std::make_unique<sql::SqlReader>(runtime, url); },
    };
    return kDiallers;
}

} // namespace lockscope
