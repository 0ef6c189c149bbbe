// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/verdict.h"

namespace lockscope::verdict {

/// The violations found so far, in the order in which they were found.
class Ledger {
public:
    /// Files a violation; its number lets an open one (to = kNever) be closed later.
    std::size_t add(Violation violation) {
        m_violations.push_back(std::move(violation));
        return m_violations.size() - 1;
    }
    Violation& at(std::size_t number) { return m_violations[number]; }
    const std::vector<Violation>& all() const { return m_violations; }

private:
    std::vector<Violation> m_violations;
};

/// One row as the judges see it: the row, its number, and the state before it.
struct Row {
    const trace::Event& event;
    std::size_t number;
    const trace::Trace& trace;

    Violation violation(Invariant invariant, trace::EntityId lock, std::vector<trace::EntityId> actors) const {
        Violation v;
        v.invariant = invariant;
        v.lock = lock;
        v.from = v.to = event.time();
        v.actors = std::move(actors);
        v.row = number;
        return v;
    }
};

} // namespace lockscope::verdict
