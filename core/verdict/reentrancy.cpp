// SPDX-License-Identifier: Apache-2.0
#include "verdict/reentrancy.h"

#include "trace/part_release.h"

namespace lockscope::verdict {

using trace::Belief;
using trace::Event;
using trace::EventKind;
using trace::State;

namespace {

const Belief* beliefOf(const State& state, trace::EntityId lock, trace::EntityId thread) {
    const auto found = state.beliefs.find({lock, thread});
    return found == state.beliefs.end() ? nullptr : &found->second;
}

const trace::Record* recordOf(const State& state, trace::EntityId lock) {
    const auto found = state.records.find(lock);
    return found == state.records.end() ? nullptr : &found->second;
}

/// The owner of the hold that a row of the record is about. `record`: as it was before the row.
trace::EntityId ownerIn(const Event& e, const trace::Record* record) {
    if (e.kind == EventKind::RecordFreed) return e.aux;
    return e.kind == EventKind::RecordRenewed && record ? record->ownerOfRenewed(e) : e.actor;
}

} // namespace

void ReentrancyJudge::look(const Row& row, const State& state) {
    const Event& e = row.event;
    bool fine = true;
    switch (e.kind) {
    case EventKind::Requested:
        m_letGo.erase({e.subject, e.actor});
        break;
    case EventKind::ReleaseSent:
        if (const Belief* b = beliefOf(state, e.subject, e.actor);
            b && b->phase == Belief::Phase::Holding && b->holds <= 1 && !trace::givesBackPart(e))
            m_letGo.insert({e.subject, e.actor});
        break;
    case EventKind::RecordDecider:
        m_decided[e.subject] = e.at;
        break;
    case EventKind::Granted:
    case EventKind::Reentered:
    case EventKind::Released:
        fine = beliefIsFine(e, state);
        break;
    case EventKind::RecordHeld:
    case EventKind::RecordRenewed:
    case EventKind::RecordFreed:
        fine = recordIsFine(e, state);
        break;
    default:
        break;
    }
    if (fine) return;
    const trace::EntityId thread = isRecord(e.kind) ? ownerIn(e, recordOf(state, e.subject)) : e.actor;
    m_ledger.add(row.violation(Invariant::Reentrancy, e.subject, {thread}));
}

bool ReentrancyJudge::beliefIsFine(const Event& e, const State& state) const {
    const Belief* belief = beliefOf(state, e.subject, e.actor);
    const bool holding = belief && belief->phase == Belief::Phase::Holding;
    if (e.kind == EventKind::Released) {
        if (holding) return e.aux + 1 == belief->holds;
        return e.aux == 0 || !m_letGo.contains({e.subject, e.actor});
    }
    if (holding) return e.aux == 0 || e.aux == belief->holds + 1;
    // A thread that gave up a hold and could not tell the server finds it still there: the server counts on from it.
    const trace::Record* record = recordOf(state, e.subject);
    return e.aux <= 1 || (record && record->observed && record->owner == e.actor && record->holds == e.aux);
}

bool ReentrancyJudge::recordIsFine(const Event& e, const State& state) const {
    const trace::Record* record = recordOf(state, e.subject);
    const trace::EntityId owner = ownerIn(e, record);
    const Belief* belief = beliefOf(state, e.subject, owner);
    if (!belief) return true; // nobody that we see
    // The copy of another server, which decides from now on: nobody counted anything.
    const auto decided = m_decided.find(e.subject);
    if (e.kind == EventKind::RecordHeld && decided != m_decided.end() && decided->second == e.at) return true;
    const bool freed = e.kind == EventKind::RecordFreed;
    const trace::HoldMode mode =
        freed ? (record ? record->mode : trace::HoldMode::Exclusive) : trace::holdMode(e.flags);
    if (mode == trace::HoldMode::Permit) return true; // several are taken at once
    std::uint32_t before =
        record && record->owner == owner && record->observed && e.kind != EventKind::RecordHeld ? record->holds : 0;
    // One of several holders becomes the named owner: it counts on from what it had.
    if (e.kind == EventKind::RecordHeld && record && record->observed)
        for (const trace::Holder& holder : record->holders)
            if (holder.thread == owner) before = holder.holds;
    if (freed) {
        const auto why = static_cast<trace::FreedBy>(e.flags & trace::kFreedByMask);
        if (why != trace::FreedBy::Release || e.actor != owner) return true; // a lease ends whatever the count is
        return before <= 1 || belief->holds <= 1;
    }
    if (before == 0 && e.kind == EventKind::RecordRenewed) return true; // first seen in the middle
    const std::int64_t step = std::int64_t(e.aux) - std::int64_t(before);
    return (step >= -1 && step <= 1 && e.aux > 0) || e.aux == 0 || e.aux == belief->holds;
}

} // namespace lockscope::verdict
