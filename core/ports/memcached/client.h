// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/memcached/port.h"
#include "ports/url.h"

#include <functional>

namespace lockscope::memcached {

/// A server's own words about its present run.
struct Statistics {
    QString where;               ///< "host:port"
    std::optional<Nanos> worked; ///< processor time since its start, for all its clients; nullopt: not told
    std::int64_t process = 0;    ///< its process id; 0: not told
    std::int64_t uptime = -1;    ///< in seconds; -1: not told
    std::int64_t flushes = 0;    ///< times that all items were thrown away (flush_all)
    QByteArray version;          ///< "1.6.18"
};

/// A port to one server, with its connection.
class Client : public Port {
public:
    struct Version {
        QByteArray text; ///< "1.6.18"
    };
    /// Asks the server for its version: a sign of life.
    virtual Result<Version> version(std::stop_token stop = {}) = 0;
    /// Asks the server for its statistics; those of one that cannot be asked are empty but for its address.
    virtual Result<Statistics> statistics(std::stop_token stop = {});
    /// "host:port".
    virtual QString where() const = 0;
    /// The number of commands sent: the load on the server.
    virtual std::uint64_t commandsSent() const = 0;
};

/// Makes a client, not connected yet, of the one server that the URL names.
using Dialler = std::function<std::unique_ptr<Client>(Runtime& runtime, const ConnectionUrl& url)>;

} // namespace lockscope::memcached
