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
        /// Whether a client goes by this name ("A"), or has this role of that lock ("holder", "waiter"), now.
        std::function<bool(trace::EntityId client, const QString& name, const QByteArray& lock)> is;
        /// The fault has its time now (Fault::at), and its target's name where that was "same".
        std::function<void(const scenario::Fault&)> due;
    };
    struct Lock {
        QByteArray name;
        trace::EntityId entity;
    };
    /// Everything outlives it. `locks`: all that conditions may name; the first one is meant by those that name none.
    Conditions(Surroundings surroundings, const std::vector<Lock>& locks);
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
        trace::EntityId lock = trace::kNoEntity; ///< whose record it looks at
        int seen = 0;                            ///< how often its condition was true
        VirtualScheduler::TimerId leaseTimer = 0;
    };
    /// A lock by its record.
    struct Hold {
        QByteArray lock;
        trace::EntityId owner = trace::kNoEntity; ///< a thread
        std::int64_t deadline = -1;               ///< ns; -1: none is known
    };
    /// The first one for an empty name.
    trace::EntityId lockNamed(const QString& name) const;
    bool mayBe(const Waiting& waiting, trace::EntityId client) const;
    /// The client or the server that a row is about, if the row makes the condition true; else kNoEntity.
    trace::EntityId foundBy(const Waiting& waiting, const trace::Event& event) const;
    /// The condition was true once more. True: the fault strikes, and waits no longer.
    bool counted(Waiting& waiting, trace::EntityId found);
    /// Takes in a role, a death or a start.
    void followLeader(const trace::Event& event);
    /// The living server of that name that leads now, by its own word; else kNoEntity.
    trace::EntityId leaderNamed(const QString& server) const;
    void watchLease(Hold& hold, const trace::Event& event);
    /// Sets the timer of a fault that waits for a lease to run down.
    void aim(std::uint64_t number, Waiting& waiting);
    void leaseRanDown(std::uint64_t number);

    Surroundings m_around;
    std::map<trace::EntityId, Hold> m_holds;    ///< of all locks
    trace::EntityId m_first;                    ///< of them
    std::set<trace::EntityId> m_leaders;        ///< servers whose last role is that of a leader
    std::set<trace::EntityId> m_dead;           ///< servers that do not run
    std::map<std::uint64_t, Waiting> m_waiting; ///< by their numbers, in the order of the scenario
    std::uint64_t m_last = 0;
};

} // namespace lockscope::sim
