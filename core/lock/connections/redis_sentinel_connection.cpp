// SPDX-License-Identifier: Apache-2.0
#include "backends/redis/topology/sentinel_port.h"
#include "lock/connections/redis_port_connection.h"

namespace lockscope {

std::unique_ptr<Connection> makeRedisSentinelConnection(Runtime& runtime, ConnectionUrl url, QByteArray client) {
    return std::make_unique<RedisPortConnection<redis::SentinelPort>>(runtime, std::move(url), std::move(client));
}

} // namespace lockscope
