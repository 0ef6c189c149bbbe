// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

namespace lockscope::inspect {

/// The holder in a ShedLock value, and since when it holds: "ADDED:<ISO instant>@<host>[:<uuid>]", as it stands on
/// Redis, etcd and memcached; nullopt: the value is none.
std::optional<Party> shedLockHolder(const QByteArray& value);

} // namespace lockscope::inspect
