// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"
#include "trace/time.h"

#include <cstddef>
#include <map>
#include <set>
#include <vector>

namespace lockscope::inspect {

/// Ends of locks that several servers keep, each for itself. A renewal reaches one server after the other, so the end
/// of a majority may move with each of them: here it moves once, with the copy that makes the majority.
class MajorityEnds {
public:
    /// Gives a held row of logicalRow() its `ends`, if those of its copies were measured. `at`: by a clock that only
    /// grows; times that are left in the row are as of then.
    void settle(LockRow& row, Nanos at);
    /// Forgets all other locks.
    void keepOnly(const std::set<QByteArray>& names);

private:
    struct Copy {
        std::optional<EndsWithin> ends; ///< missing: this server does not have the hold
        std::size_t moves = 0;          ///< how often its end moved, at least as often as the hold's did without it
    };
    struct Hold {
        QByteArray holder;
        std::vector<Copy> copies;
        std::size_t moves = 0; ///< of the majority
        std::int64_t endMs = 0;
    };
    /// False: an end of a copy was not measured.
    static bool countMoves(Hold& hold, const LockRow& row);

    std::map<QByteArray, Hold> m_holds;
};

} // namespace lockscope::inspect
