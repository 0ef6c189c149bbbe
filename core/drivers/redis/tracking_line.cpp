// SPDX-License-Identifier: Apache-2.0
#include "drivers/redis/tracking_line.h"

#include "ports/redis/errors.h"
#include "runtime/waits_here.h"

#include <iterator>

namespace lockscope::redis {

namespace {

constexpr char kChannel[] = "__redis__:invalidate";
constexpr std::size_t kMostListed = 100'000; // a reader that lags so far reads everything again

} // namespace

TrackingLine::TrackingLine(Runtime& runtime, const ConnectionUrl& url, const DriverOptions& options,
                           std::shared_ptr<std::uint64_t> sent)
    : m_runtime(runtime),
      m_options(options),
      m_where(url.endpoints.front().display()),
      m_sent(std::move(sent)),
      m_line(runtime, url, options,
             {[this] { onReady(); }, [this](Reply&& reply) { onReply(std::move(reply)); },
              [this](const Error& error, bool) { onLost(error); }, [this] { send({"PING"}); }, nullptr}) {
    m_line.keep(false);
}

void TrackingLine::send(const Args& command) {
    ++*m_sent;
    m_line.wire().send(command);
}

QCoro::Task<std::expected<void, Error>> TrackingLine::open(std::stop_token stop) {
    const Nanos longest = m_options.connectTimeout + m_options.commandTimeout;
    const Nanos until = m_runtime.monotonic() + longest;
    m_line.start();
    while ((m_stage == Stage::AsksId || m_stage == Stage::Subscribes) && m_runtime.monotonic() < until)
        co_await wait(until - m_runtime.monotonic(), stop);
    if (m_stage == Stage::Over) co_return std::unexpected(*m_error);
    if (m_stage != Stage::Listens) co_return std::unexpected(errors::notSubscribed(longest, m_where));
    co_return std::expected<void, Error>();
}

QCoro::Task<std::optional<ChangedKeys>> TrackingLine::next(std::stop_token stop) {
    const auto nothing = [this] { return m_changed.keys.empty() && !m_changed.everything; };
    while (m_stage == Stage::Listens && nothing())
        co_await wait(kNever, stop);
    if (m_stage != Stage::Listens) co_return std::nullopt;
    co_return std::exchange(m_changed, {});
}

QCoro::Task<> TrackingLine::wait(Nanos longest, std::stop_token stop) {
    Waiter waiter(m_runtime, longest, std::move(stop));
    const WaitsHere here(m_waiter, waiter);
    co_await waiter.end();
}

void TrackingLine::onReady() {
    // A RESP2 connection that is subscribed can no longer ask for its number.
    send({"CLIENT", "ID"});
    send({"SUBSCRIBE", kChannel});
}

void TrackingLine::onReply(Reply&& reply) {
    const QByteArray kind = reply.items.empty() ? QByteArray() : reply.items.front().text;
    if (reply.isError() && m_stage != Stage::Listens) {
        m_line.giveUp(errors::refused(reply.text, m_where));
    } else if (m_stage == Stage::AsksId && reply.type == Reply::Type::Integer) {
        m_id = reply.integer;
        m_stage = Stage::Subscribes;
    } else if (m_stage == Stage::Subscribes && kind == "subscribe") {
        m_stage = Stage::Listens;
        if (m_waiter) m_waiter->wake();
    } else if (m_stage == Stage::Listens && kind == "message" && reply.items.size() == 3) {
        take(std::move(reply.items[2]));
    } else if (kind != "pong" && reply.type != Reply::Type::Status) {
        m_line.giveUp(errors::garbage(QStringLiteral("no message of changed keys"), m_where));
    }
}

/// A list of keys, or nil when all were deleted at once.
void TrackingLine::take(Reply&& keys) {
    if (keys.type != Reply::Type::Array || m_changed.keys.size() + keys.items.size() > kMostListed)
        m_changed.everything = true;
    for (Reply& key : keys.items)
        if (!m_changed.everything) m_changed.keys.push_back(std::move(key.text));
    if (m_waiter) m_waiter->wake();
}

void TrackingLine::onLost(const Error& error) {
    m_stage = Stage::Over;
    m_error = error;
    if (m_waiter) m_waiter->wake();
}

} // namespace lockscope::redis
