// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

#include <deque>
#include <map>

namespace lockscope::sim {

/// The threads behind a semaphore's permits. The server keeps permits by random ids, which name nobody; the world has
/// seen whose command wrote each.
class PermitOwners {
public:
    /// Permits that are new in the row belong to `cause`; kNoEntity: nobody's command wrote them.
    void saw(const inspect::LockRow& row, trace::EntityId cause);
    /// Puts threads in the place of ids: one holder for each thread, which holds as many permits as it has ids, until
    /// the first of them ends.
    void nameHolders(inspect::LockRow& row) const;
    /// The thread that a holder named by nameHolders() stands for; kNoEntity: it is not one of those.
    static trace::EntityId threadOf(const inspect::Party& holder);

private:
    std::map<QByteArray, trace::EntityId> m_owners; ///< by id
    std::deque<QByteArray> m_order;                 ///< oldest first
};

} // namespace lockscope::sim
