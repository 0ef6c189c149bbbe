// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/etcd/options.h"

#include <functional>

namespace lockscope::etcd {

/// A port to a cluster, with its connections.
class Client : public Port {
public:
    /// Checks that a majority is alive: reads the store's revision linearizably.
    virtual Result<std::int64_t> open(std::stop_token stop = {}) = 0;
};

/// Makes a client, not connected yet, of the cluster whose members the URL names.
using Dialler = std::function<std::unique_ptr<Client>(Runtime& runtime, const ConnectionUrl& url)>;

} // namespace lockscope::etcd
