// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/options.h"

#include <functional>

namespace lockscope::sql {

/// A port to one database, with its connections.
class Client : public Port {
public:
    /// Connects and logs in; returns the result.
    virtual QCoro::Task<Result> open(std::stop_token stop = {}) = 0;
    /// Closes unused connections.
    virtual void closeIdle() = 0;
    /// "host:port/database".
    virtual QString where() const = 0;
};

/// Makes a client, not connected yet, of the database that the URL names.
using Dialler = std::function<std::unique_ptr<Client>(Runtime& runtime, const ConnectionUrl& url)>;

} // namespace lockscope::sql
