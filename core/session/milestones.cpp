// SPDX-License-Identifier: Apache-2.0
#include "session/milestones.h"

namespace lockscope::session {

bool isMilestone(Milestone milestone, const trace::Event& event) {
    switch (milestone) {
    case Milestone::Event:
        return true;
    case Milestone::Acquisition:
        return event.kind == trace::EventKind::Granted;
    case Milestone::Fault:
        return (event.flags & trace::kFault) != 0 && trace::isLife(event.kind);
    case Milestone::Violation:
        return false;
    }
    return false;
}

std::optional<Nanos> nextMilestone(const trace::Trace& trace, const verdict::Verdict& verdict, Milestone milestone,
                                   Nanos from) {
    if (milestone == Milestone::Violation) {
        for (const verdict::Violation& violation : verdict.violations) {
            if (violation.from > from) return violation.from;
        }
        return std::nullopt;
    }
    const std::size_t rows = trace.size();
    for (std::size_t row = trace.upperBound(from); row < rows; ++row) {
        if (isMilestone(milestone, trace.at(row))) return Nanos(trace.timeAt(row));
    }
    return std::nullopt;
}

} // namespace lockscope::session
