// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <vector>

namespace lockscope::trace {

// An attached world may watch several servers at once, each over a connection of its own. In the entity table a
// connection is a Text: its name, with the Text of its URL as `other`. It is the parent of the Node that it leads to,
// and of clients whose names mean something on that server only. Where several servers keep locks together, the Node
// stands for all of them, with the logical locks; it is the `other` of a Node for each of the servers, with their
// copies. Locks have the node as their parent, so equal names on two connections are two locks. Recordings keep it; a
// URL in a trace has no password.

/// The entity of a connection; adds it if it is new. Writer only. `url`: as it may be shown; never empty.
EntityId internConnection(Trace& trace, const QByteArray& name, const QByteArray& url);

/// Whether an entity is a connection.
bool isConnection(const Trace& trace, EntityId id);

/// The connection over which a lock, a node, a client or a thread is seen, or the connection itself; kNoEntity: none,
/// or more than one.
EntityId connectionOf(const Trace& trace, EntityId id);

/// The URL of a connection; empty for other entities.
QByteArray urlOfConnection(const Trace& trace, EntityId connection);

/// The servers among these nodes: without groups of others of them.
std::vector<EntityId> serversAmong(const Trace& trace, const std::vector<EntityId>& nodes);

/// The connections of these nodes, each once, in the order of the nodes.
std::vector<EntityId> connectionsOf(const Trace& trace, const std::vector<EntityId>& nodes);

} // namespace lockscope::trace
