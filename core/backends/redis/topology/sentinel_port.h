// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/options.h"

namespace lockscope::redis {

class SentinelWatch;

/// A Redis behind sentinels: asks them who the master is, uses it only when it says so itself, and goes on to the next
/// one when they have replaced it, when its connection breaks, or when it turns out to be read-only.
///
/// What was on its way to a master that is left ends as Disconnected: whether it ran is not known. What was not sent
/// yet waits for the next master, no longer than the command time-out. Subscriptions move along and get a Message with
/// `gap`. A master of an older configuration than one seen before is refused, unless most sentinels name it.
///
/// Login and TLS of the URL are used with the sentinels and with the servers. Sentinels have the login that the URL's
/// options name for them; without that, those who know of no login are asked without one. Lives on its runtime's
/// thread, which needs a Qt event loop. May be destroyed at any time.
class SentinelPort final : public Port {
public:
    /// `url` is of Service::RedisSentinel; `options` are those of the connection to the master.
    SentinelPort(Runtime& runtime, const ConnectionUrl& url, DriverOptions options = {});
    ~SentinelPort() override;

    Runtime& runtime() override { return m_runtime; }
    QCoro::Task<Result> call(Args args, std::stop_token stop = {}) override;
    QCoro::Task<Result> callOver(std::uint32_t connection, Args args, std::stop_token stop = {}) override;
    QCoro::Task<Result> eval(const Script& script, Args keys, Args args, std::stop_token stop = {}) override;
    QCoro::Task<std::expected<OwnedSubscription, Error>> subscribe(QByteArray channel,
                                                                   std::stop_token stop = {}) override;
    CallList::Registration onReconnect(CallList::Callback back) override;
    /// Finds the master, and says why not when there is none within the time for the search. Later ones go on by
    /// themselves.
    QCoro::Task<std::expected<void, Error>> open(std::stop_token stop = {});
    /// The master in use; nullopt while it is looked for.
    std::optional<Endpoint> master() const;

private:
    Runtime& m_runtime;
    std::shared_ptr<SentinelWatch> m_watch;
};

} // namespace lockscope::redis
