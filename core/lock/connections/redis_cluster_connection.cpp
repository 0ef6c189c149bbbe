// SPDX-License-Identifier: Apache-2.0
#include "backends/redis/topology/cluster_port.h"
#include "lock/connections/redis_port_connection.h"

namespace lockscope {

namespace {
class RedisClusterConnection final : public RedisPortConnection<redis::ClusterPort> {
public:
    using RedisPortConnection::RedisPortConnection;

protected:
    redis::Port& portOf(const QByteArray& name) override {
        std::unique_ptr<redis::Port>& own = m_ports[name];
        if (!own) own = port().portFor(name);
        return *own;
    }

private:
    std::map<QByteArray, std::unique_ptr<redis::Port>> m_ports; ///< by lock
};
} // namespace

std::unique_ptr<Connection> makeRedisClusterConnection(Runtime& runtime, ConnectionUrl url, QByteArray client) {
    return std::make_unique<RedisClusterConnection>(runtime, std::move(url), std::move(client));
}

} // namespace lockscope
