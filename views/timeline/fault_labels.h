// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/lane.h"

namespace lockscope::views {

/// "killed redis-1, redis-2", "cut A ↔ 3 others", "killed A +2": faults of one instant. Faults of the kind that says
/// most are told together, with their names; of the others, how many they are.
QString faultsLabel(const trace::Trace& trace, const TickTrack& faults, std::size_t first, std::size_t count);

} // namespace lockscope::views
