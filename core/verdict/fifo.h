// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"
#include "verdict/ledger.h"
#include "verdict/slow_links.h"

#include <map>

namespace lockscope::verdict {

/// A fair lock is granted in the order of its queue.
///
/// A trace tells when a client asked, not when the server queued it, so the order is judged only where it is beyond
/// doubt: B asked more than the slack after A did, got the lock or its permits while A still waited, and A, who had
/// been there all that time, got it later. Readers are left out: those behind one writer get the lock together, and
/// learn of it in any order. If A was paused, cut off or suspended, or if its server went away, its place counts from
/// the end of that: queues forget absent waiters. On a slow link A's place counts later by the time its messages take;
/// if the link is too slow to get on, nothing is demanded. B's place counts from its first request: queues may also
/// remember. The violation lasts from B's grant to A's.
class FifoJudge {
public:
    FifoJudge(Ledger& ledger, const Bounds& bounds)
        : m_ledger(ledger), m_slack(bounds.fifoSlack), m_slow(bounds.roundTrip, bounds.slowLink) {}

    /// A thread's belief changed at `row`: a wait or a hold began or ended.
    void changed(const Row& row, const trace::Belief& belief);
    /// No thread of this client waits any more.
    void gone(trace::EntityId client, const trace::Trace& trace);
    /// All threads of this client may have lost their places.
    void away(trace::EntityId client, const Row& row);
    /// A link is slower or quicker from now on.
    void delayed(const Row& row) { m_slow.delayed(row.event, row.trace); }
    /// Everybody who waits for a lock of this node, or for one that several nodes keep, may have lost its place, or
    /// may not get one before the node is back.
    void nodeAway(trace::EntityId node, const Row& row);
    /// No order was promised so far, or is any more.
    void forget() { m_waiters.clear(); }
    /// Everybody may have lost its place.
    void allAway(const Row& row);

private:
    struct Waiter {
        Nanos asked{};                    ///< it cannot have queued before
        Nanos since{};                    ///< it has been in the queue from here on, give or take the slack
        std::vector<Violation> overtaken; ///< true if it gets the lock in the end
    };
    using Key = std::pair<trace::EntityId, trace::EntityId>; ///< (lock, thread)
    static void lostPlace(Waiter& waiter, Nanos at) {
        waiter.since = at;
        waiter.overtaken.clear();
    }

    /// From when on others certainly queued later than this waiter, counted from its Waiter::since.
    Nanos slackOf(const Key& waiter, const trace::Trace& trace) const;

    Ledger& m_ledger;
    Nanos m_slack;
    SlowLinks m_slow;
    std::map<Key, Waiter> m_waiters;
};

} // namespace lockscope::verdict
