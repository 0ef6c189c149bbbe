// SPDX-License-Identifier: Apache-2.0
#include "trace/decider.h"

#include "trace/trace.h"

namespace lockscope::trace {

namespace {
/// memcached forgets what was stored in the second of the deletion only when that is over.
constexpr Nanos kLatest = 1s;
} // namespace

EntityId newDeciderAt(const Event& freed, const Trace& trace) {
    if (freed.kind != EventKind::RecordFreed || (freed.flags & kFreedByMask) != unsigned(FreedBy::NodeLoss))
        return kNoEntity;
    for (std::size_t row = trace.upperBound(freed.time()); row-- > 0 && trace.timeAt(row) == freed.at;) {
        if (trace.kindAt(row) != EventKind::RecordDecider) continue;
        if (const Event e = trace.at(row); e.subject == freed.subject) return e.actor;
    }
    return kNoEntity;
}

EntityId emptiedBy(const Event& freed, const Trace& trace) {
    if (freed.kind != EventKind::RecordFreed || (freed.flags & kFreedByMask) != unsigned(FreedBy::NodeLoss))
        return kNoEntity;
    // The copies of replicas follow their master.
    const bool anyServer = trace.copyOf(freed.subject) != kNoEntity;
    const EntityId own = anyServer ? kNoEntity : trace.entity(freed.subject).parent;
    for (std::size_t row = trace.upperBound(freed.time());
         row-- > 0 && trace.timeAt(row) + kLatest.count() >= freed.at;) {
        const EventKind kind = trace.kindAt(row);
        if (kind == EventKind::NodeKilled) return kNoEntity;
        if (kind != EventKind::RecordDecider && kind != EventKind::SettingChanged) continue;
        const Event e = trace.at(row);
        if (kind == EventKind::RecordDecider && e.subject == freed.subject) return kNoEntity;
        if (kind != EventKind::SettingChanged || trace.entity(e.aux).name != kAllDeleted) continue;
        if (own == kNoEntity || own == e.actor) return e.actor;
    }
    return kNoEntity;
}

} // namespace lockscope::trace
