// SPDX-License-Identifier: Apache-2.0
#include "verdict/ownership.h"

#include <algorithm>

namespace lockscope::verdict {

using trace::EventKind;
using trace::FreedBy;

void OwnershipJudge::look(const Row& row, const trace::State& state) {
    const trace::Event& e = row.event;
    // A holder without a name may be anybody, the one that acts included.
    const auto isKnown = [&](trace::EntityId id) {
        return id != trace::kNoEntity && !row.trace.entity(row.trace.clientOf(id)).name.isEmpty();
    };
    const auto differ = [&](trace::EntityId a, trace::EntityId b) {
        return isKnown(a) && isKnown(b) && row.trace.clientOf(a) != row.trace.clientOf(b);
    };
    switch (e.kind) {
    case EventKind::RecordHeld:
        m_sawRecord = true;
        break;
    case EventKind::RecordUnobserved:
        // In a simulation it is unobserved only while the servers that decide are down: nobody can free it there.
        if (row.trace.ofRealServers()) m_gapSince = std::min(m_gapSince, e.time());
        break;
    case EventKind::RecordRenewed: {
        m_sawRecord = true;
        const auto record = state.records.find(e.subject);
        // If several may hold the lock, each newcomer prolongs it: the record's owner is only one of the holders.
        const bool alone = record != state.records.end() && record->second.mode == trace::HoldMode::Exclusive;
        if (alone && record->second.observed && differ(e.actor, record->second.owner))
            m_ledger.add(row.violation(Invariant::Ownership, e.subject, {e.actor, record->second.owner}));
        break;
    }
    case EventKind::RecordHolderGone:
    case EventKind::RecordFreed: {
        m_sawRecord = true;
        const auto why = static_cast<FreedBy>(e.flags & trace::kFreedByMask);
        if (!differ(e.actor, e.aux)) break;
        const auto record = state.records.find(e.subject);
        // If several hold the lock, the owner is judged as if it were the only one.
        if (e.kind == EventKind::RecordHolderGone && (record == state.records.end() || record->second.owner != e.aux))
            break;
        const std::int64_t deadline = record == state.records.end() ? -1 : record->second.deadline;
        const bool over = deadline >= 0 && deadline <= e.at;
        if (why == FreedBy::Release || (why == FreedBy::Overwrite && !over))
            m_ledger.add(row.violation(Invariant::Ownership, e.subject, {e.actor, e.aux}));
        break;
    }
    default:
        break;
    }
}

} // namespace lockscope::verdict
