// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/redis/feed.h"

namespace lockscope::redis {

/// The half of a port over several servers that any topology has alike: its subscriptions and its runtime are those of
/// the watch that knows the servers. How a command finds its server is the other half, and the topology's own.
///
/// `Watch` is a FeedSource with `runtime()`, `options()` and `reconnects()`.
template <class Watch>
class WatchedPort : public Port {
public:
    Runtime& runtime() override { return m_watch->runtime(); }
    QCoro::Task<std::expected<OwnedSubscription, Error>> subscribe(QByteArray channel,
                                                                   std::stop_token stop = {}) override {
        const Nanos limit = m_watch->options().commandTimeout;
        return Feed::open(m_watch->runtime(), m_watch, std::move(channel), limit, std::move(stop));
    }
    CallList::Registration onReconnect(CallList::Callback back) override {
        return m_watch->reconnects().add(std::move(back));
    }

protected:
    explicit WatchedPort(std::shared_ptr<Watch> watch) : m_watch(std::move(watch)) {}

    /// Shared with calls in flight, which the port may leave behind.
    const std::shared_ptr<Watch> m_watch;
};

} // namespace lockscope::redis
