// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/port.h"
#include "trace/recorder.h"

namespace lockscope::live {

/// A port that writes each request and reply of one real client into the trace; flight times are not known there.
class TracedPort final : public redis::Port {
public:
    /// Everything outlives it. `client` and `node` are the ends of the link in the trace.
    TracedPort(redis::Port& port, trace::Recorder& recorder, trace::EntityId client, trace::EntityId node)
        : m_port(port), m_recorder(recorder), m_client(client), m_node(node) {}

    Runtime& runtime() override { return m_port.runtime(); }
    QCoro::Task<redis::Result> call(redis::Args args, std::stop_token stop = {}) override;
    QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> subscribe(QByteArray channel,
                                                                                 std::stop_token stop = {}) override;

private:
    void sent(std::uint32_t text);
    void came(std::uint32_t text);
    redis::Port& m_port;
    trace::Recorder& m_recorder;
    trace::EntityId m_client, m_node;
};

} // namespace lockscope::live
