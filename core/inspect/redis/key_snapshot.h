// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

#include <utility>

namespace lockscope::inspect {

/// A Redis key with its content, as one look at the server (or at a simulated one) found it.
struct KeySnapshot {
    QByteArray key, type;              ///< type as TYPE says: "string", "hash", "list", "zset", "set", "stream"
    std::optional<std::int64_t> ttlMs; ///< missing = it never expires
    /// The end that ttlMs leads to, as exactly as it was measured; missing = there is none, or it was not measured.
    std::optional<EndsWithin> ends;
    bool refused = false; ///< it is there, or may be, and this user has no right to read it: nothing of it is known
    QByteArray string;
    std::vector<std::pair<QByteArray, QByteArray>> hash;
    std::vector<QByteArray> list;
    std::vector<std::pair<QByteArray, double>> zset; ///< in score order
    std::int64_t more = 0; ///< elements that were not read: of a long key, the content is only the first ones
    bool tooBig = false;   ///< nothing of the content was read: too long, and nothing says that it is a lock
    friend bool operator==(const KeySnapshot&, const KeySnapshot&) = default;
};

/// The key as a lock row shows it.
RawKey toRaw(const KeySnapshot& key);

} // namespace lockscope::inspect
