// SPDX-License-Identifier: Apache-2.0
#include "verdict/ledger.h"
#include "verdict/mutual_exclusion.h"
#include "verdict/ownership.h"
#include "verdict/progress.h"
#include "verdict/reentrancy.h"
#include "verdict/stale_write.h"

#include <algorithm>

namespace lockscope::verdict {

using trace::Belief;
using trace::EntityId;
using trace::Event;
using trace::EventKind;
using trace::State;

/// Walks the trace once with the state beside it, and tells each invariant's judge what it asks for.
struct Judge::Impl {
    Impl(std::shared_ptr<const trace::Trace> t, Bounds bounds)
        : trace(std::move(t)), progress(ledger, bounds.progress) {}

    void take(std::size_t number) {
        const Event event = trace->at(number);
        timeComesTo(event.time(), number);
        const Row row{event, number, *trace};
        staleWrite.look(row, state);
        ownership.look(row, state);
        reentrancy.look(row, state);
        if (isBelief(event.kind))
            takeBelief(row);
        else if (event.kind == EventKind::ClientKilled)
            takeDeath(row);
        else
            state.apply(event, *trace);
        progress.look(row, state);
        sawBelief |= isBelief(event.kind);
        sawRecord |= isRecord(event.kind);
        sawEffect |= isEffect(event.kind);
    }

    void takeBelief(const Row& row) {
        const Belief& belief = state.beliefs[{row.event.subject, row.event.actor}]; // map references stay good
        const bool before = belief.phase == Belief::Phase::Holding;
        state.apply(row.event, *trace);
        const bool after = belief.phase == Belief::Phase::Holding;
        if (!before && after)
            mutualExclusion.began(row.event.subject, row.event.actor, row.event.time(), row.number);
        else if (before && !after)
            mutualExclusion.ended(row.event.subject, row.event.actor, row.event.time());
    }

    void takeDeath(const Row& row) {
        std::vector<std::pair<EntityId, EntityId>> held;
        for (const auto& [key, belief] : state.beliefs)
            if (belief.phase == Belief::Phase::Holding && trace->clientOf(key.second) == row.event.actor)
                held.push_back(key);
        state.apply(row.event, *trace);
        for (const auto& [lock, thread] : held)
            mutualExclusion.ended(lock, thread, row.event.time());
    }

    /// `row`: the first row not taken in yet.
    void timeComesTo(Nanos t, std::size_t row) {
        if (state.nextDeadline() <= t.count()) {
            deadlines.clear();
            state.passTime(t.count(), &deadlines);
            std::ranges::sort(deadlines);
            for (const auto& [at, lock, thread] : deadlines) {
                mutualExclusion.ended(lock, thread, Nanos(at));
                progress.deadlinePassed(lock, Nanos(at), *trace, state);
            }
        }
        if (t <= now) return;
        now = t;
        mutualExclusion.timePassed(now);
        progress.timePassed(now, row, *trace, state);
    }

    Outcome outcome(Invariant invariant) const {
        for (const Violation& v : ledger.all())
            if (v.invariant == invariant) return Outcome::Violated;
        bool known = true;
        switch (invariant) {
        case Invariant::MutualExclusion:
        case Invariant::Progress:
            known = sawBelief;
            break;
        case Invariant::StaleWrite:
            known = (sawBelief || sawEffect) && !staleWrite.undecided();
            break;
        case Invariant::Ownership:
            known = ownership.sawRecord() && !ownership.sawGap();
            break;
        case Invariant::Reentrancy:
            known = sawBelief || sawRecord;
            break;
        }
        return known ? Outcome::Holds : Outcome::Unknown;
    }

    std::shared_ptr<const trace::Trace> trace;
    State state;
    Nanos now{-1};
    Ledger ledger;
    MutualExclusionJudge mutualExclusion{ledger};
    StaleWriteJudge staleWrite{ledger};
    OwnershipJudge ownership{ledger};
    ProgressJudge progress;
    ReentrancyJudge reentrancy{ledger};
    bool sawBelief = false, sawRecord = false, sawEffect = false;
    std::vector<State::Ended> deadlines;
};

Judge::Judge(std::shared_ptr<const trace::Trace> trace, Bounds bounds)
    : m_impl(std::make_unique<Impl>(std::move(trace), bounds)) {
}
Judge::~Judge() = default;
Judge::Judge(Judge&&) noexcept = default;

void Judge::consume(std::size_t upTo) {
    const trace::Trace& trace = *m_impl->trace;
    // The time first, then the size: rows before that time are all there.
    const Nanos reached = trace.reached();
    const std::size_t size = trace.size(), rows = std::min(size, upTo);
    while (m_impl->state.rows < rows)
        m_impl->take(m_impl->state.rows);
    if (rows == size) m_impl->timeComesTo(reached, rows);
}

Verdict Judge::verdict(bool finished) const {
    Verdict v;
    v.rows = m_impl->state.rows;
    v.reached = std::max(m_impl->now, 0ns);
    v.violations = m_impl->ledger.all();
    std::ranges::stable_sort(v.violations, {},
                             [](const Violation& x) { return std::tuple(x.from, x.invariant, x.lock); });
    if (finished)
        for (Violation& violation : v.violations)
            violation.to = std::min(violation.to, v.reached);
    for (const Invariant i : kInvariants)
        v.outcomes[static_cast<std::size_t>(i)] = m_impl->outcome(i);
    return v;
}

std::size_t Judge::begun() const {
    return m_impl->ledger.all().size();
}

} // namespace lockscope::verdict
