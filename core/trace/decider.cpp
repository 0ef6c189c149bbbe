// SPDX-License-Identifier: Apache-2.0
#include "trace/decider.h"

#include "trace/trace.h"

namespace lockscope::trace {

EntityId newDeciderAt(const Event& freed, const Trace& trace) {
    if (freed.kind != EventKind::RecordFreed || (freed.flags & kFreedByMask) != unsigned(FreedBy::NodeLoss))
        return kNoEntity;
    for (std::size_t row = trace.upperBound(freed.time()); row-- > 0 && trace.timeAt(row) == freed.at;) {
        if (trace.kindAt(row) != EventKind::RecordDecider) continue;
        if (const Event e = trace.at(row); e.subject == freed.subject) return e.actor;
    }
    return kNoEntity;
}

} // namespace lockscope::trace
