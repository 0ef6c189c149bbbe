// SPDX-License-Identifier: Apache-2.0
#include "connections/redis/cluster_port.h"
#include "connections/redis/redis_port_connection.h"

#include <QCoreApplication>

namespace lockscope {

namespace {
class RedisClusterConnection final : public RedisPortConnection<redis::ClusterPort> {
public:
    using RedisPortConnection::RedisPortConnection;

    Outcome<void> ping(std::stop_token stop) override {
        const redis::Result reply = co_await port()->call(redis::argsOf("CLUSTER", "INFO"), std::move(stop));
        if (!reply) co_return std::unexpected(recipes::lockError(reply.error(), {}));
        if (reply->text.contains("cluster_state:ok")) co_return {};
        const QString text = QCoreApplication::translate(
            "LockError", "The cluster %1 is down: some of its slots have no master. Look at CLUSTER INFO.");
        co_return std::unexpected(LockError{LockError::Kind::Unreachable, text.arg(url().display())});
    }

protected:
    std::shared_ptr<redis::Port> portOf(const QByteArray& name) override {
        const auto own = std::make_shared<Own>(Own{port(), port()->portFor(name)});
        return {own, own->port.get()};
    }

private:
    /// A lock's own port, which needs the cluster's.
    struct Own {
        std::shared_ptr<redis::ClusterPort> cluster;
        std::unique_ptr<redis::Port> port;
    };
};
} // namespace

std::unique_ptr<Connection> makeRedisClusterConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                       QByteArray client) {
    return std::make_unique<RedisClusterConnection>(runtime, diallers.redis, std::move(url), std::move(client));
}

} // namespace lockscope
