// SPDX-License-Identifier: Apache-2.0
#include "sim/fitting_recipes.h"

#include "workload/lock_plan.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::sim {

namespace {

bool fitsServers(const scenario::Scenario& scenario, const QByteArray& recipe) {
    const recipes::RecipeInfo* const info = recipes::findRecipe(recipe);
    const auto* const service = scenario.services.empty() ? nullptr : &scenario.services.front();
    if (scenario.manager)
        return info && info->simulated && info->exclusive && info->id != "redis-redlock" && info->id != "redis-multi";
    const bool masters = service && service->shape == scenario::ServiceSpec::Shape::Masters;
    return info && info->simulated && (info->id == "redis-redlock") == masters;
}

bool isMeant(const scenario::Scenario& scenario, const QByteArray& recipe) {
    return scenario.recipes.isEmpty() || scenario.recipes.contains(QString::fromLatin1(recipe));
}

} // namespace

std::vector<recipes::RecipeInfo> recipesFor(const scenario::Scenario& scenario) {
    const bool othersFit = std::ranges::all_of(scenario.moreLocks, [&](const scenario::NamedLock& lock) {
        return lock.recipe.isEmpty() || fitsServers(scenario, lock.recipe.toUtf8());
    });
    std::vector<recipes::RecipeInfo> fitting;
    if (!othersFit) return fitting;
    std::ranges::copy_if(recipes::simulatedRecipes(), std::back_inserter(fitting),
                         [&](const recipes::RecipeInfo& info) {
                             return isMeant(scenario, info.id) && fitsServers(scenario, info.id) &&
                                    workload::canRunPrograms(scenario, info);
                         });
    return fitting;
}

bool canRun(const scenario::Scenario& scenario, const QString& recipe) {
    return std::ranges::any_of(recipesFor(scenario),
                               [&](const recipes::RecipeInfo& info) { return info.id == recipe.toUtf8(); });
}

QString whyNot(const scenario::Scenario& scenario, const QString& recipe) {
    if (canRun(scenario, recipe)) return {};
    if (!recipes::findRecipe(recipe.toUtf8()))
        return QCoreApplication::translate("Faults", "There is no recipe “%1”.").arg(recipe);
    QStringList others;
    for (const recipes::RecipeInfo& info : recipesFor(scenario))
        others += QString::fromLatin1(info.id);
    return QCoreApplication::translate("Faults",
                                       "“%1” does not fit this scenario's servers and programs; these do: %2.")
        .arg(recipe, others.join(QStringLiteral(", ")));
}

} // namespace lockscope::sim
