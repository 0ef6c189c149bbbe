// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/zookeeper/client.h"

namespace lockscope::zookeeper {

class DriverCore;

/// A client of a real ZooKeeper or an ensemble: one session over one connection, shared by all coroutines of the
/// client. Connects at the first call, and to another server when one is lost. Makes a new session when one has ended:
/// by the server's word, by its own clock when it has not heard of the leader for the session's time-out, or because
/// the servers have lost their data (DataLossProbe).
///
/// Lives on its runtime's thread, which needs a Qt event loop. May be destroyed at any time: calls in flight then end
/// with SessionLost. The runtime must outlive it.
class ZooKeeperDriver final : public Client {
public:
    ZooKeeperDriver(Runtime& runtime, const ConnectionUrl& url, DriverOptions options = {});
    /// Ends the session if the server answers now; otherwise the session times out there.
    ~ZooKeeperDriver() override;

    Runtime& runtime() override;
    const Session& session() const override;
    void watchSession(const Watch& watch) override;
    Reply<void> connected(Nanos patience = kNever, std::stop_token stop = {}) override;
    Reply<CreatedNode> create(QByteArray path, QByteArray data, NodeMode mode, Nanos ttl = {},
                              std::stop_token stop = {}) override;
    Reply<void> remove(QByteArray path, int version = -1, std::stop_token stop = {},
                       std::uint64_t generation = 0) override;
    Reply<NodeData> get(QByteArray path, std::optional<Watch> watch = {}, std::stop_token stop = {}) override;
    Reply<std::optional<NodeStat>> exists(QByteArray path, std::optional<Watch> watch = {},
                                          std::stop_token stop = {}) override;
    Reply<ChildList> children(QByteArray path, std::optional<Watch> watch = {}, std::stop_token stop = {}) override;
    QCoro::Task<QByteArray> askServer(Endpoint server, QByteArray word, std::stop_token stop = {}) override;
    Reply<NodeStat> set(QByteArray path, QByteArray data, int version = -1, std::stop_token stop = {}) override;
    Reply<std::vector<QByteArray>> multi(std::vector<Op> ops, std::stop_token stop = {}) override;
    Reply<void> sync(QByteArray path, std::stop_token stop = {}) override;

    /// The thread is blocked for the last answer (1.5 s at most, if the server stops answering at that moment).
    QCoro::Task<> close() override;
    /// "host:port,host:port/chroot".
    QString where() const;
    /// The number of requests sent by calls, without pings and logins.
    std::uint64_t requestsSent() const;

private:
    std::shared_ptr<DriverCore> m_core;
};

} // namespace lockscope::zookeeper
