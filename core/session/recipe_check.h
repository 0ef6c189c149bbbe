// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"

namespace lockscope::session {

/// Why the scenario's recipe cannot be simulated on its servers, as a sentence; empty when it can.
QString recipeComplaint(const scenario::Scenario& scenario);

/// Problems with the recipes that a scenario names, also in its faults and expectations. Checked here because the
/// reader of scenario files knows no recipes. The problems name `file`.
std::vector<scenario::Problem> recipeProblems(const scenario::Scenario& scenario, const QString& file);

} // namespace lockscope::session
