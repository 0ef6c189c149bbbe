// SPDX-License-Identifier: Apache-2.0
#include "trace/last_stretch.h"

#include "trace/excerpt.h"

namespace lockscope::trace {

namespace {

/// The rows that the recording has of the time before `kept`, and then the trace's own.
std::shared_ptr<Trace> joinedAt(Nanos kept, const Trace& recorded, const Trace& trace) {
    auto joined = std::make_shared<Trace>();
    joined->setOriginWallMs(trace.originWallMs());
    const std::size_t end = trace.size(); // names last: rows name none that come later
    BulkLoader names(*joined);
    for (std::size_t id = joined->entityCount(); id < trace.entityCount(); ++id)
        names.addEntity(trace.entity(EntityId(id)));
    for (std::size_t row = 0; row < recorded.upperBound(kept); ++row)
        joined->append(recorded.at(row));
    for (std::size_t row = trace.upperBound(kept); row < end; ++row)
        joined->append(trace.at(row));
    return joined;
}

} // namespace

LastStretch lastStretch(const std::shared_ptr<const Trace>& trace, Nanos wanted, const RingRecording* ring) {
    const Nanos reached = trace->reached(), kept = keptFrom(*trace);
    const Nanos from = std::max(reached - wanted, Nanos(0));
    std::shared_ptr<const Trace> source = trace;
    Nanos begins = kept;
    if (kept > from && ring) {
        const auto past = ring->past();
        if (past && past->from < kept) {
            const auto joined = joinedAt(kept, *past->trace, *trace);
            joined->reach(reached);
            source = joined;
            begins = past->from;
        }
    }
    begins = std::max(begins, from);
    const Excerpt excerpt(source, begins);
    return {.trace = excerpt.trace(), .length = source->reached() - begins, .lacks = begins - from};
}

} // namespace lockscope::trace
