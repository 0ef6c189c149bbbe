// SPDX-License-Identifier: Apache-2.0
#include "verdict/deadlock.h"
#include "verdict/fifo.h"
#include "verdict/ledger.h"
#include "verdict/mutual_exclusion.h"
#include "verdict/ownership.h"
#include "verdict/progress.h"
#include "verdict/reentrancy.h"
#include "verdict/stale_write.h"
#include "verdict/starvation.h"
#include "verdict/token_order.h"

#include <algorithm>

namespace lockscope::verdict {

using trace::Belief;
using trace::EntityId;
using trace::Event;
using trace::EventKind;
using trace::State;

namespace {

bool endsRequest(EventKind kind) {
    return kind == EventKind::Granted || kind == EventKind::Reentered || kind == EventKind::TimedOut ||
           kind == EventKind::Interrupted || kind == EventKind::AcquireFailed;
}

} // namespace

/// Walks the trace once with the state beside it, and tells each invariant's judge what it asks for.
struct Judge::Impl {
    Impl(std::shared_ptr<const trace::Trace> t, const Bounds& b)
        : trace(std::move(t)), progress(ledger, b), fifo(ledger, b), starvation(b), bounds(b) {}

    void take(std::size_t number) {
        const Event event = trace->at(number);
        timeComesTo(event.time(), number);
        if (isMessage(event.kind)) { // most rows are, and no invariant is about them
            state.apply(event, *trace);
            return;
        }
        const Row row{event, number, *trace};
        if (isRecord(event.kind) && trace->copyOf(event.subject) != trace::kNoEntity) {
            // Invariants are about the lock; one server's copy of it is only a means.
            state.apply(event, *trace);
            sawRecord = true;
            return;
        }
        staleWrite.look(row, state);
        ownership.look(row, state);
        reentrancy.look(row, state);
        if (isBelief(event.kind))
            takeBelief(row);
        else if (event.kind == EventKind::ClientKilled)
            takeDeath(row);
        else
            takeOther(row);
        progress.look(row, state);
        sawBelief |= isBelief(event.kind);
        sawRecord |= isRecord(event.kind);
        sawEffect |= isEffect(event.kind);
    }

    void takeBelief(const Row& row) {
        const Event& e = row.event;
        if (e.kind == EventKind::LockCapacity) {
            state.apply(e, *trace);
            mutualExclusion.hasCapacity(e.subject, e.value);
            return;
        }
        const Belief& belief = state.beliefs[{e.subject, e.actor}]; // map references stay good
        const auto before = MutualExclusionJudge::Hold::of(belief);
        const Belief::Phase phase = belief.phase;
        state.apply(e, *trace);
        const auto after = MutualExclusionJudge::Hold::of(belief);
        const bool asks = e.kind == EventKind::Requested && belief.phase == Belief::Phase::Waiting;
        if (before != after) mutualExclusion.changed(e.subject, e.actor, after, e.time(), row.number);
        if (asks) tokenOrder.asked(row);
        if (!before.holding && after.holding) tokenOrder.granted(row, belief);
        if (asks || phase != belief.phase || before.mode != after.mode)
            starvation.changed(e.subject, e.actor, belief, e.time());
        if (bounds.fair && (asks || phase != belief.phase)) fifo.changed(row, belief);
        if (asks || phase != belief.phase || before.mode != after.mode)
            deadlock.changed(e.subject, e.actor, belief, e.value == 0 && asks, e.time(), row.number);
        const bool held = phase == Belief::Phase::Holding;
        if (held && e.kind == EventKind::Requested && e.value != 0 && !bounds.reentrant)
            deadlock.asksAgain(e.subject, e.actor, e.time(), row.number);
        else if (held && endsRequest(e.kind))
            deadlock.answered(e.subject, e.actor, e.time());
        if (e.kind == EventKind::Suspended) clientAway(trace->clientOf(e.actor), row);
    }

    void takeDeath(const Row& row) {
        ended.clear();
        state.apply(row.event, *trace, &ended);
        fifo.gone(row.event.actor, *trace);
        for (const auto& [at, lock, thread] : ended)
            beliefEnded(lock, thread, Nanos(at), row.number);
    }

    /// A client that was away for a while lost its place in queues, and learns late of its grants.
    void takeOther(const Row& row) {
        const Event& e = row.event;
        state.apply(e, *trace);
        switch (e.kind) {
        case EventKind::ClientPaused:
        case EventKind::ClientResumed:
        case EventKind::ConnectionLost:
        case EventKind::ConnectionRestored:
            clientAway(e.actor, row);
            break;
        case EventKind::SessionChanged:
            // A session with the service as a whole begins by the client's own doing; it was not away.
            if (e.subject != trace::kNoEntity || trace::SessionPhase(e.value) != trace::SessionPhase::Connected)
                clientAway(e.actor, row);
            break;
        case EventKind::LinkDelayed:
            fifo.delayed(row);
            [[fallthrough]];
        case EventKind::LinkCut:
        case EventKind::LinkMended:
        case EventKind::ReplyLossArmed:
        case EventKind::PushLossArmed:
        case EventKind::RepeatArmed:
            clientAway(trace->entity(e.subject).parent, row);
            break;
        case EventKind::NodeStarted:
        case EventKind::NodePaused:
        case EventKind::NodeResumed:
        case EventKind::NodeKilled:
        case EventKind::NodeRole:
            fifo.nodeAway(e.actor, row);
            break;
        case EventKind::ClockJumped:
        case EventKind::Healed:
            fifo.allAway(row);
            break;
        case EventKind::SettingChanged:
            if (e.actor != trace::kNoEntity) fifo.allAway(row); // done to one server or client: it lost data, or drifts
            if (bounds.follow && e.aux != trace::kNoEntity) settingChanged(trace->entity(e.aux).name);
            break;
        default:
            break;
        }
    }

    void settingChanged(const QByteArray& change) {
        const bool wasFair = bounds.fair;
        bounds.follow(bounds, change);
        progress.setBounds(bounds);
        starvation.setBounds(bounds);
        if (bounds.fair != wasFair) fifo.forget(); // an order is promised to clients that ask from now on
    }

    void clientAway(EntityId client, const Row& row) {
        fifo.away(client, row);
        tokenOrder.away(client, row, state);
        starvation.away(client, row.event.time(), *trace);
    }

    void beliefEnded(EntityId lock, EntityId thread, Nanos at, std::size_t row) {
        mutualExclusion.changed(lock, thread, {}, at, row);
        deadlock.changed(lock, thread, {}, false, at, row);
        starvation.ended(lock, thread, at);
    }

    /// `row`: the first row not taken in yet.
    void timeComesTo(Nanos t, std::size_t row) {
        if (state.nextDeadline() <= t.count()) {
            ended.clear();
            state.passTime(t.count(), &ended);
            std::ranges::sort(ended);
            for (const auto& [at, lock, thread] : ended) {
                beliefEnded(lock, thread, Nanos(at), row);
                progress.deadlinePassed(lock, Nanos(at), *trace, state);
            }
        }
        if (t <= now) return;
        now = t;
        mutualExclusion.timePassed(now);
        deadlock.timePassed(now);
        progress.timePassed(now, row, *trace, state);
    }

    Outcome outcome(Invariant invariant, bool finished) const {
        for (const Violation& v : ledger.all())
            if (v.invariant == invariant) return Outcome::Violated;
        return unknownSince(invariant, finished) == kNever ? Outcome::Holds : Outcome::Unknown;
    }

    Nanos unknownSince(Invariant invariant, bool finished) const {
        // A simulation leaves nothing out: a kind of rows that has not come yet is one of which nothing happened. A
        // whole run in which nobody asked for a lock says nothing of it.
        const bool any = sawBelief || sawRecord || sawEffect;
        const bool all = state.rows > 0 && !trace->ofRealServers() && (any || !finished);
        const auto unless = [all](bool seen) { return seen || all ? kNever : 0ns; };
        switch (invariant) {
        case Invariant::MutualExclusion:
            return unless(sawBelief);
        case Invariant::Progress:
            return std::min(unless(sawBelief), progress.undecidedSince());
        case Invariant::StaleWrite:
            return std::min(unless(sawBelief || sawEffect), staleWrite.undecidedSince(finished));
        case Invariant::Ownership:
            return std::min(unless(ownership.sawRecord() || (sawBelief && !bounds.recorded)), ownership.gapSince());
        case Invariant::Reentrancy:
        case Invariant::Fifo:
        case Invariant::TokenOrder:
        case Invariant::NoDeadlock:
            break;
        }
        return unless(sawBelief || sawRecord);
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
    FifoJudge fifo;
    StarvationJudge starvation;
    TokenOrderJudge tokenOrder{ledger};
    DeadlockJudge deadlock{ledger};
    Bounds bounds; ///< as they are now
    bool sawBelief = false, sawRecord = false, sawEffect = false;
    std::vector<State::Ended> ended; ///< kept for its room
};

Judge::Judge(std::shared_ptr<const trace::Trace> trace, Bounds bounds)
    : m_impl(std::make_unique<Impl>(std::move(trace), std::move(bounds))) {
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
    v.starved = m_impl->starvation.all();
    const std::vector<Violation> pending = finished ? std::vector<Violation>() : m_impl->mutualExclusion.pending();
    v.violations.insert(v.violations.end(), pending.begin(), pending.end());
    std::ranges::stable_sort(v.violations, {},
                             [](const Violation& x) { return std::tuple(x.from, x.invariant, x.lock); });
    if (finished)
        for (Violation& violation : v.violations)
            violation.to = std::min(violation.to, v.reached);
    for (Starved& one : v.starved)
        if (finished) one.to = std::min(one.to, v.reached);
    for (const Invariant i : kInvariants) {
        v.outcomes[static_cast<std::size_t>(i)] = m_impl->outcome(i, finished);
        v.unknownSince[static_cast<std::size_t>(i)] = m_impl->unknownSince(i, finished);
    }
    if (!pending.empty()) v.outcomes[static_cast<std::size_t>(Invariant::MutualExclusion)] = Outcome::Violated;
    return v;
}

std::size_t Judge::begun() const {
    return m_impl->ledger.all().size();
}

} // namespace lockscope::verdict
