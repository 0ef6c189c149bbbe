// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/fold_sessions.h"

namespace lockscope::views {

void SessionFold::take(const trace::Event& event, std::uint32_t row) {
    Slot& slot = m_slots[event.actor];
    Span span;
    span.from = event.at;
    span.row = row;
    span.state = unsigned(trace::sessionPhase(event.value));
    const bool connected = span.state == unsigned(trace::SessionPhase::Connected);
    if (!slot.lane && connected) {
        if (!slot.known) slot.connected = span;
        slot.known = true;
        return;
    }
    if (!slot.lane) {
        slot.lane = &m_makeLane(event.actor);
        if (slot.known) slot.lane->spans.push(slot.connected);
    }
    SpanTrack& spans = slot.lane->spans;
    if (spans.hasOpen()) {
        if (spans.back().state == span.state) return; // told once more
        spans.close(event.at);
    }
    spans.push(span);
}

} // namespace lockscope::views
