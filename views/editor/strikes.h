// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "scenario/scenario.h"
#include "trace/trace.h"

#include <optional>
#include <vector>

namespace lockscope::views {

/// For each of the faults done by hand: when it struck first. Those that wait for a condition are found in the trace,
/// by what they do and to whom; no two of them share a row. Nullopt: it has not struck.
std::vector<std::optional<Nanos>> strikesOf(const std::vector<scenario::Fault>& byHand, const trace::Trace& trace);

} // namespace lockscope::views
