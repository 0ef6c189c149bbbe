// SPDX-License-Identifier: Apache-2.0
#include "sim/redis_wire.h"

#include "sim/redis_line.h"

#include <set>

namespace lockscope::sim {

RedisWire::Settings RedisWire::settingsOf(const redis::DriverOptions& options) {
    Settings settings;
    settings.commandTimeout = options.commandTimeout;
    settings.heartbeat = options.heartbeat;
    settings.silenceLimit = options.silenceLimit;
    settings.retryFirst = options.retryFirst;
    settings.retryLongest = options.retryLongest;
    return settings;
}

RedisWire::RedisWire(Grounds grounds, RespServer* server, Runtime& runtime, ClientEnd user, QString where,
                     Settings settings)
    : m_runtime(runtime),
      m_where(std::move(where)),
      m_commands(std::make_shared<Line>(grounds, server, runtime, user, m_where, settings, Line::Purpose::Commands)),
      m_subscriptions(
          std::make_shared<Line>(grounds, server, runtime, user, m_where, settings, Line::Purpose::Subscriptions)) {
}

RedisWire::RedisWire(Grounds grounds, RespServer& server, Runtime& runtime, ClientEnd user)
    : RedisWire(grounds, &server, runtime, user, QString::fromUtf8(server.id()), {}) {
}

RedisWire::~RedisWire() {
    m_commands->close();
    m_subscriptions->close();
}

QCoro::Task<redis::Result> RedisWire::call(redis::Args args, std::stop_token stop) {
    return Line::exchange(m_commands, std::move(args), std::move(stop));
}

QCoro::Task<redis::Result> RedisWire::callOver(std::uint32_t connection, redis::Args args, std::stop_token stop) {
    const std::shared_ptr<Line> line = m_commands;
    if (connection != 0 && connection != line->number) {
        co_return std::unexpected(redis::Error{
            redis::Error::Kind::Disconnected, {}, QStringLiteral("%1: the connection has ended").arg(m_where)});
    }
    co_return co_await Line::exchange(line, std::move(args), std::move(stop));
}

QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> RedisWire::subscribe(QByteArray channel,
                                                                                        std::stop_token stop) {
    // In the list before the request goes out: a message may follow the confirmation in the same instant.
    const std::shared_ptr<Line> line = m_subscriptions;
    auto inbox = std::make_unique<Inbox>(m_runtime, channel, line);
    line->inboxes.push_back(inbox.get());
    redis::Args args = redis::argsOf("SUBSCRIBE", channel);
    const redis::Result reply = co_await Line::exchange(line, std::move(args), std::move(stop));
    if (reply) co_return redis::OwnedSubscription(std::move(inbox));
    redis::Error error = reply.error();
    if (error.outcomeUnknown()) error.kind = redis::Error::Kind::Unreachable; // it has changed nothing
    co_return std::unexpected(std::move(error));
}

QCoro::Task<> RedisWire::resubscribe(std::shared_ptr<Line> line) {
    while (!line->inboxes.empty() && !line->closed) {
        std::set<QByteArray> channels;
        for (const Inbox* inbox : line->inboxes)
            channels.insert(inbox->channel());
        bool all = true;
        for (const QByteArray& channel : channels) {
            redis::Args args = redis::argsOf("SUBSCRIBE", channel);
            const redis::Result reply = co_await Line::exchange(line, std::move(args), {});
            all = all && reply.has_value();
        }
        if (all) {
            for (Inbox* inbox : line->inboxes)
                inbox->put({{}, true});
            break;
        }
        co_await line->runtime.sleep(line->settings.reconnectPause);
    }
    line->resubscribing = false;
}

CallList::Registration RedisWire::onReconnect(CallList::Callback back) {
    return m_commands->reconnects.add(std::move(back));
}

QCoro::Task<std::expected<void, redis::Error>> RedisWire::open(std::stop_token stop) {
    redis::Args ping = redis::argsOf("PING");
    const redis::Result pong = co_await call(std::move(ping), std::move(stop));
    if (!pong && pong.error().kind != redis::Error::Kind::Refused) co_return std::unexpected(pong.error());
    co_return std::expected<void, redis::Error>();
}

const redis::Status& RedisWire::status() const {
    return m_commands->status;
}

std::uint32_t RedisWire::connection() const {
    return m_commands->number;
}

void RedisWire::onStatus(std::function<void(const redis::Status&)> callback) {
    m_commands->onStatus = std::move(callback);
}

} // namespace lockscope::sim
