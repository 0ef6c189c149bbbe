// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/port.h"
#include "sim/network.h"
#include "sim/node.h"

namespace lockscope::sim {

/// A simulated client's connections to a simulated Redis: one for commands, one for subscriptions, over a link that may
/// delay, lose and be cut. What was sent before the client died still arrives.
class RedisWire final : public redis::Port {
public:
    struct Settings {
        Nanos commandTimeout = 1s;
        Nanos reconnectPause = 200ms;
    };
    /// Everything outlives it. `client` and `thread` name the user in the trace.
    RedisWire(VirtualScheduler& scheduler, Network& network, Network::Link& link, Node& node, Runtime& runtime,
              trace::Recorder& recorder, trace::EntityId client, trace::EntityId thread);
    ~RedisWire() override;

    Runtime& runtime() override { return m_runtime; }
    QCoro::Task<redis::Result> call(redis::Args args, std::stop_token stop = {}) override;
    QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> subscribe(QByteArray channel,
                                                                                 std::stop_token stop = {}) override;

private:
    class Inbox;
    struct Connections;
    struct Exchange;
    QCoro::Task<redis::Result> exchange(bool forSubscriptions, redis::Args args, std::stop_token stop);
    QCoro::Task<> resubscribe();
    void unsubscribe(Inbox* inbox);

    Runtime& m_runtime;
    std::shared_ptr<Connections> m_connections;
};

} // namespace lockscope::sim
