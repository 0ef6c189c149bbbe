// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/zookeeper/seen_node.h"

namespace lockscope::inspect {

/// The name of the lock at that path, as commands take it: "/orders/42" → "orders/42".
QByteArray zkLockName(const QByteArray& path);

/// A row named after the node, without holders.
LockRow zkRow(const SeenNode& node, const char* format);

/// The contender behind a child: by what Lockscope wrote there, else by its session, with what the node says besides.
/// It has been there since its node was made.
Party zkParty(const SeenChild& child, const char* mode);

/// As above, of one that holds. A node tells when its maker asked, which is when it got the lock only if nobody was
/// before it: known while making it is the last change to the parent's children, and from earlier looks. Else it is not
/// told since when it holds.
Party zkHolder(const SeenNode& parent, const SeenChild& child, const char* mode);

/// Notes a child of `parent` as what makes the lock held.
void addEntry(LockRow& row, const SeenNode& parent, const SeenChild& holder);

/// The children of a queue that contend: those of known families, without waiters for conditions; or all that have a
/// number, whatever their names.
enum class Contenders : std::uint8_t { KnownFamilies, Numbered };

/// The row of a queue of numbered children. A writer holds when nobody is before it; a reader, when no writer is. The
/// others wait, in order. Where several libraries use one queue, each of them counts only the children that it looks
/// at: so two of them may hold at once (heldTwice()).
LockRow zkQueueRow(const SeenNode& node, const char* format, Contenders contenders = Contenders::KnownFamilies);

/// The node's children as they are on the server, or the node's data where it has no children; and the nodes of
/// holders.
void addRaw(LockRow& row, const SeenNode& node, Contenders contenders = Contenders::KnownFamilies);

} // namespace lockscope::inspect
