// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"
#include "verdict/ledger.h"

#include <map>
#include <set>

namespace lockscope::verdict {

/// Fencing tokens grow with every new holder; the same one twice is fine for the same thread only.
///
/// A client learns of its token later than the server gives it. One that was paused, cut off or suspended while it
/// waited may learn of an old grant after others have come and gone: nothing is claimed of those. Readers get theirs
/// side by side, and are judged neither.
class TokenOrderJudge {
public:
    explicit TokenOrderJudge(Ledger& ledger) : m_ledger(ledger) {}

    /// A thread's wait began.
    void asked(const Row& row) { m_doubtful.erase({row.event.subject, row.event.actor}); }
    /// A hold began.
    void granted(const Row& row, const trace::Belief& belief);
    /// This client was not there for a while.
    void away(trace::EntityId client, const Row& row, const trace::State& state);

private:
    struct Newest {
        std::int64_t token = 0;
        trace::EntityId holder = trace::kNoEntity;
    };
    Ledger& m_ledger;
    std::map<trace::EntityId, Newest> m_newest;                       ///< by lock
    std::set<std::pair<trace::EntityId, trace::EntityId>> m_doubtful; ///< (lock, thread): was away while it waited
};

} // namespace lockscope::verdict
