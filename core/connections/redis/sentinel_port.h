// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/redis/sentinel_watch.h"
#include "connections/redis/watched_port.h"
#include "ports/redis/client.h"

namespace lockscope::redis {

/// A Redis behind sentinels. Asks the sentinels for the master, and uses it only if it says that it is one. Moves on to
/// the next master when the sentinels have replaced it, when its connection breaks, or when it turns out to be
/// read-only.
///
/// Commands in flight to a master that is left end with Disconnected: whether they ran is unknown. Unsent commands wait
/// for the next master, for the command time-out at most. Subscriptions move along and get a Message with `gap`. A
/// master of an older configuration than one seen before is refused, unless most sentinels name it.
///
/// The URL's login and TLS are used for sentinels and servers. Sentinels get the login of the URL's sentinel options,
/// if given; otherwise sentinels that know no login are asked without one. Lives on its runtime's thread, which needs a
/// Qt event loop. May be destroyed at any time.
class SentinelPort final : public WatchedPort<SentinelWatch> {
public:
    /// `url` has Service::RedisSentinel; `options` apply to the connection to the master.
    SentinelPort(Runtime& runtime, Dialler dial, const ConnectionUrl& url, DriverOptions options = {});
    ~SentinelPort() override;

    QCoro::Task<Result> call(Args args, std::stop_token stop = {}) override;
    QCoro::Task<Result> callOver(std::uint32_t connection, Args args, std::stop_token stop = {}) override;
    QCoro::Task<Result> eval(const Script& script, Args keys, Args args, std::stop_token stop = {}) override;
    /// Finds the master; the error says why there is none within the search time. Later searches go on by themselves.
    QCoro::Task<std::expected<void, Error>> open(std::stop_token stop = {});
    /// The master in use; nullopt during a search.
    std::optional<Endpoint> master() const;
};

} // namespace lockscope::redis
