// SPDX-License-Identifier: Apache-2.0
#include "trace/seen_holds.h"

namespace lockscope::trace {

bool SeenHolds::needs(EventKind kind) {
    switch (kind) {
    case EventKind::RecordHeld:
    case EventKind::RecordFreed:
    case EventKind::RecordUnobserved:
    case EventKind::RecordObserved:
        return true;
    default:
        return false;
    }
}

std::optional<Nanos> SeenHolds::take(const Event& event) {
    if (!needs(event.kind)) return std::nullopt;
    const bool begins = event.kind == EventKind::RecordHeld, ends = event.kind == EventKind::RecordFreed;
    const auto since = m_since.find(event.subject);
    std::optional<Nanos> held;
    // Nobody knows how long a hold lasted that ended out of sight.
    if (since != m_since.end() && (begins || ends)) held = Nanos(event.at - since->second);
    if (begins)
        m_since[event.subject] = event.at;
    else if (since != m_since.end())
        m_since.erase(since);
    return held;
}

} // namespace lockscope::trace
