// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/signal_count.h"
#include "sim/redis_wire.h"

namespace lockscope::sim {

/// One subscription of a simulated client: the messages that have arrived and nobody has read yet.
class RedisWire::Inbox final : public redis::Subscription {
public:
    Inbox(Runtime& runtime, QByteArray channel, std::function<void(Inbox*)> onEnd)
        : m_runtime(runtime), m_channel(std::move(channel)), m_onEnd(std::move(onEnd)) {}
    ~Inbox() override { m_onEnd(this); }

    const QByteArray& channel() const { return m_channel; }
    void put(redis::Message message);
    QCoro::Task<std::optional<redis::Message>> next(Nanos timeout, std::stop_token stop = {}) override;

    /// Sends a published message over the link to those of `inboxes` that want it when it arrives.
    static void carry(VirtualScheduler& scheduler, Network& network, Network::Link& link, trace::Recorder& recorder,
                      trace::EntityId node, trace::EntityId client, const std::vector<Inbox*>& inboxes,
                      const RedisEngine::Push& push, std::weak_ptr<Connections> connections);

private:
    Runtime& m_runtime;
    QByteArray m_channel;
    std::function<void(Inbox*)> m_onEnd;
    std::deque<redis::Message> m_messages;
    SignalCount m_arrived;
};

} // namespace lockscope::sim
