// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/memcached/port.h"
#include "ports/url.h"

#include <functional>

namespace lockscope::memcached {

/// A port to one server, with its connection.
class Client : public Port {
public:
    struct Version {
        QByteArray text; ///< "1.6.18"
    };
    /// Asks the server for its version: a sign of life.
    virtual Result<Version> version(std::stop_token stop = {}) = 0;
    /// The processor time that the server has taken since it was started, for all its clients; nullopt: not told.
    virtual Result<std::optional<Nanos>> worked(std::stop_token stop = {});
    /// "host:port".
    virtual QString where() const = 0;
    /// The number of commands sent: the load on the server.
    virtual std::uint64_t commandsSent() const = 0;
};

/// Makes a client, not connected yet, of the one server that the URL names.
using Dialler = std::function<std::unique_ptr<Client>(Runtime& runtime, const ConnectionUrl& url)>;

} // namespace lockscope::memcached
