// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"
#include "verdict/ledger.h"

#include <map>
#include <set>

namespace lockscope::verdict {

/// A write is stale when its token is lower than the newest accepted one, or when the record says at that instant that
/// another client or none holds the lock.
///
/// Where servers are watched from outside (the trace's origin has a wall-clock time), the record follows a grant with
/// some delay. A thread that believes, and that no row of the record has named since it asked for the lock, may be such
/// a case: its write stays undecided unless the record names it later. In simulations the record always comes first,
/// and is unobserved only while the servers that decide are down: the hold that it named goes on until its deadline. A
/// write of that holder is fine so far, and undecided from when they are back without the hold, or if they never are.
/// If the server that decided died, its hold goes on where the next one has a copy of it.
class StaleWriteJudge {
public:
    explicit StaleWriteJudge(Ledger& ledger) : m_ledger(ledger) {}

    /// A row, before it is folded into `state`.
    void look(const Row& row, const trace::State& state);
    /// Since when a write could not be judged: the record was not observed, no token told, or the record has not
    /// followed yet. In a simulation that is certain when the servers that were down are back. kNever: there is none.
    /// `finished`: the world has ended, and servers that are still down have not come back.
    Nanos undecidedSince(bool finished) const;

private:
    using Hold = std::pair<trace::EntityId, trace::EntityId>; ///< lock, thread
    /// The owner's first write while the servers of a lock are down.
    struct WriteInAGap {
        Nanos at{};
        Nanos gapEnded = kNever;
        bool orphaned = false; ///< the server that had the hold died, and no other one has shown a copy
        trace::EntityId owner = trace::kNoEntity;
    };
    /// A hold that went with the server that decided.
    struct Lost {
        trace::EntityId owner = trace::kNoEntity;
        std::int64_t deadline = -1;
    };
    void judgeWrite(const Row& row, const trace::State& state);
    void judgeUnobserved(const Row& row, trace::EntityId lock, const trace::State& state);
    void recordNames(Hold hold);
    /// The record of a lock names that holder in this instant.
    void settleOrphan(const Hold& hold, Nanos at);
    void leaveUndecided(Nanos since);
    /// The hold that a write in a gap relied on has ended.
    void settleGap(trace::EntityId lock, const trace::Event& freed);

    Ledger& m_ledger;
    std::map<trace::EntityId, std::int64_t> m_newest; ///< token by resource
    std::set<trace::EntityId> m_recorded;             ///< locks of which the record said anything yet
    std::set<Hold> m_named;                           ///< by the record, since the thread asked
    std::map<Hold, Nanos> m_waiting;                  ///< the first of the writes that the record may yet justify
    std::map<trace::EntityId, WriteInAGap> m_inGap;   ///< by lock
    std::map<trace::EntityId, Lost> m_lost;           ///< by lock, until another server decides
    Nanos m_undecidedSince = kNever;                  ///< the first of all others
};

} // namespace lockscope::verdict
