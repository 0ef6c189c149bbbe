// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "scenario/schema_check.h"

namespace lockscope::scenario {

/// Adds complaints about faults that never strike, and about those that strike too often for the run to end. Only of a
/// scenario that is still to run: recordings of earlier versions may have such faults.
void checkStrikes(const Scenario& scenario, std::vector<Complaint>& complaints);

} // namespace lockscope::scenario
