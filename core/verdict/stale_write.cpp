// SPDX-License-Identifier: Apache-2.0
#include "verdict/stale_write.h"

#include <algorithm>

namespace lockscope::verdict {

using trace::Belief;
using trace::EntityId;
using trace::EventKind;

void StaleWriteJudge::look(const Row& row, const trace::State& state) {
    const trace::Event& e = row.event;
    switch (e.kind) {
    case EventKind::Requested: {
        const auto belief = state.beliefs.find({e.subject, e.actor});
        if (belief != state.beliefs.end() && belief->second.phase == Belief::Phase::Holding) break;
        m_named.erase({e.subject, e.actor});
        if (const auto late = m_waiting.extract(Hold{e.subject, e.actor})) leaveUndecided(late.mapped());
        break;
    }
    case EventKind::RecordHeld:
        settleOrphan({e.subject, e.actor}, e.time());
        m_lost.erase(e.subject);
        [[fallthrough]];
    case EventKind::RecordHolder:
        recordNames({e.subject, e.actor});
        break;
    case EventKind::RecordRenewed: {
        const auto record = state.records.find(e.subject);
        recordNames({e.subject, record == state.records.end() ? e.actor : record->second.ownerOfRenewed(e)});
        break;
    }
    case EventKind::RecordFreed:
        m_recorded.insert(e.subject);
        settleGap(e.subject, e);
        m_lost.erase(e.subject);
        if (const auto record = state.records.find(e.subject);
            record != state.records.end() && record->second.owner == e.aux &&
            trace::FreedBy(e.flags & trace::kFreedByMask) == trace::FreedBy::NodeLoss)
            m_lost[e.subject] = {e.aux, record->second.deadline};
        break;
    case EventKind::RecordObserved:
        m_lost.erase(e.subject);
        if (const auto gap = m_inGap.find(e.subject); gap != m_inGap.end()) gap->second.gapEnded = e.time();
        break;
    case EventKind::WriteAccepted:
        judgeWrite(row, state);
        break;
    default:
        break;
    }
}

void StaleWriteJudge::recordNames(Hold hold) {
    m_recorded.insert(hold.first);
    m_named.insert(hold);
    m_waiting.erase(hold);
}

void StaleWriteJudge::settleOrphan(const Hold& hold, Nanos at) {
    const auto write = m_inGap.find(hold.first);
    if (write == m_inGap.end() || !write->second.orphaned) return;
    // The first word of the server that decides now: it has what the one before it had.
    if (write->second.gapEnded != at || write->second.owner != hold.second)
        leaveUndecided(std::min(at, write->second.gapEnded));
    m_inGap.erase(write);
}

void StaleWriteJudge::leaveUndecided(Nanos since) {
    m_undecidedSince = std::min(m_undecidedSince, since);
}

Nanos StaleWriteJudge::undecidedSince(bool finished) const {
    Nanos first = m_undecidedSince;
    for (const auto& [hold, at] : m_waiting)
        first = std::min(first, at);
    for (const auto& [lock, write] : m_inGap) {
        if (write.gapEnded == kNever && finished) first = std::min(first, write.at);
        if (write.gapEnded != kNever && write.orphaned) first = std::min(first, write.gapEnded);
    }
    return first;
}

void StaleWriteJudge::settleGap(trace::EntityId lock, const trace::Event& freed) {
    const auto write = m_inGap.extract(lock);
    if (write.empty()) return;
    const bool lost = trace::FreedBy(freed.flags & trace::kFreedByMask) == trace::FreedBy::NodeLoss;
    // The servers are back without the hold: when they lost it, nobody has seen.
    if (write.mapped().orphaned || (lost && write.mapped().gapEnded >= freed.time()))
        leaveUndecided(std::min(freed.time(), write.mapped().gapEnded));
}

void StaleWriteJudge::judgeUnobserved(const Row& row, trace::EntityId lock, const trace::State& state) {
    const trace::Event& e = row.event;
    if (e.value != 0) return; // says nothing about the record, but the resource goes by its token
    const auto record = state.records.find(lock);
    const auto lasts = [&](EntityId owner, std::int64_t deadline) {
        return owner == e.actor && (deadline < 0 || e.at <= deadline);
    };
    const bool named = record != state.records.end() && lasts(record->second.owner, record->second.deadline);
    const auto lost = m_lost.find(lock);
    const bool orphaned = !named && lost != m_lost.end() && lasts(lost->second.owner, lost->second.deadline);
    if ((!named && !orphaned) || row.trace.ofRealServers()) return leaveUndecided(e.time());
    WriteInAGap& write = m_inGap[lock];
    if (write.at != Nanos(0) && write.gapEnded == kNever) return; // the first one counts
    if (write.orphaned) leaveUndecided(write.gapEnded);
    write = {e.time(), kNever, orphaned, e.actor};
}

void StaleWriteJudge::judgeWrite(const Row& row, const trace::State& state) {
    const trace::Event& e = row.event;
    const trace::EntityId lock = row.trace.entity(e.subject).parent;
    Violation v = row.violation(Invariant::StaleWrite, lock, {e.actor});
    v.resource = e.subject;
    v.token = e.value;

    std::int64_t& newest = m_newest[e.subject];
    const bool overtaken = e.value > 0 && e.value < newest;
    if (overtaken) v.newerToken = newest;
    newest = std::max(newest, e.value);

    const auto record = state.records.find(lock);
    const bool observed = m_recorded.contains(lock) && record != state.records.end() && record->second.observed;
    if (observed && record->second.owner != e.actor && record->second.owner != trace::kNoEntity)
        v.actors.push_back(record->second.owner);
    if (overtaken) {
        m_ledger.add(v);
        return;
    }
    if (!observed) {
        judgeUnobserved(row, lock, state);
        return;
    }
    if (record->second.owner == e.actor) return;
    const auto writer = state.beliefs.find({lock, e.actor});
    if (writer != state.beliefs.end() && writer->second.phase == Belief::Phase::Holding &&
        writer->second.mode != trace::HoldMode::Exclusive) {
        const bool readers = writer->second.mode == trace::HoldMode::Shared && !record->second.holders.empty() &&
                             record->second.namesAllHolders();
        if (readers && record->second.names(e.actor)) return;
        // Else a record names one owner, and says nothing about the other shared holders; about a holder that it has
        // not named yet it may just be late.
        if (!readers || !m_named.contains({lock, e.actor})) {
            leaveUndecided(e.time());
            return;
        }
    }

    const auto holds = [&](trace::EntityId thread) {
        const auto belief = state.beliefs.find({lock, thread});
        return belief != state.beliefs.end() && belief->second.phase == Belief::Phase::Holding;
    };
    const bool watched = row.trace.ofRealServers();
    if (watched && holds(e.actor) && !m_named.contains({lock, e.actor}) && !holds(record->second.owner))
        m_waiting.try_emplace({lock, e.actor}, e.time());
    else
        m_ledger.add(v);
}

} // namespace lockscope::verdict
