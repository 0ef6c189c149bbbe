// SPDX-License-Identifier: Apache-2.0
#include "trace/state.h"

#include <algorithm>

namespace lockscope::trace {

/// A watcher of a real server may see a grant later than the client that got it: then it is counted already.
void State::numberGrant(Record& record, const Event& event) {
    const bool joins = event.kind == EventKind::RecordHolder;
    // One of several that becomes the owner was counted when it came.
    if (record.names(event.actor) && (joins || record.owner != event.actor)) return;
    const auto believer = beliefs.find({event.subject, event.actor});
    const bool believes = believer != beliefs.end() && believer->second.phase == Belief::Phase::Holding;
    const std::uint32_t known = believes ? believer->second.grant : 0;
    const bool counted = believes && record.owner != event.actor && (joins ? known != 0 : known == record.grants);
    if (!counted) ++record.grants;
    if (believer != beliefs.end() && !believes) believer->second.grant = record.grants;
}

void State::hold(Record& record, const Event& event) {
    numberGrant(record, event);
    record.seen = true;
    record.owner = event.actor;
    record.holds = std::max<std::uint32_t>(event.aux, 1);
    record.since = record.leaseFrom = event.at;
    record.deadline = event.value;
    record.mode = holdMode(event.flags);
}

void State::applyRecord(const Event& event, const Trace& trace) {
    const auto [found, isNew] = records.try_emplace(event.subject);
    Record& record = found->second;
    if (isNew) record.copyOf = trace.copyOf(event.subject);
    const std::size_t named = record.holders.size() + record.queue.size();
    switch (event.kind) {
    case EventKind::RecordHeld:
        hold(record, event);
        break;
    case EventKind::RecordHolder:
        numberGrant(record, event);
        applyDetail(record, event);
        break;
    case EventKind::RecordRenewed:
        if (record.deadline != event.value) record.leaseFrom = event.at;
        record.deadline = event.value;
        record.holds = std::max<std::uint32_t>(event.aux, 1);
        record.mode = holdMode(event.flags);
        record.seen = true;
        if (record.owner == kNoEntity) record.owner = event.actor; // the trace began while it was held
        break;
    case EventKind::RecordDeadline: // the lease is as old as it was
        record.deadline = event.value;
        record.seen = true;
        if (record.owner == kNoEntity) record.owner = event.actor; // the trace began while it was held
        break;
    case EventKind::RecordFreed:
        record.seen = true;
        record.owner = kNoEntity;
        record.holds = 0;
        record.since = record.leaseFrom = event.at;
        record.deadline = -1;
        record.mode = HoldMode::Exclusive;
        record.holders.clear();
        record.holdersInAll = -1;
        if ((event.flags & kFreedByMask) == unsigned(FreedBy::NodeLoss)) {
            record.content = kNoEntity; // gone with the server, and nobody has looked since
            record.contentAt = -1;
        }
        break;
    case EventKind::RecordWaiters:
        record.waiters = event.value;
        break;
    case EventKind::RecordToken:
        record.token = event.value;
        break;
    case EventKind::RecordCertainty:
        record.certainty = static_cast<Certainty>(event.value);
        break;
    case EventKind::RecordUnobserved:
        record.observed = false;
        break;
    case EventKind::RecordObserved:
        record.observed = true;
        break;
    default:
        applyDetail(record, event);
        break;
    }
    m_named += record.holders.size() + record.queue.size() - named;
}

} // namespace lockscope::trace
