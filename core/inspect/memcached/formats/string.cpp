// SPDX-License-Identifier: Apache-2.0
// A key that the user says is a lock, with whatever somebody has put there by `add`.
#include "inspect/memcached/formats.h"

#include <algorithm>

namespace lockscope::inspect {

std::vector<LockRow> readMemcachedString(const SeenItem& item) {
    constexpr qsizetype kLongest = 512; // of a lock's value
    Party holder;
    holder.client = item.value.first(std::min(item.value.size(), kLongest));
    const SeenItem shown{item.key, holder.client};
    LockRow row = memcachedRow(shown, "string", std::move(holder));
    row.entries = {{item.key, item.value}};
    row.certainty = Certainty::Likely;
    return {std::move(row)};
}

} // namespace lockscope::inspect
