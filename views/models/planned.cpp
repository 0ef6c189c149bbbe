// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/planned.h"

#include "session/planning.h"

namespace lockscope::views {

bool canPlan(const ViewContext& context) {
    return context.session() && context.session()->abilities().rewind && session::Planning::of(context.session());
}

void plan(ViewContext& context, scenario::Fault fault) {
    Q_ASSERT(fault.at);
    if (auto* const planning = session::Planning::of(context.session())) planning->plan(std::move(fault));
}

void replaceDeed(ViewContext& context, std::size_t index, scenario::Fault fault) {
    if (auto* const planning = session::Planning::of(context.session())) planning->replace(index, std::move(fault));
}

trace::State stateAt(const ViewContext& context, Nanos t) {
    const auto trace = context.trace();
    trace::State state;
    const std::size_t rows = trace->upperBound(t);
    while (state.rows < rows)
        state.apply(trace->at(state.rows), *trace);
    state.passTime(std::min(t, trace->reached()).count());
    return state;
}

} // namespace lockscope::views
