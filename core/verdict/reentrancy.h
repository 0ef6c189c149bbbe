// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"
#include "verdict/ledger.h"

#include <map>
#include <set>

namespace lockscope::verdict {

/// Hold counts, the client's and the server's, rise and fall by one, and the lock is free at zero.
///
/// A server watched from outside is seen at intervals, so its count may seem to jump: a jump is a violation only where
/// the owner is a client that we see too, and its own count says something else.
class ReentrancyJudge {
public:
    explicit ReentrancyJudge(Ledger& ledger) : m_ledger(ledger) {}

    /// A row, before it is folded into `state`.
    void look(const Row& row, const trace::State& state);

private:
    bool beliefIsFine(const trace::Event& e, const trace::State& state) const;
    bool recordIsFine(const trace::Event& e, const trace::State& state) const;
    Ledger& m_ledger;
    /// (lock, thread) that sent a release at a count of one: nothing may be left of their holds.
    std::set<std::pair<trace::EntityId, trace::EntityId>> m_letGo;
    std::map<trace::EntityId, std::int64_t> m_decided; ///< when another server began to decide, by lock
};

} // namespace lockscope::verdict
