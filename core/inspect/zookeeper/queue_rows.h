// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/zookeeper/seen_node.h"

namespace lockscope::inspect {

/// The name of the lock at that path, as commands take it: "/orders/42" → "orders/42".
QByteArray zkLockName(const QByteArray& path);

/// A row named after the node, without holders.
LockRow zkRow(const SeenNode& node, const char* format);

/// The contender behind a child: by what Lockscope wrote there, else by its session, with what the node says besides.
Party zkParty(const SeenChild& child, const char* mode);

/// Notes a child of `parent` as what makes the lock held.
void addEntry(LockRow& row, const SeenNode& parent, const SeenChild& holder);

/// The row of a queue of numbered children. A writer holds when nobody is before it; a reader, when no writer is. The
/// others wait, in order. Children of no known family, and waiters for conditions, are no contenders.
LockRow zkQueueRow(const SeenNode& node, const char* format);

/// The node's children as they are on the server, or the node's data where it has no children; and the nodes of
/// holders.
void addRaw(LockRow& row, const SeenNode& node);

} // namespace lockscope::inspect
