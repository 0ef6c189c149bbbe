// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/zookeeper/line.h"

namespace lockscope::sim {

/// A simulated client's way to an ensemble, as the real driver is one: one session over one connection, and another
/// server when it breaks. Requests sent before the client died still arrive. May be destroyed at any time: calls in
/// flight then end with SessionLost.
class ZkWire final : public zookeeper::Client {
public:
    /// Everything outlives it. `client`: its user in the trace.
    ZkWire(Grounds grounds, ZkLine::Lookup lookup, Runtime& runtime, trace::EntityId client, const ConnectionUrl& url,
           zookeeper::DriverOptions options);
    ~ZkWire() override;

    Runtime& runtime() override { return m_line->runtime; }
    const zookeeper::Session& session() const override { return m_line->session; }
    void watchSession(const zookeeper::Watch& watch) override { m_line->watches->addSession(watch); }
    Reply<void> connected(Nanos patience = kNever, std::stop_token stop = {}) override;
    Reply<zookeeper::CreatedNode> create(QByteArray path, QByteArray data, zookeeper::NodeMode mode, Nanos ttl = {},
                                         std::stop_token stop = {}) override;
    Reply<void> remove(QByteArray path, int version = -1, std::stop_token stop = {},
                       std::uint64_t generation = 0) override;
    Reply<zookeeper::NodeData> get(QByteArray path, std::optional<zookeeper::Watch> watch = {},
                                   std::stop_token stop = {}) override;
    Reply<std::optional<zookeeper::NodeStat>> exists(QByteArray path, std::optional<zookeeper::Watch> watch = {},
                                                     std::stop_token stop = {}) override;
    Reply<zookeeper::ChildList> children(QByteArray path, std::optional<zookeeper::Watch> watch = {},
                                         std::stop_token stop = {}) override;
    Reply<zookeeper::NodeStat> set(QByteArray path, QByteArray data, int version = -1,
                                   std::stop_token stop = {}) override;
    Reply<std::vector<QByteArray>> multi(std::vector<zookeeper::Op> ops, std::stop_token stop = {}) override;
    Reply<void> sync(QByteArray path, std::stop_token stop = {}) override;
    QCoro::Task<> close() override;

private:
    std::shared_ptr<ZkLine> m_line;
};

} // namespace lockscope::sim
