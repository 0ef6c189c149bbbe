// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

#include <span>
#include <vector>

namespace lockscope::inspect {

/// The layout in which one lock library keeps its locks on one kind of server. `Seen` is a place there with everything
/// that a row needs: a Redis key, a ZooKeeper node with its children, the keys below an etcd prefix, a table.
///
/// Pure: equal input gives equal rows, and nothing is asked of a server.
template <typename Seen>
struct Format {
    const char* library;                            ///< "kazoo": for people; the rows' `format` is more exact
    std::vector<LockRow> (*read)(const Seen& seen); ///< its locks in this place; none: the layout is another one
};

/// The rows of the first format in the list that recognises the place; none: nothing there is a lock.
template <typename Seen>
std::vector<LockRow> readInOrder(std::span<const Format<Seen>> formats, const Seen& seen) {
    for (const Format<Seen>& format : formats)
        if (std::vector<LockRow> rows = format.read(seen); !rows.empty()) return rows;
    return {};
}

} // namespace lockscope::inspect
