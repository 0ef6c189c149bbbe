// SPDX-License-Identifier: Apache-2.0
#include "trace/record.h"

#include <algorithm>

namespace lockscope::trace {

namespace {

void putHolder(Record& record, const Event& event) {
    const HoldMode mode = holdMode(event.flags);
    auto known = std::ranges::find_if(record.holders,
                                      [&](const Holder& h) { return h.thread == event.actor && h.mode == mode; });
    if (known == record.holders.end()) {
        record.holders.push_back({event.actor, 1, event.at, kEndNotKnown, mode});
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
    QueuedWaiter waiter{event.actor, event.at, holdMode(event.flags), (event.flags & kQueuedDead) != 0};
    const auto known = std::ranges::find(record.queue, event.actor, &QueuedWaiter::thread);
    if (known != record.queue.end()) {
        waiter.since = known->since;
        record.queue.erase(known);
    }
    const auto place =
        std::min<std::int64_t>(std::max<std::int64_t>(event.value, 0), std::int64_t(record.queue.size()));
    record.queue.insert(record.queue.begin() + place, waiter);
}

} // namespace

std::vector<Holder> Record::allHolders() const {
    if (!holders.empty() || owner == kNoEntity) return holders;
    return {{owner, holds, since, deadline, mode}};
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

bool applyDetail(Record& record, const Event& event) {
    switch (event.kind) {
    case EventKind::RecordHolder:
        putHolder(record, event);
        return true;
    case EventKind::RecordHolderGone:
        std::erase_if(record.holders, [mode = goneMode(event.flags), &event](const Holder& h) {
            return h.thread == event.aux && h.mode == mode;
        });
        return true;
    case EventKind::RecordQueued:
        putWaiter(record, event);
        return true;
    case EventKind::RecordUnqueued:
        std::erase_if(record.queue, [&event](const QueuedWaiter& w) { return w.thread == event.actor; });
        return true;
    case EventKind::RecordContent:
        record.content = event.aux;
        record.contentAt = event.at;
        return true;
    case EventKind::RecordFormat:
        record.format = event.aux;
        return true;
    case EventKind::RecordHolders:
        record.holdersInAll = event.value;
        return true;
    case EventKind::RecordPermits:
        record.permitsFree = event.value;
        record.permitsInAll = event.aux;
        return true;
    case EventKind::RecordDecider:
        record.decider = event.actor;
        record.deciders = event.value;
        return true;
    default:
        return false;
    }
}

} // namespace lockscope::trace
