// SPDX-License-Identifier: Apache-2.0
#include "connections/memcached/ring_port.h"
#include "inspect/etcd/releaser.h"
#include "inspect/make_watcher.h"
#include "inspect/memcached/releaser.h"
#include "inspect/redis/releaser.h"
#include "inspect/releaser.h"
#include "inspect/sql/releaser.h"
#include "inspect/text.h"
#include "inspect/zookeeper/releaser.h"

#include <QCoreApplication>

namespace lockscope::inspect {

QString cannotBeFreed(const LockRow& seen) {
    return QCoreApplication::translate("Watcher", "“%1” cannot be freed from here: its layout (%2) does not tell this "
                                                  "hold from a later one.")
        .arg(readable(seen.name), QString::fromUtf8(seen.format));
}

std::expected<std::unique_ptr<Releaser>, QString> makeReleaser(Runtime& runtime, const ConnectionUrl& url,
                                                               const Diallers& diallers) {
    if (const auto known = watchable(url); !known) return std::unexpected(known.error());
    switch (url.service) {
    case Service::Redis:
        return std::make_unique<RedisReleaser>(diallers.redis(runtime, url, redis::DriverOptions()));
    case Service::RedisSentinel:
    case Service::RedisCluster:
        return std::make_unique<RedisGroupReleaser>(runtime, url, diallers.redis);
    case Service::ZooKeeper:
        return std::make_unique<ZooKeeperReleaser>(
            diallers.zookeeper(runtime, url, zookeeper::urlOptions(url)->driver));
    case Service::Etcd:
        return std::make_unique<EtcdReleaser>(diallers.etcd(runtime, url));
    case Service::Memcached:
        if (url.endpoints.size() > 1)
            return std::make_unique<MemcachedReleaser>(
                std::make_unique<memcached::RingPort>(runtime, diallers.memcached, url));
        return std::make_unique<MemcachedReleaser>(diallers.memcached(runtime, url));
    case Service::PostgreSql:
        return std::make_unique<SqlReleaser>(diallers.sql(runtime, url), sql::Language::PostgreSql);
    case Service::MySql:
        return std::make_unique<SqlReleaser>(diallers.sql(runtime, url), sql::Language::MySql);
    case Service::Sqlite:
        return std::make_unique<SqlReleaser>(diallers.sql(runtime, url), sql::Language::Sqlite);
    case Service::Redlock:
        return std::make_unique<RedlockReleaser>(runtime, url, diallers.redis);
    }
    Q_UNREACHABLE();
}

} // namespace lockscope::inspect
