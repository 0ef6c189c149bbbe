// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/port.h"
#include "backends/url.h"

namespace lockscope::redis {

/// What a driver may be told; the defaults suit locks on a healthy network.
struct DriverOptions {
    QByteArray clientName = "lockscope"; ///< shown by CLIENT LIST; no spaces. Empty: do not say
    Nanos connectTimeout = 5s;           ///< from the first packet to the end of the greeting
    Nanos commandTimeout = 3s;           ///< from the call to the reply
    std::optional<Nanos> searchTimeout;  ///< to find out which servers there are, of those that tell; as commandTimeout
    Nanos heartbeat = 5s;                ///< an idle connection is asked for a sign of life this often; kNever: not
    Nanos silenceLimit = 10s;            ///< a server that owes a reply and says nothing for so long is given up
    Nanos retryFirst = 100ms;            ///< longest pause before the first reconnection; doubles
    Nanos retryLongest = 1s;             ///< … up to this: less than a call's life, so that each sees a try
    std::size_t pendingLimit = 65'536;   ///< calls beyond this are refused at once
    bool sharded = false; ///< of a cluster: channels are listened to by SSUBSCRIBE as well, if it knows that
};

/// The options, with the time-outs that the URL has.
inline DriverOptions optionsOf(const ConnectionUrl& url, DriverOptions options) {
    url.takeTime("connect", options.connectTimeout);
    url.takeTime("timeout", options.commandTimeout);
    if (!url.option("connect").isEmpty()) options.searchTimeout = options.connectTimeout;
    if (!url.option("timeout").isEmpty()) // a server may be silent for so long
        options.silenceLimit = std::max(options.silenceLimit, options.commandTimeout);
    return options;
}

/// How it stands with one connection.
struct Status {
    enum class State : std::uint8_t { Idle, Connecting, Connected, Retrying, Failed };
    State state = State::Idle; ///< Failed: login or settings are refused; tried again when something is wanted later
    Error error;               ///< why it is Retrying or Failed
    Nanos retryIn{};           ///< Retrying: until the next try, counted from when the status changed
    /// One sentence for a status bar, translated, never a password: "127.0.0.1:6379 · connected".
    QString describe(const QString& where) const;
};

} // namespace lockscope::redis
