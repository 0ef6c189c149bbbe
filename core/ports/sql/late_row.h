// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/port.h"

namespace lockscope::sql {

/// A session that can insert a lock's row in its transaction, as programs do that look for the row there first. Sound
/// recipes make the row before, outside of the transaction that locks it: Port::makeFree().
class LateRow {
public:
    virtual ~LateRow() = default;

    /// Inserts a free row in the transaction; begins one if none is open. False: there is one by now. Waits for
    /// transactions that have inserted it and, with MySQL, for those that have looked for it in vain: of several that
    /// insert then, all but one get Kind::Deadlock. Errors as of Session::lockRow().
    virtual Answer<bool> insertRow(RowKey key, std::stop_token stop = {}) = 0;

    /// nullptr: the session cannot.
    static LateRow* of(Session& session) { return dynamic_cast<LateRow*>(&session); }

protected:
    LateRow() = default;
    LateRow(const LateRow&) = default;
    LateRow& operator=(const LateRow&) = default;
};

} // namespace lockscope::sql
