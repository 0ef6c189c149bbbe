// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

namespace lockscope::inspect {

/// Lets the rows of a look share with those of the look before what is equal in both: names, holders, contents. Where
/// many locks stay as they are, everybody who keeps rows keeps the same memory. Both are sorted by name.
void shareUnchanged(std::vector<LockRow>& now, const std::vector<LockRow>& before);

} // namespace lockscope::inspect
