// SPDX-License-Identifier: Apache-2.0
#include "connections/factories.h"

namespace lockscope {

std::unique_ptr<Connection> makeRedisKindConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                    QByteArray client) {
    switch (url.service) {
    case Service::RedisSentinel:
        return makeRedisSentinelConnection(runtime, diallers, std::move(url), std::move(client));
    case Service::RedisCluster:
        return makeRedisClusterConnection(runtime, diallers, std::move(url), std::move(client));
    case Service::Redlock:
        return makeRedlockConnection(runtime, diallers, std::move(url), std::move(client));
    default:
        Q_ASSERT(url.service == Service::Redis);
        return makeRedisConnection(runtime, diallers, std::move(url), std::move(client));
    }
}

} // namespace lockscope
