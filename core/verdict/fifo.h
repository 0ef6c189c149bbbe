// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"
#include "verdict/ledger.h"

#include <map>

namespace lockscope::verdict {

/// A fair lock is granted in the order of its queue.
///
/// A trace tells when somebody asked, not when the server queued it, so the order is judged only where it is beyond
/// doubt: B asked more than the slack after A did, got the lock as the only holder while A still waited, and A, who had
/// been there all that time, got it later as the only holder too. Whoever was paused, cut off or suspended, and whoever
/// waited while the lock's server went away, counts as having asked when that was over: queues forget those who are not
/// there. The violation lasts from B's grant to A's.
class FifoJudge {
public:
    FifoJudge(Ledger& ledger, Nanos slack) : m_ledger(ledger), m_slack(slack) {}

    /// A thread's belief changed at `row`: a wait or a hold began or ended.
    void changed(const Row& row, const trace::Belief& belief);
    /// Nobody of this client waits any more.
    void gone(trace::EntityId client, const trace::Trace& trace);
    /// Everybody of this client asked now, at the latest.
    void away(trace::EntityId client, const Row& row);
    /// Everybody who waits for a lock of this node asked now, at the latest.
    void nodeAway(trace::EntityId node, const Row& row);
    /// Everybody asked now, at the latest.
    void allAway(const Row& row);

private:
    struct Waiter {
        Nanos since{};
        std::vector<Violation> overtaken; ///< true if it gets the lock in the end
    };
    using Key = std::pair<trace::EntityId, trace::EntityId>; ///< (lock, thread)
    void start(Waiter& waiter, Nanos at) {
        waiter.since = at;
        waiter.overtaken.clear();
    }

    Ledger& m_ledger;
    Nanos m_slack;
    std::map<Key, Waiter> m_waiters;
};

} // namespace lockscope::verdict
