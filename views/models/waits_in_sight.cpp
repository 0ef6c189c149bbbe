// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/waits_in_sight.h"

#include "models/view_context.h"
#include "trace/connection.h"

namespace lockscope::views {

WaitsInSight waitsInSight(const ViewContext& context) {
    WaitsInSight sight;
    const auto trace = context.trace();
    const trace::State& state = context.state();
    for (const auto& [lock, record] : state.records) {
        if (record.copyOf != trace::kNoEntity || trace::connectionOf(*trace, lock) == trace::kNoEntity) continue;
        if (!record.observed) {
            sight.unseen += record.noLongerShown ? 0 : 1; // one that is shown only while somebody waits tells enough
            continue;
        }
        const auto ours = state.beliefs.lower_bound({lock, trace::kNoEntity});
        const bool known =
            record.waiters >= 0 || !record.queue.empty() || (ours != state.beliefs.end() && ours->first.first == lock);
        if (!known && record.owner != trace::kNoEntity) ++sight.untold;
    }
    return sight;
}

} // namespace lockscope::views
