// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/lane.h"
#include "trace/trace.h"

#include <functional>
#include <map>

namespace lockscope::views {

/// Folds what the trace tells of clocks into lanes: one for each client and server whose clock was ever off, or ran
/// too fast or too slow. For every row of a trace, so it looks at the kind first.
class ClockFold {
public:
    /// Makes a lane for the clock of this party; `client`: kNoEntity of a server.
    using MakeLane = std::function<Lane&(trace::EntityId party, trace::EntityId client)>;
    ClockFold(const trace::Trace& trace, MakeLane makeLane) : m_trace(trace), m_makeLane(std::move(makeLane)) {}
    void apply(const trace::Event& event, std::uint32_t row) {
        using enum trace::EventKind;
        const bool concerns = event.kind == ClockJumped || event.kind == Healed || event.kind == SettingChanged ||
                              (event.kind == ClientStarted && !m_lanes.empty());
        if (concerns) take(event, row);
    }

private:
    void take(const trace::Event& event, std::uint32_t row);
    /// From `at` on the clock goes like that.
    static void show(Lane& lane, const trace::WallClock& clock, std::int64_t at, std::uint32_t row);
    const trace::Trace& m_trace;
    MakeLane m_makeLane;
    struct Slot {
        Lane* lane = nullptr;
        trace::WallClock clock;
    };
    std::map<trace::EntityId, Slot> m_lanes; ///< by party
};

} // namespace lockscope::views
