// SPDX-License-Identifier: Apache-2.0
#include "verdict/standstill.h"

#include "trace/look_back.h"

namespace lockscope::verdict {

using trace::EventKind;

std::optional<trace::Event> standstillBefore(trace::EntityId server, std::size_t end, const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(end);
    for (std::size_t row = end; row-- > last;) {
        const EventKind kind = trace.kindAt(row);
        if (kind == EventKind::Healed) return {};
        if (kind < EventKind::NodeStarted || kind > EventKind::NodeKilled) continue;
        const trace::Event e = trace.at(row);
        if (e.actor != server) continue;
        return kind == EventKind::NodePaused || kind == EventKind::NodeKilled ? std::optional(e) : std::nullopt;
    }
    return {};
}

} // namespace lockscope::verdict
