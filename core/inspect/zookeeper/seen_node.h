// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"
#include "ports/zookeeper/port.h"
#include "recipes/zookeeper/zk_children.h"

namespace lockscope::inspect {

/// A child of a node that may be a lock.
struct SeenChild {
    recipes::ZkChild name;                   ///< parsed
    std::optional<zookeeper::NodeStat> stat; ///< missing: not read, or this login may not read it
    QByteArray data;
    bool heldFromStart = false; ///< an earlier look saw that nobody was before it when it came
};

/// A node of one look, with everything that tells which lock it is.
struct SeenNode {
    QByteArray path;
    zookeeper::NodeStat stat;
    std::optional<QByteArray> data;  ///< missing: none that a lock would have, or not readable
    std::vector<SeenChild> children; ///< in the order of readZkChildren()
    /// The children `locks` and `leases`, by which Curator's semaphore is known; nullptr: there are none.
    const SeenNode* locks = nullptr;
    const SeenNode* leases = nullptr;
    /// The node beside it where contenders of kazoo's semaphore queue: "<path>-__lock__"; nullptr: there is none.
    const SeenNode* queue = nullptr;
    std::int64_t wallMs = 0; ///< the present in ms since 1970, for formats that keep ends as instants

    /// The families of its numbered children, conditions left out.
    std::set<recipes::ZkFamily> families() const;
};

} // namespace lockscope::inspect
