// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/port.h"
#include "ports/url.h"

namespace lockscope::redis {

/// Settings of a driver; the defaults suit locks on a healthy network.
struct DriverOptions {
    QByteArray clientName = "lockscope"; ///< shown by CLIENT LIST; no spaces. Empty: not sent
    Nanos connectTimeout = 5s;           ///< from the first packet to the end of the greeting
    Nanos commandTimeout = 3s;           ///< from the call to the reply
    std::optional<Nanos> searchTimeout;  ///< to ask sentinels or cluster nodes for the servers; unset: commandTimeout
    Nanos heartbeat = 5s;                ///< ping an idle connection this often; kNever: never
    Nanos silenceLimit = 10s;            ///< a server that owes a reply and is silent for so long is given up
    Nanos retryFirst = 100ms;            ///< longest pause before the first reconnection; doubles
    Nanos retryLongest = 1s;             ///< its upper bound: below a call's lifetime, so that each call sees a try
    std::size_t pendingLimit = 65'536;   ///< calls beyond this are refused at once
    bool sharded = false;                ///< in a cluster: also subscribe with SSUBSCRIBE, if the server knows it
};

/// The options, with the URL's time-outs.
inline DriverOptions optionsOf(const ConnectionUrl& url, DriverOptions options) {
    url.takeTime("connect", options.connectTimeout);
    url.takeTime("timeout", options.commandTimeout);
    if (!url.option("connect").isEmpty()) options.searchTimeout = options.connectTimeout;
    if (!url.option("timeout").isEmpty()) // a server may be silent for so long
        options.silenceLimit = std::max(options.silenceLimit, options.commandTimeout);
    return options;
}

/// The state of one connection.
struct Status {
    enum class State : std::uint8_t { Idle, Connecting, Connected, Retrying, Failed };
    State state = State::Idle; ///< Failed: login or settings were refused; the next later call tries again
    Error error;               ///< the cause of Retrying or Failed
    Nanos retryIn{};           ///< Retrying: time until the next try, from the change of status
    /// One translated sentence for a status bar, never with a password: "127.0.0.1:6379 · connected".
    QString describe(const QString& where) const;
};

} // namespace lockscope::redis
