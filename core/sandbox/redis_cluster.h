// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/redis_server.h"

namespace lockscope::sandbox {

struct RedisClusterOptions {
    int masters = 3;
    int replicas = 0; ///< of each master
    QString password; ///< of the default user, by which the nodes know each other, too; empty: none
    std::vector<RedisServerOptions::User> users;
    bool tls = false;             ///< for clients and between the nodes, and nothing else
    int nodeTimeoutMs = 600;      ///< a node that is silent for so long counts as down
    bool wantFullCoverage = true; ///< a missing slot stops the whole cluster
    QStringList extraLines{};     ///< of each node's redis.conf
};

/// A Redis Cluster on the loopback, the slots spread over the masters evenly and in order.
class RedisCluster {
public:
    static constexpr int kSlots = 16'384;

    explicit RedisCluster(Runtime& runtime, RedisClusterOptions options = {});
    /// Starts all, lets them meet, and returns when every node says that the cluster is fine, and every replica is in
    /// step. Later calls start the nodes that do not run.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});
    int masters() const { return m_options.masters; }
    /// All nodes: first the masters as of the start, then their replicas, in their order.
    int count() const { return m_options.masters * (1 + m_options.replicas); }
    /// A node; started again after an end it takes its place in the cluster, without its data. Precondition: started.
    RedisServer& at(int index) { return *m_servers[std::size_t(index)]; }
    /// Its name within the cluster, 40 hex digits; there once started.
    const QByteArray& id(int index) const { return m_ids[std::size_t(index)]; }
    /// The master that had this slot at the start.
    int firstOwner(int slot) const { return slot * masters() / kSlots; }
    /// Returns when every node that runs says that the cluster is fine; false: not within `limit`.
    QCoro::Task<bool> waitUntilFine(Nanos limit, std::stop_token stop = {});
    /// redis+cluster://… or rediss+cluster://…, with the default user's password if there is one: not to be shown.
    QString url() const { return url({{}, m_options.password}); }
    /// As url(), for another user.
    QString url(const RedisLogin& login) const;

private:
    RedisServerOptions nodeOptions(std::uint16_t busPort) const;
    QCoro::Task<std::expected<void, QString>> meet(std::stop_token stop);
    QCoro::Task<std::expected<void, QString>> follow(int replica, std::stop_token stop);
    QCoro::Task<std::expected<void, QString>> order(int node, QByteArrayList words, std::stop_token stop);

    Runtime& m_runtime;
    RedisClusterOptions m_options;
    Workspace m_workspace; ///< of the authority
    TlsAuthority m_authority;
    std::vector<std::unique_ptr<RedisServer>> m_servers;
    std::vector<std::uint16_t> m_busPorts;
    std::vector<QByteArray> m_ids;
};

} // namespace lockscope::sandbox
