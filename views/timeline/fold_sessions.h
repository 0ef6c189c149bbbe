// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/lane.h"
#include "trace/trace.h"

#include <functional>
#include <map>

namespace lockscope::views {

/// Folds what the trace tells of sessions into lanes: one for each client whose session was ever not connected, with
/// spans by trace::SessionPhase. For every row of a trace, so it looks at the kind first.
class SessionFold {
public:
    /// Makes a lane for the session of this client.
    using MakeLane = std::function<Lane&(trace::EntityId client)>;
    explicit SessionFold(MakeLane makeLane) : m_makeLane(std::move(makeLane)) {}
    void apply(const trace::Event& event, std::uint32_t row) {
        if (event.kind == trace::EventKind::SessionChanged) take(event, row);
    }

private:
    struct Slot {
        Lane* lane = nullptr;
        Span connected; ///< since when it has been well, as long as it has no lane
        bool known = false;
    };
    void take(const trace::Event& event, std::uint32_t row);
    MakeLane m_makeLane;
    std::map<trace::EntityId, Slot> m_slots; ///< by client
};

} // namespace lockscope::views
