// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/fold_clocks.h"

namespace lockscope::views {

void ClockFold::take(const trace::Event& event, std::uint32_t row) {
    if (event.kind == trace::EventKind::Healed) {
        for (const auto& [party, lane] : m_lanes)
            if (lane->spans.hasOpen()) lane->spans.close(event.at);
        return;
    }
    Lane*& lane = m_lanes[event.actor];
    if (!lane) {
        const bool client = m_trace.entity(event.actor).kind == trace::EntityKind::Client;
        lane = &m_makeLane(event.actor, client ? event.actor : trace::kNoEntity);
    }
    if (lane->spans.hasOpen()) lane->spans.close(event.at);
    if (event.value == 0) return;
    Span span;
    span.from = event.at;
    span.row = row;
    lane->spans.push(span);
}

} // namespace lockscope::views
