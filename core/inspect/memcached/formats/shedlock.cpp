// SPDX-License-Identifier: Apache-2.0
// ShedLock: shedlock:<env>:<name> = ADDED:<ISO instant>@<host>.
#include "inspect/memcached/formats.h"
#include "inspect/shedlock_value.h"

namespace lockscope::inspect {

std::vector<LockRow> readMemcachedShedLock(const SeenItem& item) {
    auto holder = shedLockHolder(item.value);
    if (!holder) return {};
    return {memcachedRow(item, "shedlock", std::move(*holder))};
}

} // namespace lockscope::inspect
