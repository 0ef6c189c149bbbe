// SPDX-License-Identifier: Apache-2.0
// npm's redis-semaphore: a sorted set of permits.
#include "inspect/redis/formats.h"
#include "inspect/redis/redisson_names.h"

namespace lockscope::inspect {

std::vector<LockRow> readRedisSemaphore(const SeenKey& seen) {
    const KeySnapshot& key = seen.key;
    if (key.type != "zset" || !key.key.startsWith("semaphore:") || key.zset.empty()) return {};
    LockRow row;
    row.name = key.key;
    row.format = "redis-semaphore";
    row.mode = "permit";
    row.state = LockRow::State::Held;
    for (const auto& [id, score] : key.zset) {
        if (!isUuid(QByteArrayView(id).first(std::min<qsizetype>(id.size(), 36)))) return {};
        row.holders.push_back({id, {}, {}, {}, "permit"});
        row.entries.push_back({key.key, id});
    }
    row.moreHolders = key.more;
    // The key ends with the permit that was taken or renewed last, and all others are gone by then. A single permit
    // ends at its score and its client's time-out, which the server does not have.
    row.ttlMs = key.ttlMs;
    row.ends = key.ends;
    row.certainty = Certainty::Likely; // by its name and its members
    row.raw.push_back(toRaw(key));
    return {std::move(row)};
}

} // namespace lockscope::inspect
