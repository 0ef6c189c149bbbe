// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe_info.h"
#include "scenario/scenario.h"

namespace lockscope::sim {

/// The recipes that work on a scenario's servers and do what its clients' programs ask for, in the documentation's
/// order. Independent masters are for Redlock, and all else is for one master at a time. Clients that read need a
/// read/write lock, and clients that take permits need a semaphore. A scenario may say which
/// recipes it is for.
std::vector<recipes::RecipeInfo> recipesFor(const scenario::Scenario& scenario);
bool canRun(const scenario::Scenario& scenario, const QString& recipe);
/// Why the scenario cannot run with that recipe, in a sentence; empty: it can.
QString whyNot(const scenario::Scenario& scenario, const QString& recipe);

} // namespace lockscope::sim
