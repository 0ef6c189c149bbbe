// SPDX-License-Identifier: Apache-2.0
#include "backends/redis/topology/cluster_port.h"
#include "lock/connections/redis_port_connection.h"

namespace lockscope {

namespace {
class RedisClusterConnection final : public RedisPortConnection<redis::ClusterPort> {
public:
    using RedisPortConnection::RedisPortConnection;

protected:
    std::shared_ptr<redis::Port> portOf(const QByteArray& name) override {
        std::shared_ptr<Own>& own = m_ports[name];
        if (!own) own = std::make_shared<Own>(Own{port(), port()->portFor(name)});
        return {own, own->port.get()};
    }

private:
    /// A lock's own port, which needs the cluster's.
    struct Own {
        std::shared_ptr<redis::ClusterPort> cluster;
        std::unique_ptr<redis::Port> port;
    };
    std::map<QByteArray, std::shared_ptr<Own>> m_ports; ///< by lock
};
} // namespace

std::unique_ptr<Connection> makeRedisClusterConnection(Runtime& runtime, ConnectionUrl url, QByteArray client) {
    return std::make_unique<RedisClusterConnection>(runtime, std::move(url), std::move(client));
}

} // namespace lockscope
