// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/etcd/port.h"
#include "ports/url.h"

namespace lockscope::etcd {

/// Settings of a driver; the defaults suit locks on a healthy network.
struct DriverOptions {
    Nanos connectTimeout = 2s;  ///< for one try at one endpoint
    Nanos requestTimeout = 3s;  ///< from the call to the reply, all tries and endpoints together
    int connections = 16;       ///< for requests; each watch has another one
    Nanos shortestTry = 800ms;  ///< with several endpoints: the least time before a silent one is left
    Nanos retryFirst = 20ms;    ///< pause before a member without a leader is asked again; doubles
    Nanos retryLongest = 500ms; ///< upper bound of that pause
};

} // namespace lockscope::etcd
