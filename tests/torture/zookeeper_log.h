// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "background.h"
#include "server_record.h"

namespace lockscope::torture {

/// Reads a ZooKeeper's transaction logs (version 3.6 or later), oldest first: which session made and removed which
/// node, in the server's own order. A place is a node. A node's data name its owner; the owner of a session follows
/// from the nodes that it made. The end of a session removes its own nodes, and is nobody's doing. Source: the format
/// as ZooKeeper's FileTxnLog and zookeeper.jute have it.
std::vector<ServerRecord> readZooKeeperLogs(const QByteArrayList& files, const Background& background);

} // namespace lockscope::torture
