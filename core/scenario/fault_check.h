// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "scenario/schema_check.h"

namespace lockscope::scenario {

/// Adds complaints about a scenario's faults: times, targets, values, settings.
void checkFaults(const Scenario& scenario, std::vector<Complaint>& complaints);

/// Why this fault cannot stand in the scenario beside its others, as a sentence: its target, its value, or a watchdog
/// that would come too late. Empty: it can.
QString refusalOf(const Fault& fault, Scenario scenario);

} // namespace lockscope::scenario
