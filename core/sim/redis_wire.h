// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/client.h"
#include "runtime/signal_count.h"
#include "sim/resp_connection.h"

namespace lockscope::sim {

/// A simulated client's way to one server that speaks Redis' protocol, as the real driver is one: a connection for
/// commands, another one for subscriptions, made when they are needed and made again when they break. A command sent
/// before the client died still arrives. May be destroyed at any time: calls in flight then end with Disconnected.
class RedisWire final : public redis::Client {
public:
    struct Settings {
        Nanos commandTimeout = 1s;
        Nanos reconnectPause = 200ms; ///< between two tries to subscribe again
        Nanos retryFirst = 100ms;     ///< redis::DriverOptions
        Nanos retryLongest = 1s;
        Nanos heartbeat = kNever;
        Nanos silenceLimit = 10s;
    };
    /// The settings of a driver with these options.
    static Settings settingsOf(const redis::DriverOptions& options);

    /// Everything outlives it. `server` nullptr: there is none at that address, which is refused at once. `where` is
    /// its name in errors.
    RedisWire(Grounds grounds, RespServer* server, Runtime& runtime, ClientEnd user, QString where, Settings settings);
    /// A way with the default settings to a server, by the server's own name.
    RedisWire(Grounds grounds, RespServer& server, Runtime& runtime, ClientEnd user);
    ~RedisWire() override;

    Runtime& runtime() override { return m_runtime; }
    QCoro::Task<redis::Result> call(redis::Args args, std::stop_token stop = {}) override;
    QCoro::Task<redis::Result> callOver(std::uint32_t connection, redis::Args args, std::stop_token stop = {}) override;
    QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> subscribe(QByteArray channel,
                                                                                 std::stop_token stop = {}) override;
    CallList::Registration onReconnect(CallList::Callback back) override;

    QCoro::Task<std::expected<void, redis::Error>> open(std::stop_token stop = {}) override;
    const redis::Status& status() const override;
    std::uint32_t connection() const override;
    void onStatus(std::function<void(const redis::Status&)> callback) override;
    QString where() const override { return m_where; }

private:
    class Inbox;
    class Line;
    static QCoro::Task<> resubscribe(std::shared_ptr<Line> line);

    Runtime& m_runtime;
    QString m_where;
    std::shared_ptr<Line> m_commands, m_subscriptions;
};

} // namespace lockscope::sim
