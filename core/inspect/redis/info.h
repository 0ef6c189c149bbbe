// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/server_identity.h"
#include "ports/url.h"

namespace lockscope::inspect {

/// Reads the texts of INFO server and INFO replication; fields that are missing there stay unknown.
ServerIdentity identityFrom(const QByteArray& infoServer, const QByteArray& infoReplication);

/// A node of a cluster, by a line of CLUSTER NODES.
struct ClusterNode {
    Endpoint at;                                  ///< the host is empty where the node does not know its own
    bool myself = false;                          ///< the node that was asked
    bool master = false;                          ///< else a replica, or nothing yet
    QByteArray slotRanges;                        ///< "0-5460 5462"
    std::vector<std::pair<int, int>> slotsFromTo; ///< both ends included
    int slots = 0;
    bool owns(int slot) const;
};
/// Reads the answer to CLUSTER NODES; lines that it does not understand are left out.
std::vector<ClusterNode> clusterNodesIn(const QByteArray& clusterNodes);
/// How often keys were thrown away whole (FLUSHALL, FLUSHDB), by INFO commandstats.
std::int64_t flushesIn(const QByteArray& infoCommandStats);
/// How often two databases were exchanged for each other (SWAPDB), by INFO commandstats.
std::int64_t swapsIn(const QByteArray& infoCommandStats);
/// The value of a line "name:value" of INFO; empty when there is none.
QByteArray lineOfInfo(const QByteArray& info, const QByteArray& name);

} // namespace lockscope::inspect
