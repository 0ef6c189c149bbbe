// SPDX-License-Identifier: Apache-2.0
// Redisson's read/write lock: a hash with a field `mode`; each read hold has a key of its own that ends.
#include "inspect/redis/formats.h"
#include "inspect/redis/formats/redisson_parts.h"

namespace lockscope::inspect {

using namespace redisson;

namespace {

// The longest of a reader's holds counts.
void lastsUntil(Party& reader, const KeySnapshot& hold) {
    if (!hold.ttlMs) reader.neverExpires = true;
    if (reader.neverExpires) {
        reader.ttlMs.reset();
        reader.ends.reset();
    } else if (!reader.ttlMs || *hold.ttlMs > *reader.ttlMs) {
        reader.ttlMs = hold.ttlMs;
        reader.ends = hold.ends;
    }
}

// A reader lives as long as one of its hold keys; the hash's TTL is not its own.
std::optional<LockRow> readWriteRow(const KeySnapshot& hash, const KeyTable& keys,
                                    const std::optional<Subscriptions>& subscriptions) {
    LockRow row = heldRow(hash, "redisson-rw");
    QByteArray mode;
    const KeySnapshot* lastHold = nullptr; ///< of those that end, the one that ends last
    bool readerForEver = false;
    bool readerRefused = false;
    for (const auto& [field, value] : hash.hash) {
        if (field == "mode") {
            mode = value;
            continue;
        }
        row.entries.push_back({hash.key, field});
        constexpr qsizetype kSuffix = 6; // ":write"
        const bool writes = field.endsWith(":write");
        // The mode says that this is a lock, so a client may have any name.
        const auto owner = parseNamedOwner(writes ? field.chopped(kSuffix) : field);
        const auto holds = positiveCount(value);
        if (!owner || !holds) return std::nullopt;
        if (writes) {
            row.holders.push_back(partyOf(*owner, holds));
            continue;
        }
        bool lives = false;
        Party reader = partyOf(*owner, holds, "shared");
        for (int i = 1; i <= std::min(*holds, 1000); ++i) {
            const QByteArray holdKey =
                redisson::holdKeyPrefix(hash.key) + field + ":rwlock_timeout:" + QByteArray::number(i);
            const KeySnapshot* hold = keys.find(holdKey, "string");
            const bool refused = !hold && keys.refused(holdKey); // then it may live: nothing says that it is dead
            lives = lives || hold || refused;
            readerRefused = readerRefused || refused;
            if (!hold) continue;
            readerForEver = readerForEver || !hold->ttlMs;
            lastsUntil(reader, *hold);
            if (hold->ttlMs && (!lastHold || *hold->ttlMs > *lastHold->ttlMs)) lastHold = hold;
            attach(row, hold);
        }
        if (lives) row.holders.push_back(std::move(reader));
    }
    if (mode != "read" && mode != "write") return std::nullopt;
    if (mode == "read") row.mode = "shared";
    // Readers that were not read may outlast these: the hash lasts as long as the last of them at least.
    if (mode == "read" && hash.more == 0) {
        row.neverExpires = readerForEver;
        const bool known = lastHold && !readerForEver && !readerRefused;
        row.ttlMs = known ? lastHold->ttlMs : std::nullopt;
        row.ends = known ? lastHold->ends : std::nullopt;
    }
    row.moreHolders = hash.more;
    row.holdersGone = row.holders.empty() && hash.more == 0;
    row.waiterCount = subscribersOf(subscriptions, redisson::readWriteChannel(hash.key));
    return row;
}

} // namespace

std::vector<LockRow> readRedissonReadWrite(const SeenKey& seen) {
    if (seen.key.type != "hash") return {};
    auto row = readWriteRow(seen.key, seen.keys, seen.subscriptions);
    if (!row) return {};
    return {std::move(*row)};
}

} // namespace lockscope::inspect
