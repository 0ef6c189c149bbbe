// SPDX-License-Identifier: Apache-2.0
#include "session/session.h"

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

} // namespace lockscope::session
