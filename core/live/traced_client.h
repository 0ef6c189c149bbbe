// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/client.h"
#include "trace/recorder.h"

namespace lockscope::live {

/// A client of a real server that writes each of its requests and replies into the trace; flight times are not known
/// there.
class TracedClient final : public redis::Client {
public:
    using Closed = std::function<void(const redis::Client& real)>;
    /// The recorder outlives it. `client` and `node` are the ends of the link in the trace. `closed` is called before
    /// `real` is destroyed.
    TracedClient(std::unique_ptr<redis::Client> real, trace::Recorder& recorder, trace::EntityId client,
                 trace::EntityId node, Closed closed)
        : m_real(std::move(real)), m_recorder(recorder), m_client(client), m_node(node), m_closed(std::move(closed)) {}
    ~TracedClient() override { m_closed(*m_real); }

    Runtime& runtime() override { return m_real->runtime(); }
    QCoro::Task<redis::Result> call(redis::Args args, std::stop_token stop = {}) override;
    QCoro::Task<redis::Result> callOver(std::uint32_t connection, redis::Args args, std::stop_token stop = {}) override;
    QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> subscribe(QByteArray channel,
                                                                                 std::stop_token stop = {}) override;
    CallList::Registration onReconnect(CallList::Callback back) override {
        return m_real->onReconnect(std::move(back));
    }
    QCoro::Task<std::expected<void, redis::Error>> open(std::stop_token stop = {}) override {
        return m_real->open(std::move(stop));
    }
    const redis::Status& status() const override { return m_real->status(); }
    std::uint32_t connection() const override { return m_real->connection(); }
    void onStatus(std::function<void(const redis::Status&)> callback) override {
        m_real->onStatus(std::move(callback));
    }
    QString where() const override { return m_real->where(); }

private:
    std::uint32_t sent(const redis::Args& args);
    void came(const redis::Result& result, std::uint32_t text);
    void emitMessage(trace::EventKind kind, trace::EntityId from, trace::EntityId to, std::uint32_t text);

    std::unique_ptr<redis::Client> m_real;
    trace::Recorder& m_recorder;
    trace::EntityId m_client, m_node;
    Closed m_closed;
};

} // namespace lockscope::live
