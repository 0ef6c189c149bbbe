// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

#include <set>

namespace lockscope::inspect {

/// The key under which Spring Integration keeps a lock: a UUID made of the name's bytes, as Java's
/// UUID.nameUUIDFromBytes() makes it; a name that is a UUID itself, in lower case.
QByteArray intLockKey(const QByteArray& name);

/// Gives a lock of INT_LOCK its real name, "REGION:name", if that is one of these. A key alone cannot be read back.
void nameIntLock(LockRow& row, const std::set<QByteArray>& names);

} // namespace lockscope::inspect
