// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe_info.h"
#include "scenario/scenario.h"

namespace lockscope::sim {

/// The recipes that work on a scenario's servers, in the documentation's order: independent masters are for Redlock,
/// and all else is for one master at a time.
std::vector<recipes::RecipeInfo> recipesFor(const scenario::Scenario& scenario);
bool canRun(const scenario::Scenario& scenario, const QString& recipe);

} // namespace lockscope::sim
