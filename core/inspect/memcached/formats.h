// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/format.h"

namespace lockscope::inspect {

/// An item of a memcached.
struct SeenItem {
    QByteArray key, value;
};

/// The layouts of locks on memcached, in the order in which they are tried.
std::span<const Format<SeenItem>> memcachedFormats();
/// … that are recognised by the value alone: for keys that no name tells to be locks.
std::span<const Format<SeenItem>> memcachedOwnFormats();

std::vector<LockRow> readMemcachedShedLock(const SeenItem& item); ///< shedlock
std::vector<LockRow> readMemcachedOwn(const SeenItem& item);      ///< memcached-lease, memcached-add: Lockscope's
std::vector<LockRow> readMemcachedString(const SeenItem& item);   ///< string: whatever else the name has

/// A held row; its end is not known: a server tells it apart from the item.
LockRow memcachedRow(const SeenItem& item, const char* format, Party holder);

} // namespace lockscope::inspect
