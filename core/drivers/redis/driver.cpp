// SPDX-License-Identifier: Apache-2.0
#include "drivers/redis/driver.h"

#include "drivers/redis/command_queue.h"
#include "drivers/redis/subscription_hub.h"
#include "drivers/redis/tracking_line.h"
#include "ports/redis/errors.h"

namespace lockscope::redis {

RedisDriver::RedisDriver(Runtime& runtime, const ConnectionUrl& url, const DriverOptions& options)
    : m_runtime(runtime),
      m_url(url),
      m_options(optionsOf(url, options)),
      m_where(url.endpoints.front().display()),
      m_commands(std::make_shared<CommandQueue>(runtime, url, m_options,
                                                [this](const Status& status) {
                                                    if (m_onStatus) m_onStatus(status);
                                                })),
      m_subscriptions(std::make_unique<SubscriptionHub>(runtime, url, m_options, nullptr)) {
}

RedisDriver::~RedisDriver() = default;

QCoro::Task<Result> RedisDriver::call(Args args, std::stop_token stop) {
    // Nothing of `this` is touched after the wait: the driver may be gone by then.
    const bool wanted = m_runtime.alive() && !stop.stop_requested();
    Call call(m_runtime, std::move(stop));
    if (wanted) m_commands->submit({std::span<const QByteArray>(args)}, call);
    co_await call.waiter.end();
    co_return std::move(*call.result);
}

QCoro::Task<std::vector<Result>> RedisDriver::callAll(std::vector<Args> commands, std::stop_token stop) {
    // One wait for all: a coroutine for each would cost more than the commands do.
    if (commands.empty()) co_return std::vector<Result>();
    const bool wanted = m_runtime.alive() && !stop.stop_requested();
    Calls calls(m_runtime, commands.size(), std::move(stop));
    if (wanted) m_commands->submitAll(commands, calls);
    co_await calls.waiter.end();
    co_return std::move(calls.results);
}

QCoro::Task<Result> RedisDriver::callOver(std::uint32_t connection, Args args, std::stop_token stop) {
    const bool wanted = m_runtime.alive() && !stop.stop_requested();
    Call call(m_runtime, std::move(stop));
    if (wanted) m_commands->submitOver(connection, args, call);
    co_await call.waiter.end();
    co_return std::move(*call.result);
}

// Does what the port's eval() does, in one coroutine and without building a command first: locks do little else.
QCoro::Task<Result> RedisDriver::eval(const Script& script, Args keys, Args args, std::stop_token stop) {
    // The script may be gone by the time of the answer. NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
    const QByteArray source = script.source();
    // So may the driver.
    Runtime& runtime = m_runtime;
    const std::weak_ptr<CommandQueue> queue = m_commands;
    const QString where = m_where;
    const bool wanted = runtime.alive() && !stop.stop_requested();
    Call byHash(runtime, stop);
    if (wanted) m_commands->submitEval(script.sha1(), keys, args, byHash);
    co_await byHash.waiter.end();
    if (*byHash.result || !isUnknownScript(byHash.result->error())) co_return std::move(*byHash.result);
    const Args bySource = evalArgs("EVAL", source, keys, args);
    const bool stillWanted = runtime.alive() && !stop.stop_requested();
    Call again(runtime, std::move(stop));
    if (const auto commands = stillWanted ? queue.lock() : nullptr)
        commands->submit({std::span(bySource)}, again);
    else if (stillWanted)
        co_return std::unexpected(errors::driverGone(where));
    co_await again.waiter.end();
    co_return std::move(*again.result);
}

QCoro::Task<std::expected<OwnedSubscription, Error>> RedisDriver::subscribe(QByteArray channel, std::stop_token stop) {
    return m_subscriptions->subscribe(SubscriptionHub::By::Channel, std::move(channel), std::move(stop));
}

QCoro::Task<std::expected<OwnedSubscription, Error>> RedisDriver::subscribePattern(QByteArray pattern,
                                                                                   std::stop_token stop) {
    return m_subscriptions->subscribe(SubscriptionHub::By::Pattern, std::move(pattern), std::move(stop));
}

QCoro::Task<std::expected<OwnedChangeFeed, Error>> RedisDriver::changeFeed(std::stop_token stop) {
    auto line = std::make_unique<TrackingLine>(m_runtime, m_url, m_options, m_sentForChanges);
    const auto opened = co_await line->open(std::move(stop));
    if (!opened) co_return std::unexpected(opened.error());
    co_return OwnedChangeFeed(std::move(line));
}

CallList::Registration RedisDriver::onReconnect(CallList::Callback back) {
    return m_commands->reconnects().add(std::move(back));
}

QCoro::Task<std::expected<void, Error>> RedisDriver::open(std::stop_token stop) {
    Args ping{"PING"};
    const Result pong = co_await call(std::move(ping), std::move(stop));
    // A user who may not PING is connected all the same.
    if (!pong && pong.error().kind != Error::Kind::Refused) co_return std::unexpected(pong.error());
    co_return std::expected<void, Error>();
}

const Status& RedisDriver::status() const {
    return m_commands->line().status();
}

std::uint32_t RedisDriver::connection() const {
    return m_commands->line().number();
}

std::uint64_t RedisDriver::commandsSent() const {
    return m_commands->sentCount() + m_subscriptions->sentCount() + *m_sentForChanges;
}

} // namespace lockscope::redis
