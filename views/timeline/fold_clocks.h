// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/lane.h"
#include "trace/trace.h"

#include <functional>
#include <map>

namespace lockscope::views {

/// Folds what the trace tells of clocks into lanes: one for each client and server whose clock was ever off. For every
/// row of a trace, so it looks at the kind first.
class ClockFold {
public:
    /// Makes a lane for the clock of this party; `client`: kNoEntity of a server.
    using MakeLane = std::function<Lane&(trace::EntityId party, trace::EntityId client)>;
    ClockFold(const trace::Trace& trace, MakeLane makeLane) : m_trace(trace), m_makeLane(std::move(makeLane)) {}
    void apply(const trace::Event& event, std::uint32_t row) {
        if (event.kind == trace::EventKind::ClockJumped || event.kind == trace::EventKind::Healed) take(event, row);
    }

private:
    void take(const trace::Event& event, std::uint32_t row);
    const trace::Trace& m_trace;
    MakeLane m_makeLane;
    std::map<trace::EntityId, Lane*> m_lanes; ///< by party
};

} // namespace lockscope::views
