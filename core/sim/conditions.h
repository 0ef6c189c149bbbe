// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/network.h"
#include "trace/recorder.h"

#include <functional>
#include <set>

namespace lockscope::sim {

/// Faults that wait for something to happen. Reads the trace as it grows, and counts what fits each fault.
class Conditions {
public:
    struct Surroundings {
        VirtualScheduler& scheduler;
        trace::Recorder& recorder;
        Network& network;
        /// Whether a client goes by this name ("A") or has this role ("holder", "waiter") now.
        std::function<bool(trace::EntityId client, const QString& name)> is;
        /// The fault has its time now (Fault::at), and its target's name where that was "same".
        std::function<void(const scenario::Fault&)> due;
    };
    /// Everything outlives it. `lock`: the one whose record Recorded and LeaseLeft look at.
    Conditions(Surroundings surroundings, trace::EntityId lock);
    ~Conditions();
    Conditions(const Conditions&) = delete;
    Conditions& operator=(const Conditions&) = delete;

    /// Counts from now on; a server that leads already counts at once where the condition names it. Precondition:
    /// `fault.when` is there.
    void add(const scenario::Fault& fault);
    void see(const trace::Event& event);

private:
    struct Waiting {
        scenario::Fault fault;
        int seen = 0; ///< how often its condition was true
        VirtualScheduler::TimerId leaseTimer = 0;
    };
    /// The client or the server that a row is about, if the row makes the condition true; else kNoEntity.
    trace::EntityId foundBy(const scenario::Trigger& when, const trace::Event& event) const;
    /// The condition was true once more. True: the fault strikes, and waits no longer.
    bool counted(Waiting& waiting, trace::EntityId found);
    /// Takes in a role, a death or a start.
    void followLeader(const trace::Event& event);
    /// The living server of that name that leads now, by its own word; else kNoEntity.
    trace::EntityId leaderNamed(const QString& server) const;
    void watchLease(const trace::Event& event);
    /// Sets the timer of a fault that waits for a lease to run down.
    void aim(std::uint64_t number, Waiting& waiting);
    void leaseRanDown(std::uint64_t number);

    Surroundings m_around;
    trace::EntityId m_lock;
    trace::EntityId m_owner = trace::kNoEntity; ///< of the lock, by the record: a thread
    std::int64_t m_deadline = -1;               ///< of its hold, ns; -1: none is known
    std::set<trace::EntityId> m_leaders;        ///< servers whose last role is that of a leader
    std::set<trace::EntityId> m_dead;           ///< servers that do not run
    std::map<std::uint64_t, Waiting> m_waiting; ///< by their numbers, in the order of the scenario
    std::uint64_t m_last = 0;
};

} // namespace lockscope::sim
