// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/redis_server.h"

namespace lockscope::sandbox {

struct RedisClusterOptions {
    int masters = 3;
    QString password;
    int nodeTimeoutMs = 1000;     ///< a node that is silent for so long counts as down
    bool wantFullCoverage = true; ///< a missing slot stops the whole cluster
};

/// A Redis Cluster of masters on the loopback, the slots spread evenly and in order.
class RedisCluster {
public:
    static constexpr int kSlots = 16'384;

    explicit RedisCluster(Runtime& runtime, RedisClusterOptions options = {});
    /// Starts all, lets them meet, and returns when every node says that the cluster is fine.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});
    int count() const { return int(m_servers.size()); }
    /// A node; started again after an end it takes its place in the cluster, without its data.
    RedisServer& at(int index) { return *m_servers[std::size_t(index)]; }
    /// Its name within the cluster, 40 hex digits; there once started.
    const QByteArray& id(int index) const { return m_ids[std::size_t(index)]; }
    /// The node that had this slot at the start.
    int firstOwner(int slot) const { return slot * count() / kSlots; }
    /// Returns when every node says that the cluster is fine; false: not within `limit`.
    QCoro::Task<bool> waitUntilFine(Nanos limit, std::stop_token stop = {});
    /// redis+cluster://…, with the password if there is one: not to be shown.
    QString url() const;

private:
    QCoro::Task<std::expected<void, QString>> meet(std::stop_token stop);

    Runtime& m_runtime;
    RedisClusterOptions m_options;
    std::vector<std::unique_ptr<RedisServer>> m_servers;
    std::vector<std::uint16_t> m_busPorts;
    std::vector<QByteArray> m_ids;
};

} // namespace lockscope::sandbox
