// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "scenario/schema_check.h"

namespace lockscope::scenario {

/// Fills a scenario from a document that the schema accepts, and says what no schema can: targets that do not exist,
/// ranges upside down, a fault with two times or none.
Scenario readDocument(const QJsonObject& document, std::vector<Complaint>& complaints);

/// One element of "faults", as far as it can be read: whatever is missing or wrong has its default. nullopt: it names
/// no action.
std::optional<Fault> readFault(const QJsonObject& fault);

} // namespace lockscope::scenario
