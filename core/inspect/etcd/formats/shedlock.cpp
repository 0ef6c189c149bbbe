// SPDX-License-Identifier: Apache-2.0
// ShedLock: a key shedlock:<env>:<name> under a lease.
#include "inspect/etcd/formats.h"
#include "inspect/shedlock_value.h"

namespace lockscope::inspect {

std::vector<LockRow> readEtcdShedLock(const SeenKeys& seen) {
    if (seen.keys.size() != 1 || !seen.name.startsWith("shedlock:")) return {};
    const etcd::KeyValue& key = seen.keys.front();
    auto holder = key.key == seen.name ? shedLockHolder(key.value) : std::nullopt;
    if (!holder) return {};
    LockRow row = etcdRow(seen, "shedlock");
    endsWith(row, etcdParty(seen, key, "exclusive"));
    row.state = LockRow::State::Held;
    row.entries.push_back({key.key, {}, key.createRevision});
    row.holders.push_back(std::move(*holder));
    return {std::move(row)};
}

} // namespace lockscope::inspect
