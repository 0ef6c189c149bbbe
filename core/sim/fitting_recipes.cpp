// SPDX-License-Identifier: Apache-2.0
#include "sim/fitting_recipes.h"

#include <algorithm>

namespace lockscope::sim {

std::vector<recipes::RecipeInfo> recipesFor(const scenario::Scenario& scenario) {
    const auto& service = scenario.service;
    const bool masters = service && service->shape == scenario::ServiceSpec::Shape::Masters;
    std::vector<recipes::RecipeInfo> all = recipes::simulatedRecipes();
    std::erase_if(all, [&](const recipes::RecipeInfo& info) {
        const bool meant = scenario.recipes.isEmpty() || scenario.recipes.contains(QString::fromLatin1(info.id));
        return !meant || (masters && info.id != "redis-redlock");
    });
    return all;
}

bool canRun(const scenario::Scenario& scenario, const QString& recipe) {
    return std::ranges::any_of(recipesFor(scenario),
                               [&](const recipes::RecipeInfo& info) { return info.id == recipe.toUtf8(); });
}

} // namespace lockscope::sim
