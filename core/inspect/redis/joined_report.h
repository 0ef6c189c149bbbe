// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_report.h"

namespace lockscope::inspect {

/// Adds what the report of one of several Redis servers says besides its locks, its events and its server: counts, and
/// notes. `all.complete` is true and `all.keysThere` is 0 before the first one.
void join(LockReport& all, const LockReport& its);

/// The facts about several servers that are the same of all: version and mode; nullopt: nothing is known of any.
std::optional<ServerIdentity> inCommon(const std::vector<ServerIdentity>& servers);

} // namespace lockscope::inspect
