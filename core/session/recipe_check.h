// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"

namespace lockscope::session {

/// What is wrong with the recipes that a scenario names, also in its faults and expectations: what reads scenario files
/// knows no recipes. `file` is named by the complaints.
std::vector<scenario::Problem> recipeProblems(const scenario::Scenario& scenario, const QString& file);

} // namespace lockscope::session
