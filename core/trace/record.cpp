// SPDX-License-Identifier: Apache-2.0
#include "trace/record.h"

#include "trace/belief.h"

#include <algorithm>

namespace lockscope::trace {

namespace {

void putHolder(Record& record, const Event& event) {
    const HoldMode mode = holdMode(event.flags);
    auto known = std::ranges::find_if(record.holders,
                                      [&](const Holder& h) { return h.thread == event.actor && h.mode == mode; });
    if (known == record.holders.end()) {
        record.holders.push_back({.thread = event.actor, .since = event.at, .mode = mode});
        known = std::prev(record.holders.end());
    }
    known->holds = std::max<std::uint32_t>(event.aux, 1);
    known->deadline = event.value;
    record.seen = true;
    if (record.owner != kNoEntity) return;
    // The trace began while it was held.
    record.owner = event.actor;
    record.holds = known->holds;
    record.since = record.leaseFrom = event.at;
    record.deadline = event.value;
    record.mode = mode;
}

void putWaiter(Record& record, const Event& event) {
    QueuedWaiter waiter{.thread = event.actor,
                        .since = event.at,
                        .mode = holdMode(event.flags),
                        .dead = (event.flags & kQueuedDead) != 0};
    const auto known = std::ranges::find(record.queue, event.actor, &QueuedWaiter::thread);
    if (known != record.queue.end()) {
        waiter.since = known->since;
        waiter.toldSince = known->toldSince;
        record.queue.erase(known);
    }
    const auto place =
        std::min<std::int64_t>(std::max<std::int64_t>(event.value, 0), std::int64_t(record.queue.size()));
    record.queue.insert(record.queue.begin() + place, waiter);
}

/// The server's own word on since when a holder holds, or a waiter waits.
void putSince(Record& record, const Event& event) {
    if (event.flags & kSinceWaits) {
        const auto waiter = std::ranges::find(record.queue, event.actor, &QueuedWaiter::thread);
        if (waiter != record.queue.end()) waiter->toldSince = event.value;
        return;
    }
    for (Holder& holder : record.holders)
        if (holder.thread == event.actor) holder.toldSince = event.value;
    if (record.owner == event.actor) record.toldSince = event.value;
}

/// Changes what a record says of several holders, queue, content, format and permits.
void applyDetail(Record& record, const Event& event) {
    switch (event.kind) {
    case EventKind::RecordHolder:
        putHolder(record, event);
        break;
    case EventKind::RecordHolderGone:
        std::erase_if(record.holders, [mode = goneMode(event.flags), &event](const Holder& h) {
            return h.thread == event.aux && h.mode == mode;
        });
        break;
    case EventKind::RecordQueued:
        putWaiter(record, event);
        break;
    case EventKind::RecordUnqueued:
        std::erase_if(record.queue, [&event](const QueuedWaiter& w) { return w.thread == event.actor; });
        break;
    case EventKind::RecordSince:
        putSince(record, event);
        break;
    case EventKind::RecordContent:
        record.content = event.aux;
        record.contentAt = event.at;
        break;
    case EventKind::RecordFormat:
        record.format = event.aux;
        break;
    case EventKind::RecordHolders:
        record.holdersInAll = event.value;
        break;
    case EventKind::RecordPermits:
        record.permitsFree = event.value;
        record.permitsInAll = event.aux;
        break;
    case EventKind::RecordDecider:
        record.decider = event.actor;
        record.deciders = event.value;
        break;
    default:
        break;
    }
}

/// A watcher of a real server may see a grant later than the client that got it: then it is counted already.
void numberGrant(Record& record, const Event& event, Belief* believer) {
    const bool joins = event.kind == EventKind::RecordHolder;
    // One of several that becomes the owner was counted when it came.
    if (record.names(event.actor) && (joins || record.owner != event.actor)) return;
    // A client that does not even ask gets nothing: an old entry of its own has come back with another server.
    if (believer && believer->phase == Belief::Phase::Idle) return;
    const bool believes = believer && believer->holding();
    const std::uint32_t known = believes ? believer->grant : 0;
    const bool counted = believes && record.owner != event.actor && (joins ? known != 0 : known == record.grants);
    if (!counted) ++record.grants;
    if (believer && !believes) believer->grant = record.grants;
}

/// Whether a renewal left the deadline where it was. A holder that only asked about its hold, of a server whose clock
/// is a little apart, has renewed nothing: a renewal moves the deadline by as much as has passed.
bool isSameEnd(const Record& record, const Event& renewed) {
    constexpr std::int64_t kClocksApart = Nanos(std::chrono::milliseconds(2)).count();
    if (record.deadline == renewed.value) return true;
    if (record.deadline < 0 || renewed.value < 0) return false;
    const std::int64_t moved = std::abs(renewed.value - record.deadline);
    return moved < kClocksApart && 2 * moved < renewed.at - record.leaseFrom;
}

void hold(Record& record, const Event& event, Belief* believer) {
    numberGrant(record, event, believer);
    record.seen = true;
    record.owner = event.actor;
    const auto named = std::ranges::find(record.holders, event.actor, &Holder::thread);
    record.toldSince = named == record.holders.end() ? kSinceNotTold : named->toldSince;
    record.holds = std::max<std::uint32_t>(event.aux, 1);
    record.since = record.leaseFrom = event.at;
    record.deadline = event.value;
    record.mode = holdMode(event.flags);
}

} // namespace

std::vector<Holder> Record::allHolders() const {
    if (!holders.empty() || owner == kNoEntity) return holders;
    return {{owner, holds, since, deadline, mode, toldSince}};
}

std::int64_t Record::holderCount() const {
    if (owner == kNoEntity) return 0;
    return std::max<std::int64_t>({holdersInAll, std::int64_t(holders.size()), 1});
}

bool Record::namesAllHolders() const {
    return owner == kNoEntity || holderCount() <= std::max<std::int64_t>(std::int64_t(holders.size()), 1);
}

bool Record::names(EntityId thread) const {
    if (thread == kNoEntity) return false;
    return owner == thread || std::ranges::find(holders, thread, &Holder::thread) != holders.end();
}

void applyRecord(Record& record, const Event& event, Belief* believer) {
    switch (event.kind) {
    case EventKind::RecordHeld:
        hold(record, event, believer);
        break;
    case EventKind::RecordHolder:
        numberGrant(record, event, believer);
        applyDetail(record, event);
        break;
    case EventKind::RecordRenewed:
        if (!isSameEnd(record, event)) record.leaseFrom = event.at;
        record.deadline = event.value;
        record.holds = std::max<std::uint32_t>(event.aux, 1);
        record.mode = holdMode(event.flags);
        record.seen = true;
        if (record.owner == kNoEntity) record.owner = event.actor; // the trace began while it was held
        break;
    case EventKind::RecordDeadline: // the lease is as old as it was, unless it was given more than it had
        if (event.value >= 0 && record.deadline >= 0 && event.value - event.at > record.deadline - record.leaseFrom)
            record.leaseFrom = event.at;
        record.deadline = event.value;
        record.seen = true;
        if (record.owner == kNoEntity) record.owner = event.actor; // the trace began while it was held
        break;
    case EventKind::RecordFreed:
        record.seen = true;
        record.owner = kNoEntity;
        record.holds = 0;
        record.since = record.leaseFrom = event.at;
        record.toldSince = kSinceNotTold;
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
        record.noLongerShown = (event.flags & kNoLongerShown) != 0;
        break;
    case EventKind::RecordObserved:
        record.observed = true;
        record.noLongerShown = false;
        break;
    default:
        applyDetail(record, event);
        break;
    }
}

} // namespace lockscope::trace
