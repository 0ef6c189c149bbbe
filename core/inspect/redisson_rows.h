// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis_recogniser.h"

namespace lockscope::inspect {

/// All keys of one look, found by name.
class KeyTable {
public:
    explicit KeyTable(std::span<const KeySnapshot> keys);
    /// The key of this name and type; nullptr when there is none, or when it could not be read.
    const KeySnapshot* find(const QByteArray& key, const char* type) const;
    /// We have no right to read this key, so that nobody knows whether it is there.
    bool refused(const QByteArray& key) const;
    /// All keys, sorted by name.
    const std::map<QByteArray, const KeySnapshot*>& all() const { return m_keys; }

private:
    std::map<QByteArray, const KeySnapshot*> m_keys;
};

/// Subscribers of a channel; missing = not known.
std::optional<std::int64_t> subscribersOf(const std::optional<Subscriptions>& subscriptions, const QByteArray& channel);

/// The rows of a Redisson hash: read/write, fast multi (one row for each value), plain, fair or fenced. Empty when it
/// is none of them.
std::vector<LockRow> redissonHashRows(const KeySnapshot& hash, const KeyTable& keys,
                                      const std::optional<Subscriptions>& subscriptions, std::int64_t wallMs);

/// The row of a Redisson string with permits: expirable permits, semaphore, count-down latch.
std::optional<LockRow> redissonPermitRow(const KeySnapshot& string, const KeyTable& keys,
                                         const std::optional<Subscriptions>& subscriptions, std::int64_t wallMs);

/// The row of a fair lock's queue whose lock nobody holds at the moment.
LockRow redissonQueueRow(const QByteArray& name, const KeySnapshot& queue, const KeyTable& keys,
                         const std::optional<Subscriptions>& subscriptions, std::int64_t wallMs);

} // namespace lockscope::inspect
