// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"

namespace lockscope::sim {

/// Where a scenario names servers that its recipe does not work on, and onFittingServers() takes others: which ones, as
/// a sentence without its full stop; empty: it names none, or runs on them.
QString otherServers(const scenario::Scenario& scenario);
/// As otherServers(), with what to write instead: for the person who writes the scenario.
QString wrongServers(const scenario::Scenario& scenario);

} // namespace lockscope::sim
