// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/fold_clocks.h"

namespace lockscope::views {

void ClockFold::show(Lane& lane, const trace::WallClock& clock, std::int64_t at, std::uint32_t row) {
    if (lane.spans.hasOpen()) lane.spans.close(at);
    if (clock.clockGain == 0 && clock.offsetAt(at) == 0) return;
    Span span;
    span.from = at;
    span.row = row;
    lane.spans.push(span);
    lane.clocks.push_back(clock);
}

void ClockFold::take(const trace::Event& event, std::uint32_t row) {
    using trace::EventKind;
    if (event.kind == EventKind::Healed) {
        for (auto& [party, slot] : m_lanes) {
            slot.clock = {};
            if (slot.lane->spans.hasOpen()) slot.lane->spans.close(event.at);
        }
        return;
    }
    if (event.kind == EventKind::ClientStarted && !m_lanes.contains(event.actor)) return;
    const auto gain = event.kind == EventKind::SettingChanged ? trace::driftOf(m_trace.entity(event.aux).name)
                                                              : std::optional<std::int64_t>();
    if (event.kind == EventKind::SettingChanged && (!gain || event.actor == trace::kNoEntity)) return;
    const trace::EntityKind owner = m_trace.entity(event.actor).kind;
    const bool client = owner == trace::EntityKind::Client;
    Slot& slot = m_lanes[event.actor];
    if (!slot.lane) slot.lane = &m_makeLane(event.actor, client ? event.actor : trace::kNoEntity);
    trace::WallClock& clock = slot.clock;
    const bool wasRight = clock.clockGain == 0 && clock.offsetAt(event.at) == 0;
    if (gain)
        clock.drift(*gain, event.at);
    else if (event.kind == EventKind::ClockJumped)
        clock.jump(event.value, event.at, owner);
    else
        clock.restart();
    if (event.kind == EventKind::ClientStarted && wasRight) return;
    show(*slot.lane, clock, event.at, row);
}

} // namespace lockscope::views
