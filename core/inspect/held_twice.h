// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

#include <algorithm>

namespace lockscope::inspect {

/// Whether two clients hold a lock, each of them for itself: their libraries do not see each other's entries.
inline bool heldTwice(const LockRow& row) {
    return row.backend == "zookeeper" && row.state == LockRow::State::Held &&
           std::ranges::count(row.holders, QByteArray("exclusive"), &Party::mode) > 1;
}

} // namespace lockscope::inspect
