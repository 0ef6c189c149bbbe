// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/event.h"

#include <optional>
#include <vector>

namespace lockscope::views {

/// Where a lesson asks to look. The timeline dims everything else, and shows nothing right of the playhead: the learner
/// is to bet on it.
struct Spotlight {
    std::vector<trace::EntityId> lanes; ///< threads, locks, copies, resources, nodes; empty: nothing is dimmed
    Nanos from{}, to{};
    std::optional<std::pair<Nanos, Nanos>> window; ///< the part of the time axis to bring into sight
    friend bool operator==(const Spotlight&, const Spotlight&) = default;
};

/// The things that a lesson does not tell yet: they would answer a bet that is still open.
struct HeldBack {
    /// The verdict says nothing that begins from this instant on; nothing: it tells all.
    std::optional<Nanos> verdictFrom{};
    /// Nobody says that a lock never expires.
    bool never = false;
    friend bool operator==(const HeldBack&, const HeldBack&) = default;
};

} // namespace lockscope::views
