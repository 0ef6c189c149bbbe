// SPDX-License-Identifier: Apache-2.0
#include "connections/redis/redis_port_connection.h"
#include "connections/redis/sentinel_port.h"

namespace lockscope {

std::unique_ptr<Connection> makeRedisSentinelConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                        QByteArray client) {
    return std::make_unique<RedisPortConnection<redis::SentinelPort>>(runtime, diallers.redis, std::move(url),
                                                                      std::move(client));
}

} // namespace lockscope
