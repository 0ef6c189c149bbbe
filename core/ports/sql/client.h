// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/port.h"
#include "ports/url.h"

#include <functional>

namespace lockscope::sql {

/// A port to one database, with its connections.
class Client : public Port {
public:
    /// Why no verb may be used, whatever the server: the URL names a table that cannot be.
    virtual std::optional<Error> unusable() const = 0;
    /// Connects and logs in. Without it, verbs connect when needed.
    virtual Answer<void> open(std::stop_token stop = {}) = 0;
    /// Closes unused connections.
    virtual void closeIdle() = 0;
};

/// Makes a client, not connected yet, of the database that the URL names.
using Dialler = std::function<std::unique_ptr<Client>(Runtime& runtime, const ConnectionUrl& url)>;

} // namespace lockscope::sql
