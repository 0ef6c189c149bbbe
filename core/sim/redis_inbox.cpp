// SPDX-License-Identifier: Apache-2.0
#include "sim/redis_inbox.h"

namespace lockscope::sim {

void RedisWire::Inbox::put(redis::Message message) {
    m_messages.push_back(std::move(message));
    m_arrived.release();
}

QCoro::Task<std::optional<redis::Message>> RedisWire::Inbox::next(Nanos timeout, std::stop_token stop) {
    const bool arrived = co_await m_arrived.acquire(m_runtime, timeout, std::move(stop));
    if (!arrived || m_messages.empty()) co_return std::nullopt;
    redis::Message message = std::move(m_messages.front());
    m_messages.pop_front();
    co_return message;
}

void RedisWire::Inbox::carry(VirtualScheduler& scheduler, Network& network, Network::Link& link,
                             trace::Recorder& recorder, trace::EntityId node, trace::EntityId client,
                             const std::vector<Inbox*>& inboxes, const RedisEngine::Push& push,
                             std::weak_ptr<Connections> connections) {
    const auto landing = network.transmit(link, Network::Direction::ToClient);
    recorder.emit(trace::EventKind::Push, node, client, landing ? (*landing - scheduler.now()).count() : -1,
                  recorder.trace().text(push.channel));
    if (!landing) return;
    scheduler.at(*landing,
                 [connections = std::move(connections), &inboxes, channel = push.channel, payload = push.payload] {
                     const auto alive = connections.lock(); // keeps `inboxes`, its member, valid
                     if (!alive) return;
                     for (Inbox* inbox : inboxes) {
                         if (inbox->channel() == channel) inbox->put({payload, false});
                     }
                 });
}

} // namespace lockscope::sim
