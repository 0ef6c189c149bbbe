// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "scenario/schema_check.h"

namespace lockscope::scenario {

/// Adds complaints about a scenario's faults: times, targets, values, settings.
void checkFaults(const Scenario& scenario, std::vector<Complaint>& complaints);

} // namespace lockscope::scenario
