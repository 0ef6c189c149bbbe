// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"
#include "verdict/ledger.h"
#include "verdict/slow_links.h"

#include <map>
#include <set>

namespace lockscope::verdict {

/// A lock that could be granted is granted within the bound.
///
/// A lock could be granted while three things are true. The server that decides is up, or a majority, where that
/// decides: while nobody can decide, of whatever kind the servers are, no grant is owed. A live
/// (running) client waits, whose links to the servers that it takes are neither cut nor too slow (Bounds::slowLink).
/// Nobody alive holds the lock: the record is free, or its owner's client is dead or does not believe (a client that we
/// know nothing of is taken for a living holder). Without any record, nobody alive holds when nobody believes. When one
/// of the three ceases to be true, the clock starts anew; a violation lasts from the bound's passing to that moment. A
/// thread that waits for several locks at once takes all or none: it counts as a waiter of one while nobody alive holds
/// the others.
///
/// While the record is not observed, nothing is judged: a stopped or unreachable server may have granted the lock to
/// anybody, or to nobody. Where such a gap outlasts the bound, the outcome is unknown from then on.
class ProgressJudge {
public:
    ProgressJudge(Ledger& ledger, const Bounds& bounds)
        : m_ledger(ledger), m_bound(bounds.progress), m_slow(bounds.roundTrip, bounds.slowLink) {}

    /// Applies from now on; nothing changes for waiters that are overdue already.
    void setBounds(const Bounds& bounds);
    /// A row, after it was folded into `state`.
    void look(const Row& row, const trace::State& state);
    /// The belief of a thread ended by its own deadline.
    void deadlinePassed(trace::EntityId lock, Nanos at, const trace::Trace& trace, const trace::State& state);
    /// Everything before `now` is known. `row`: the first row not before it.
    void timePassed(Nanos now, std::size_t row, const trace::Trace& trace, const trace::State& state);
    /// The first instant at which a gap in the record had outlasted the bound; kNever: there is none.
    Nanos undecidedSince() const { return m_undecidedSince; }

private:
    /// The state of a lock that its progress is judged by.
    enum class Standing : std::uint8_t {
        Fine,   ///< held by a living client, or no living client asks for it
        Stuck,  ///< it could be granted and is not
        Unseen, ///< a client waits and none believes, but the record is not observed
    };
    struct Lock {
        Standing standing = Standing::Fine;
        Nanos since{};                 ///< when the standing began
        std::size_t number = SIZE_MAX; ///< in the ledger, once the bound has passed
        bool recorded = false;
        bool shared = false;                        ///< some held it together with others
        trace::EntityId witness = trace::kNoEntity; ///< who waited when we last looked: probably still does
        std::vector<trace::EntityId> keepers; ///< the nodes of its copies; empty: not looked up since a node changed
    };
    void asked(trace::EntityId id, trace::EntityId thread);
    void update(trace::EntityId id, Nanos at, const trace::Trace& trace, const trace::State& state);
    /// As update(), also for the locks that some thread has asked for besides this one.
    void updateWithOthers(trace::EntityId id, Nanos at, const trace::Trace& trace, const trace::State& state);
    void updateAll(Nanos at, const trace::Trace& trace, const trace::State& state);
    Standing standingOf(trace::EntityId id, Lock& lock, const trace::Trace& trace, const trace::State& state) const;
    bool couldBeGranted(trace::EntityId id, Lock& lock, const trace::Trace& trace, const trace::State& state) const;
    /// Whether the node that decides, or so many nodes that no majority is left, are dead or paused.
    bool nodesAreDown(trace::EntityId id, Lock& lock, const trace::Trace& trace, const trace::State& state) const;
    /// Whether messages pass between the two in time, both ways.
    bool linked(trace::EntityId one, trace::EntityId other) const;
    /// Whether the client has links to the server that decides, or to so many servers as it takes.
    bool isConnected(trace::EntityId client, trace::EntityId id, Lock& lock, const trace::Trace& trace,
                     const trace::State& state) const;
    /// Fills in Lock::keepers if they are missing.
    static const std::vector<trace::EntityId>& keepersOf(trace::EntityId id, Lock& lock, const trace::Trace& trace);
    /// How many of a lock's servers it takes to decide, where no single one does.
    static std::size_t neededOf(const Lock& lock, const trace::Record* record);
    /// By a client that is alive and whose work does not hang.
    bool heldByTheLiving(trace::EntityId id, const Lock& lock, const trace::Trace& trace,
                         const trace::State& state) const;
    bool waitsAlive(trace::EntityId thread, const trace::Belief& belief, trace::EntityId id, Lock& lock,
                    const trace::Trace& trace, const trace::State& state) const;
    /// Whether a thread that waits for this lock waits for another one at the same time, which somebody alive holds.
    bool waitsForMore(trace::EntityId thread, trace::EntityId id, const trace::Trace& trace,
                      const trace::State& state) const;

    Ledger& m_ledger;
    Nanos m_bound;
    Nanos m_undecidedSince = kNever;
    std::map<trace::EntityId, Lock> m_locks;
    std::map<trace::EntityId, std::set<trace::EntityId>> m_asked; ///< by thread: the locks that it has ever asked for
    std::map<trace::EntityId, std::set<trace::EntityId>>
        m_beside;                                                ///< by lock: others that one of its threads asked for
    std::set<std::pair<trace::EntityId, trace::EntityId>> m_cut; ///< (client, node) or (node, node)
    SlowLinks m_slow;
    std::set<std::pair<Nanos, trace::EntityId>> m_alarms; ///< when the bound passes, lock
};

} // namespace lockscope::verdict
