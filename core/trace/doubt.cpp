// SPDX-License-Identifier: Apache-2.0
#include "trace/doubt.h"

namespace lockscope::trace {

bool isForgotten(const Event& doubted, const Trace& trace) {
    if (doubted.kind != EventKind::NodeDoubted || Doubt(doubted.value) != Doubt::None) return false;
    for (std::size_t row = trace.upperBound(doubted.time()); row-- > 0 && trace.timeAt(row) == doubted.at;) {
        if (trace.kindAt(row) != EventKind::FailoverStep) continue;
        const Event step = trace.at(row);
        if (step.actor == doubted.actor && FailoverPhase(step.value) == FailoverPhase::Announced) return true;
    }
    return false;
}

} // namespace lockscope::trace
