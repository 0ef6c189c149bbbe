// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

namespace lockscope::trace {

// The servers of a watched Redis Cluster, of a master's group behind Sentinels, or of an ensemble: each is a Node whose
// `other` is the Node of the group, as connection.h describes it. They have no copies of locks; one of them may be the
// decider of a lock of the group (RecordDecider).

/// The name in the Text of a ServerTold row (server_told.h) of a member: the slots that it has, "0-5460 5462"; empty:
/// none.
inline constexpr QByteArrayView kHasSlots = "has-slots";
/// The reason of a ConnectionLost of a member that is no master with slots by now, and no connected replica.
inline constexpr QByteArrayView kOutOfService = "out-of-service";

/// Whether a node is one of a group of servers that are watched over one connection.
bool isMember(const Trace& trace, EntityId node);

/// The server that keeps a lock on which `decider` decides: of a group's lock that member, else the lock's own node.
/// kNoEntity: it has none, as in a simulation.
EntityId keeperOf(const Trace& trace, EntityId lock, EntityId decider);

} // namespace lockscope::trace
