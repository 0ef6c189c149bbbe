// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "scenario/schema_check.h"

namespace lockscope::scenario {

/// What is wrong with the faults of a scenario: times, targets, values, settings.
void checkFaults(const Scenario& scenario, std::vector<Complaint>& complaints);

} // namespace lockscope::scenario
