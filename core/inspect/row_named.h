// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

#include <algorithm>

namespace lockscope::inspect {

/// The row of that name in a report's locks; nullptr: there is none. Precondition: they are sorted by name.
inline const LockRow* rowNamed(const std::vector<LockRow>& locks, const QByteArray& name) {
    const auto row = std::ranges::lower_bound(locks, name, {}, &LockRow::name);
    return row == locks.end() || row->name != name ? nullptr : &*row;
}

} // namespace lockscope::inspect
