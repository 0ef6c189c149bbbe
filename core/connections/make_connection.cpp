// SPDX-License-Identifier: Apache-2.0
// A file of its own, so that a program which connects to some kinds links only those.
#include "connections/factories.h"

namespace lockscope {

// The room's table of kinds: a factory here, in its kind's folder, and its Services below.
ConnectionFactory makeEtcdConnection, makeMemcachedConnection, makeSqlConnection, makeZooKeeperConnection;

std::unique_ptr<Connection> makeConnectionOver(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                               QByteArray client) {
    switch (url.service) {
    case Service::Redis:
    case Service::RedisSentinel:
    case Service::RedisCluster:
    case Service::Redlock:
        return makeRedisKindConnection(runtime, diallers, std::move(url), std::move(client));
    case Service::ZooKeeper:
        return makeZooKeeperConnection(runtime, diallers, std::move(url), std::move(client));
    case Service::MySql:
    case Service::PostgreSql:
    case Service::Sqlite:
        return makeSqlConnection(runtime, diallers, std::move(url), std::move(client));
    case Service::Memcached:
        return makeMemcachedConnection(runtime, diallers, std::move(url), std::move(client));
    case Service::Etcd:
        return makeEtcdConnection(runtime, diallers, std::move(url), std::move(client));
    }
    return nullptr;
}

} // namespace lockscope
