// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/client.h"

namespace lockscope::redis {

class CommandQueue;
class SubscriptionHub;

/// A client of a real Redis: one connection for commands, pipelined and shared by all coroutines of the client, a
/// second one for pub/sub when needed, and one for each change feed. Connects at the first call, and reconnects when a
/// connection breaks. Subscriptions are then renewed, and get a Message with `gap`.
///
/// Lives on its runtime's thread, which needs a Qt event loop. May be destroyed at any time: calls in flight then end
/// with Disconnected. The runtime must outlive it.
class RedisDriver final : public Client {
public:
    /// The URL's time-outs override those of `options`.
    RedisDriver(Runtime& runtime, const ConnectionUrl& url, const DriverOptions& options = {});
    ~RedisDriver() override;

    Runtime& runtime() override { return m_runtime; }
    QCoro::Task<Result> call(Args args, std::stop_token stop = {}) override;
    QCoro::Task<std::vector<Result>> callAll(std::vector<Args> commands, std::stop_token stop = {}) override;
    QCoro::Task<Result> callOver(std::uint32_t connection, Args args, std::stop_token stop = {}) override;
    QCoro::Task<Result> eval(const Script& script, Args keys, Args args, std::stop_token stop = {}) override;
    QCoro::Task<std::expected<OwnedSubscription, Error>> subscribe(QByteArray channel,
                                                                   std::stop_token stop = {}) override;
    CallList::Registration onReconnect(CallList::Callback back) override;
    QCoro::Task<std::expected<OwnedSubscription, Error>> subscribePattern(QByteArray pattern,
                                                                          std::stop_token stop = {}) override;
    QCoro::Task<std::expected<OwnedChangeFeed, Error>> changeFeed(std::stop_token stop = {}) override;

    QCoro::Task<std::expected<void, Error>> open(std::stop_token stop = {}) override;
    const Status& status() const override;
    std::uint32_t connection() const override;
    void onStatus(std::function<void(const Status&)> callback) override { m_onStatus = std::move(callback); }
    QString where() const override { return m_where; }
    std::uint64_t commandsSent() const override;

private:
    Runtime& m_runtime;
    ConnectionUrl m_url;
    DriverOptions m_options;
    QString m_where;
    std::function<void(const Status&)> m_onStatus;
    std::shared_ptr<CommandQueue> m_commands; ///< the only owner; weak references tell others whether it still exists
    std::unique_ptr<SubscriptionHub> m_subscriptions;
    std::shared_ptr<std::uint64_t> m_sentForChanges = std::make_shared<std::uint64_t>(0);
};

} // namespace lockscope::redis
