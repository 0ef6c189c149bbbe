// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_report.h"

namespace lockscope::inspect {

/// The relation of servers that are watched together, in a few words for a card: "master + 2 replicas", "leader
/// 10.0.0.5:2379, quorum: 3 of 3 answer", "3 masters + 3 replicas, 10922 of 16384 slots"; and by which policy they drop
/// keys, if they do. `together`: each has a copy of its own of every lock, as with Redlock. Empty: nothing that a
/// single server's role does not say.
QString topologyText(const std::vector<WatchedServerState>& servers, bool together);

} // namespace lockscope::inspect
