// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/kept_by.h"
#include "inspect/lock_row.h"

namespace lockscope::inspect {

/// Whether the lock shows because somebody waits for it: databases list the locks of transactions on rows, and most of
/// those on tables, only then. When nobody waits any more it is not known who has it.
inline bool seenByItsWaiters(const LockRow& row) {
    return row.waiterCount.value_or(0) > 0 && row.format != "innodb-transaction" &&
           keptBy(row.format) == KeptBy::Transaction;
}

} // namespace lockscope::inspect
