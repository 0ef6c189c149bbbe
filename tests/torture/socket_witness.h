// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "witness.h"

namespace lockscope::torture {

/// MONITOR on each of some Redis servers.
std::unique_ptr<Witness> makeMonitorWitness(Runtime& runtime, std::vector<Endpoint> nodes, Testimony::Kind kind);
/// memcached's logger.
std::unique_ptr<Witness> makeMemcachedWitness(Runtime& runtime, Endpoint node);
/// A watch over all locks of an etcd, begun again where it ended after the server's death: it forgets nothing.
std::unique_ptr<Witness> makeEtcdWitness(Runtime& runtime, Endpoint node, Nanos ahead);

} // namespace lockscope::torture
