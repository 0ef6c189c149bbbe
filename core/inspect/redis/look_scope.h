// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_job.h"

#include <unordered_set>

namespace lockscope::inspect {

/// The locks that one look is at: all of them, or those that these keys may belong to.
struct LookScope {
    bool whole = true;
    std::vector<WantedKey> keys;          ///< to be read
    std::unordered_set<QByteArray> about; ///< of a part: keys, and names of locks
    bool has(const LockRow& row) const {
        return whole || about.contains(row.name) || (!row.raw.empty() && about.contains(row.raw.front().key));
    }
};

} // namespace lockscope::inspect
