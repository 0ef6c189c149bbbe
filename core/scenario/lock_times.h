// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "scenario/schema_check.h"

namespace lockscope::scenario {

/// The error, as part of a sentence, when a lease ends before its watchdog renews it for the first time; empty: they go
/// together.
QString slowWatchdog(const LockSettings& lock);

/// Adds a complaint about each place of a scenario where leases and watchdogs do not go together: at its start, and
/// where a fault changes one of them. Paths are those of a file of this version.
void checkLockTimes(const Scenario& scenario, int version, std::vector<Complaint>& complaints);

} // namespace lockscope::scenario
