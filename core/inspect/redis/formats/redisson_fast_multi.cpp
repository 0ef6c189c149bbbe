// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/formats.h"
#include "inspect/redis/formats/redisson_parts.h"

namespace lockscope::inspect {

using namespace redisson;

// One hash for many values: field v = owner, "v:owner:expire_time" and "v:owner:lock_count".
std::vector<LockRow> readRedissonFastMulti(const SeenKey& seen) {
    const KeySnapshot& hash = seen.key;
    if (hash.type != "hash") return {};
    const std::int64_t wallMs = seen.options.wallMs;
    std::map<QByteArray, QByteArray> fields(hash.hash.begin(), hash.hash.end());
    const auto ends = [&](const char* suffix) {
        return std::any_of(fields.begin(), fields.end(), [&](const auto& f) { return f.first.endsWith(suffix); });
    };
    if (!ends(":expire_time") || !ends(":lock_count")) return {};
    std::vector<LockRow> rows;
    for (const auto& [field, value] : fields) {
        if (field.endsWith(":expire_time") || field.endsWith(":lock_count")) continue;
        const auto owner = parseOwner(value);
        const auto expiry = fields.find(field + ':' + value + ":expire_time");
        const auto count = fields.find(field + ':' + value + ":lock_count");
        if (!owner || expiry == fields.end() || count == fields.end()) return {};
        const std::int64_t left = expiry->second.toLongLong() - wallMs;
        LockRow row = heldRow(hash, "redisson-fastmulti");
        row.name = hash.key + ':' + field;
        row.waiterCount = subscribersOf(seen.subscriptions, redisson::lockChannel(hash.key));
        row.neverExpires = false;
        row.ttlMs.reset();
        row.ends.reset();
        if (left > 0) {
            endAt(row, wallMs + left, wallMs);
            row.holders.push_back(partyOf(*owner, positiveCount(count->second)));
            row.entries.push_back({hash.key, value});
        } else {
            row.state = LockRow::State::Free;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace lockscope::inspect
