// SPDX-License-Identifier: Apache-2.0
#include "sim/fitting_recipes.h"

#include <algorithm>

namespace lockscope::sim {

std::vector<recipes::RecipeInfo> recipesFor(const scenario::Scenario& scenario) {
    const auto& service = scenario.service;
    if (!service || service->shape != scenario::ServiceSpec::Shape::Masters) return recipes::simulatedRecipes();
    return {*recipes::findRecipe("redis-redlock")};
}

bool canRun(const scenario::Scenario& scenario, const QString& recipe) {
    return std::ranges::any_of(recipesFor(scenario),
                               [&](const recipes::RecipeInfo& info) { return info.id == recipe.toUtf8(); });
}

} // namespace lockscope::sim
