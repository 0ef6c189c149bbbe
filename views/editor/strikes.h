// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "scenario/scenario.h"
#include "trace/trace.h"

#include <optional>
#include <vector>

namespace lockscope::views {

/// The instant at which each fault done by hand struck first; nullopt: it has not struck. A fault that waits for a
/// condition is found in the trace, by what it does and to whom; no two faults share a row.
std::vector<std::optional<Nanos>> strikesOf(const std::vector<scenario::Fault>& byHand, const trace::Trace& trace);

} // namespace lockscope::views
