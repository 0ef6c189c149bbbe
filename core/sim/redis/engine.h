// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/reply.h"

#include <QByteArray>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace lockscope::sim {

namespace redisd {
class Server;
}

/// A Redis server in memory: the commands locks are made of, answered as Redis 7.0 answers them, error texts included.
///
/// Synchronous, without I/O, threads or a clock of its own; equal calls with an equal clock and seed give equal results
/// on every machine. Single-threaded: one engine is used by one thread at a time.
///
/// Time stands still within one execute(), as it does for a real server's script. A key is visible up to and including
/// its deadline's millisecond and never after it, whether or not expireDue() ran.
class RedisEngine {
public:
    using Clock = std::function<std::int64_t()>; ///< the server's wall clock, µs since 1970
    using SessionId = std::uint32_t;             ///< 0 = nobody

    /// `seed` feeds what is random in a server: RANDOMKEY.
    explicit RedisEngine(Clock clock, std::uint64_t seed = 1);
    ~RedisEngine();
    RedisEngine(const RedisEngine&) = delete;
    RedisEngine& operator=(const RedisEngine&) = delete;

    /// A new client's connection; ids count from 1 and are not used again.
    SessionId connect();
    /// Ends a connection: its subscriptions, its MULTI and WATCH state and its database choice go with it. Not to be
    /// called for the session whose command is running.
    void disconnect(SessionId session);

    /// Runs one command and returns its reply; errors are replies too. (P)SUBSCRIBE and (P)UNSUBSCRIBE with several
    /// names have several replies on the wire: then the result is an Array of those Arrays. Precondition: the session
    /// is connected and `args` is not empty.
    redis::Reply execute(SessionId session, const redis::Args& args);

    /// A published message on its way to one subscriber; `pattern` is empty when it came by channel.
    struct Push {
        SessionId to;
        QByteArray channel, payload;
        QByteArray pattern;
    };
    /// Called for each message during execute(): channel subscribers in the order in which they subscribed, then
    /// patterns.
    std::function<void(const Push&)> onPush;

    /// One change of one key. `by` is 0 for expiry; `command` is in upper case ("HINCRBY", inside a script as well).
    struct KeyChange {
        int db;
        QByteArray key;
        SessionId by;
        QByteArray command;
        bool expired;
    };
    /// Called after each command that changed a key, once per key, in the order of the changes; within scripts and
    /// transactions after each of their commands. It may call execute() to look at the key.
    std::function<void(const KeyChange&)> onKeyChange;

    /// The instant (µs since 1970, the server's wall clock) at which expireDue() would next remove a key.
    std::optional<std::int64_t> nextExpiryUs() const;
    /// Removes all keys that are due by now, in the order (deadline, key).
    void expireDue();
    /// The work done so far: commands, those of scripts included, and elements that they answered with.
    std::uint64_t steps() const;
    /// Loses all data and the script cache, as a server does that restarts without persistence. Calls no onKeyChange.
    void clear();

private:
    std::unique_ptr<redisd::Server> m_server;
};

} // namespace lockscope::sim
