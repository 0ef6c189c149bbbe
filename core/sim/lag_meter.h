// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/server.h"

namespace lockscope::sim {

/// Writes how far a replica is behind its master: how old its master's effects are when they arrive, or, when nothing
/// arrives for longer than that, how old the oldest one is that has not. Rate-limited: a steady lag is told once.
class LagMeter {
public:
    /// `replica`: the node that follows.
    LagMeter(Grounds grounds, trace::EntityId replica) : m_grounds(grounds), m_replica(replica) {}

    /// An effect has arrived, `age` after the master had it.
    void arrived(trace::EntityId master, Nanos age);
    /// An effect has not arrived yet that the master has had for `age`.
    void waits(trace::EntityId master, Nanos age);
    /// The next measurement is told in any case: the link is another one.
    void forget() { m_told = Nanos(-1); }

private:
    void tell(trace::EntityId master, Nanos age);

    Grounds m_grounds;
    trace::EntityId m_replica;
    Nanos m_told{-1}; ///< -1: nothing
    Nanos m_toldAt{};
};

} // namespace lockscope::sim
