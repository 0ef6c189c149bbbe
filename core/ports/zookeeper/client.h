// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "ports/zookeeper/options.h"
#include "ports/zookeeper/port.h"

#include <functional>

namespace lockscope::zookeeper {

/// A port to an ensemble, with its session.
class Client : public Port {
public:
    /// Waits for calls in flight, 0.5 s at most, ends the session and disconnects. Calls that come meanwhile end with
    /// SessionLost; a later call makes a new session. If the server answers, the session's ephemeral nodes are then
    /// gone.
    virtual QCoro::Task<> close() = 0;
};

/// Makes a client, not connected yet, of the ensemble whose servers the URL names.
using Dialler =
    std::function<std::unique_ptr<Client>(Runtime& runtime, const ConnectionUrl& url, const DriverOptions& options)>;

} // namespace lockscope::zookeeper
