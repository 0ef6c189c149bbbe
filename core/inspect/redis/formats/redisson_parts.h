// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_table.h"
#include "inspect/redis/redisson_names.h"

#include <algorithm>

namespace lockscope::inspect::redisson {

/// A count of holds; nullopt: it is none.
inline std::optional<int> positiveCount(const QByteArray& value) {
    bool ok = false;
    const int count = value.toInt(&ok);
    return ok && count > 0 ? std::optional(count) : std::nullopt;
}

/// A held row named after its key, which it attaches.
inline LockRow heldRow(const KeySnapshot& key, const char* format) {
    LockRow row;
    row.name = key.key;
    row.format = format;
    row.state = LockRow::State::Held;
    row.ttlMs = key.ttlMs;
    row.ends = key.ends;
    row.neverExpires = !key.ttlMs;
    row.raw.push_back(toRaw(key));
    return row;
}

/// Adds a helper key to the row's raw content, if there is one.
inline void attach(LockRow& row, const KeySnapshot* key) {
    if (key) row.raw.push_back(toRaw(*key));
}

inline Party partyOf(const Owner& owner, std::optional<int> holds, const char* mode = "exclusive") {
    return {owner.client, owner.thread, holds, {}, mode};
}

/// Sets an end that the content itself says, not a measured one.
template <typename T>
void endAt(T& row, std::int64_t endMs, std::int64_t wallMs) {
    row.ttlMs = std::max<std::int64_t>(0, endMs - wallMs);
    row.ends = EndsWithin{endMs, endMs};
}

} // namespace lockscope::inspect::redisson
