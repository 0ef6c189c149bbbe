// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/ledger.h"

#include <map>
#include <optional>

namespace lockscope::verdict {

/// An interval sweep over beliefs: a violation lasts while two or more threads believe that they hold one lock, and is
/// one violation however many join and leave meanwhile. An overlap of no length (a hand-over within one instant) is
/// none.
class MutualExclusionJudge {
public:
    explicit MutualExclusionJudge(Ledger& ledger) : m_ledger(ledger) {}

    /// A thread began to believe.
    void began(trace::EntityId lock, trace::EntityId thread, Nanos at, std::size_t row);
    /// A thread ceased to believe.
    void ended(trace::EntityId lock, trace::EntityId thread, Nanos at);
    /// Everything before `now` is known: overlaps that began before it have a length.
    void timePassed(Nanos now);

private:
    struct Lock {
        std::vector<trace::EntityId> believers; ///< in order of grant
        std::optional<Violation> fresh;         ///< an overlap that began at this very instant
        std::optional<std::size_t> open;        ///< its number in the ledger
    };
    void file(Lock& lock);

    Ledger& m_ledger;
    std::map<trace::EntityId, Lock> m_locks;
    std::vector<trace::EntityId> m_fresh; ///< locks with a fresh overlap
};

} // namespace lockscope::verdict
