// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/redis/cluster_watch.h"
#include "connections/redis/watched_port.h"
#include "ports/redis/client.h"

namespace lockscope::redis {

/// Presents a Redis Cluster as one Redis: sends each command to the node that owns its keys at present.
///
/// Follows MOVED and ASK. Waits out TRYAGAIN, CLUSTERDOWN, and a node that is away until its replica takes over, for
/// the command time-out at most. Scripts that read more than their keys (Script::Sees) wait until their slot has moved
/// completely. A command with keys in different slots is refused before anything is sent. Commands without a key go to
/// any node. Channels are subscribed, with plain SUBSCRIBE, at the owner of their slot; when that changes, a Message
/// with `gap` comes.
///
/// Lives on its runtime's thread, which needs a Qt event loop. May be destroyed at any time: calls in flight then end
/// with Disconnected.
class ClusterPort final : public WatchedPort<ClusterWatch> {
public:
    /// `url` has Service::RedisCluster; it may name some of the nodes only. `options` apply to each connection.
    ClusterPort(Runtime& runtime, Dialler dial, const ConnectionUrl& url, DriverOptions options = {});
    ~ClusterPort() override;

    QCoro::Task<Result> call(Args args, std::stop_token stop = {}) override;
    QCoro::Task<Result> callOver(std::uint32_t connection, Args args, std::stop_token stop = {}) override;
    QCoro::Task<Result> eval(const Script& script, Args keys, Args args, std::stop_token stop = {}) override;
    /// Asks the nodes for the map of slots; the error says why none answered within the search time.
    QCoro::Task<std::expected<void, Error>> open(std::stop_token stop = {});

    /// This cluster as a port for one lock: commands without a key go to the node that owns `key`, so that WAIT waits
    /// for the replicas of that node. Must not be used after the port is destroyed.
    std::unique_ptr<Port> portFor(const QByteArray& key);
    /// The node that serves a key's slot, as far as is known.
    std::optional<Endpoint> ownerOf(const QByteArray& key) const;
};

} // namespace lockscope::redis
