// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/options.h"

namespace lockscope::redis {

class ClusterWatch;

/// A Redis Cluster as one Redis: each command goes to the node that owns its keys, wherever that is by now.
///
/// Follows MOVED and ASK, and waits out TRYAGAIN, CLUSTERDOWN, and a node that is away until its replica takes over,
/// no longer than the command time-out. Scripts that look at more than one key (Script::Sees) wait until their slot has
/// moved as a whole. Keys of one command in different slots are refused before anything is sent.
/// Commands without a key go to any node. Channels are subscribed to, with plain SUBSCRIBE, at the owner of their
/// slot; a Message with `gap` comes when that changes.
///
/// Lives on its runtime's thread, which needs a Qt event loop. May be destroyed at any time: calls in flight end with
/// Disconnected.
class ClusterPort final : public Port {
public:
    /// `url` is of Service::RedisCluster: some of the nodes are enough. `options` are those of each connection.
    ClusterPort(Runtime& runtime, const ConnectionUrl& url, DriverOptions options = {});
    ~ClusterPort() override;

    Runtime& runtime() override { return m_runtime; }
    QCoro::Task<Result> call(Args args, std::stop_token stop = {}) override;
    QCoro::Task<Result> callOver(std::uint32_t connection, Args args, std::stop_token stop = {}) override;
    QCoro::Task<Result> eval(const Script& script, Args keys, Args args, std::stop_token stop = {}) override;
    QCoro::Task<std::expected<OwnedSubscription, Error>> subscribe(QByteArray channel,
                                                                   std::stop_token stop = {}) override;
    CallList::Registration onReconnect(CallList::Callback back) override;
    /// Asks who owns what, and says why not when no node tells within the time for the search.
    QCoro::Task<std::expected<void, Error>> open(std::stop_token stop = {});

    /// The same cluster for one lock: what has no key goes to the node that owns `key`, so that WAIT waits for the
    /// replicas of what was written there. Must not be used after the port is gone.
    std::unique_ptr<Port> portFor(const QByteArray& key);
    /// Where a key's slot is served, as far as is known.
    std::optional<Endpoint> ownerOf(const QByteArray& key) const;

private:
    Runtime& m_runtime;
    std::shared_ptr<ClusterWatch> m_watch;
};

} // namespace lockscope::redis
