// SPDX-License-Identifier: Apache-2.0
#include "live/traced_client.h"

#include "ports/redis/command_text.h"

namespace lockscope::live {

using trace::EventKind;

namespace {
constexpr std::int64_t kFlightUnknown = -2;
}

void TracedClient::emitMessage(EventKind kind, trace::EntityId from, trace::EntityId to, std::uint32_t text) {
    m_recorder.emit(kind, from, to, kFlightUnknown, text);
}

std::uint32_t TracedClient::sent(const redis::Args& args) {
    const std::uint32_t text = m_recorder.trace().text(redis::commandText(args));
    emitMessage(EventKind::Request, m_client, m_node, text);
    return text;
}

void TracedClient::came(const redis::Result& result, std::uint32_t text) {
    // An error reply is a reply; anything else that failed brought none.
    if (result || result.error().kind == redis::Error::Kind::Refused)
        emitMessage(EventKind::Reply, m_node, m_client, text);
}

QCoro::Task<redis::Result> TracedClient::call(redis::Args args, std::stop_token stop) {
    const std::uint32_t text = sent(args);
    redis::Result result = co_await m_real->call(std::move(args), std::move(stop));
    came(result, text);
    co_return result;
}

QCoro::Task<redis::Result> TracedClient::callOver(std::uint32_t connection, redis::Args args, std::stop_token stop) {
    const std::uint32_t text = sent(args);
    redis::Result result = co_await m_real->callOver(connection, std::move(args), std::move(stop));
    came(result, text);
    co_return result;
}

QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> TracedClient::subscribe(QByteArray channel,
                                                                                           std::stop_token stop) {
    const std::uint32_t text = sent(redis::argsOf("SUBSCRIBE", channel));
    auto subscription = co_await m_real->subscribe(std::move(channel), std::move(stop));
    if (subscription) emitMessage(EventKind::Reply, m_node, m_client, text);
    co_return subscription;
}

} // namespace lockscope::live
