// SPDX-License-Identifier: Apache-2.0
#include "live/traced_port.h"

#include "ports/redis/command_text.h"

namespace lockscope::live {

using trace::EventKind;

namespace {
constexpr std::int64_t kFlightUnknown = -2;
}

void TracedPort::sent(std::uint32_t text) {
    m_recorder.emit(EventKind::Request, m_client, m_node, kFlightUnknown, text);
}

void TracedPort::came(std::uint32_t text) {
    m_recorder.emit(EventKind::Reply, m_node, m_client, kFlightUnknown, text);
}

QCoro::Task<redis::Result> TracedPort::call(redis::Args args, std::stop_token stop) {
    const std::uint32_t text = m_recorder.trace().text(redis::commandText(args));
    sent(text);
    redis::Result result = co_await m_port.call(std::move(args), std::move(stop));
    // An error reply is a reply; anything else that failed brought none.
    if (result || result.error().kind == redis::Error::Kind::Refused) came(text);
    co_return result;
}

QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> TracedPort::subscribe(QByteArray channel,
                                                                                         std::stop_token stop) {
    const std::uint32_t text = m_recorder.trace().text("SUBSCRIBE " + channel);
    sent(text);
    auto subscription = co_await m_port.subscribe(std::move(channel), std::move(stop));
    if (subscription) came(text);
    co_return subscription;
}

} // namespace lockscope::live
