// SPDX-License-Identifier: Apache-2.0
#include "sim/fitting_recipes.h"

#include "recipes/exhibits.h"
#include "recipes/no_such_recipe.h"
#include "scenario/fault_check.h"
#include "scenario/fields.h"
#include "scenario/sql_dialect.h"
#include "sim/kinds.h"
#include "workload/lock_plan.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::sim {

namespace {

using recipes::RecipeInfo;
using scenario::Scenario;
using scenario::ServiceSpec;

/// The service that keeps a lock.
ServiceSpec serviceOf(const Scenario& scenario, const QByteArray& lockName) {
    if (scenario.services.empty()) return {};
    return scenario.services[scenario.serviceOf(QString::fromUtf8(lockName))];
}

bool needsMasters(const RecipeInfo& recipe) {
    return recipe.id == "redis-redlock";
}

bool worksOn(const RecipeInfo& recipe, const ServiceSpec& service) {
    const bool masters = service.kind == QLatin1String("redis") && service.shape == ServiceSpec::Shape::Masters;
    return recipe.simulated && service.kind.toUtf8() == recipe.backend && needsMasters(recipe) == masters;
}

/// The servers that a recipe brings: of its kind, in that kind's default shape; three masters for Redlock.
ServiceSpec ownServiceOf(const RecipeInfo& recipe, const Scenario& scenario) {
    const QString kind = QString::fromLatin1(recipe.backend);
    if (needsMasters(recipe)) {
        ServiceSpec masters = scenario::defaultService(kind, ServiceSpec::Shape::Masters);
        masters.nodes = 3;
        return masters;
    }
    ServiceSpec service = scenario::defaultService(kind);
    // A short lease is to be a session of that length, and a session lasts two ticks at least.
    if (kind == QLatin1String("zookeeper")) service.tick = std::min(service.tick, scenario.lock.lease / 2);
    // Named locks that readers share are PostgreSQL's.
    if (kind == QLatin1String("sql") && recipe.shared) setDialect(service, ServiceSpec::Dialect::PostgreSql);
    return service;
}

/// Whether the recipe can lock on one of a lock manager's engines: a service, or one Redis server.
bool worksAsEngine(const RecipeInfo& recipe, const ServiceSpec& service) {
    const bool oneServer = recipe.id != "redis-redlock" && recipe.id != "redis-multi";
    return recipe.simulated && service.kind.toUtf8() == recipe.backend && recipe.exclusive && oneServer;
}

/// Whether all engines have recipes that work there, and this one is the recipe of some.
bool worksOnEngines(Scenario scenario, const RecipeInfo& recipe) {
    scenario.recipe = QString::fromLatin1(recipe.id);
    bool used = false;
    for (int i = 0; i < int(scenario.manager->engines.size()); ++i) {
        const QByteArray id = workload::engineRecipe(scenario, i);
        const RecipeInfo* const info = recipes::findRecipe(id);
        const auto service = scenario.serviceNamed(scenario.manager->engines[i]);
        if (!info || !service || !worksAsEngine(*info, scenario.services[*service])) return false;
        used = used || id == recipe.id;
    }
    return used;
}

/// Whether the recipes of all locks work on the services that keep them, if the scenario's own recipe is this one.
bool fitsServers(Scenario scenario, const RecipeInfo& recipe) {
    if (scenario.manager) return worksOnEngines(std::move(scenario), recipe);
    scenario.recipe = QString::fromLatin1(recipe.id);
    return std::ranges::all_of(workload::lockNames(scenario), [&](const QByteArray& name) {
        const RecipeInfo* const used = recipes::findRecipe(workload::lockPlan(scenario, name).recipe);
        return used && worksOn(*used, serviceOf(scenario, name));
    });
}

bool fits(const Scenario& scenario, const RecipeInfo& recipe) {
    const bool meant = scenario.recipes.isEmpty() ? !recipes::isExhibit(recipe.id)
                                                  : scenario.recipes.contains(QString::fromLatin1(recipe.id));
    return meant && fitsServers(scenario, recipe) && workload::canRunPrograms(scenario, recipe);
}

/// The names by which faults find the servers that take the place of others. Independent Redis masters have no roles:
/// the first one stands for the master, and so on.
QStringList placesIn(const ServiceSpec& service) {
    QStringList places = scenario::findServiceKind(service.kind)->roles(service);
    if (service.kind != QLatin1String("redis") || service.shape != ServiceSpec::Shape::Masters) return places;
    for (const scenario::NodeSpec& node : scenario::serversOf(service))
        places += node.id;
    return places;
}

/// A role's counterpart in another service: the first role of one is the first of the other.
QString inItsPlace(const QString& target, const ServiceSpec& old, const ServiceSpec& now) {
    const QStringList before = scenario::findServiceKind(old.kind)->roles(old), after = placesIn(now);
    const auto of = [&](const QString& name) {
        const qsizetype role = before.indexOf(name);
        return role >= 0 && role < after.size() ? after[role] : name;
    };
    const qsizetype hyphen = target.indexOf(QLatin1Char('-'));
    const bool link = hyphen > 0 && !before.contains(target);
    return link ? of(target.left(hyphen)) + QLatin1Char('-') + of(target.mid(hyphen + 1)) : of(target);
}

/// About steps of the recipes of one kind, or about leases, which others do not have.
bool isOfOneKind(const scenario::Fault& fault) {
    using On = scenario::Trigger::On;
    return fault.when && (fault.when->on == On::Step || fault.when->on == On::LeaseLeft);
}

bool hasNoComplaints(const Scenario& scenario) {
    std::vector<scenario::Complaint> complaints;
    scenario::checkFaults(scenario, complaints);
    return complaints.empty();
}

/// With a default service of the recipe's kind; unchanged, where that makes no sense.
Scenario onServersOf(const Scenario& scenario, const RecipeInfo& recipe) {
    const ServiceSpec old = serviceOf(scenario, scenario.lock.name.toUtf8());
    const QString kind = QString::fromLatin1(recipe.backend);
    const bool others = old.kind != kind || (needsMasters(recipe) && old.shape != ServiceSpec::Shape::Masters);
    const bool replaced = !scenario.manager && scenario.services.size() <= 1 && others && simulates(kind);
    if (!replaced || std::ranges::any_of(scenario.faults, isOfOneKind)) return scenario;
    if (keepsNobodyOut(recipe)) return scenario; // it fits what was written for it
    Scenario moved = scenario;
    moved.recipe = QString::fromLatin1(recipe.id);
    moved.lock.service.clear();
    for (scenario::NamedLock& lock : moved.moreLocks)
        lock.settings.service.clear();
    const ServiceSpec service = ownServiceOf(recipe, scenario);
    if (service == ServiceSpec{})
        moved.setServices({}); // one Redis server, as in the plainest scenarios
    else
        moved.setServices({service});
    for (scenario::Fault& fault : moved.faults)
        fault.target = inItsPlace(fault.target, old, service);
    return fits(moved, recipe) && hasNoComplaints(moved) ? moved : scenario;
}

/// Whether the scenario can begin with it: on its own servers, or on those that the recipe brings.
bool canBegin(const Scenario& scenario, const RecipeInfo& recipe) {
    return fits(scenario, recipe) || fits(onServersOf(scenario, recipe), recipe);
}

/// nullptr: the simulator has no such recipe.
const RecipeInfo* simulated(const QString& recipe) {
    const std::vector<RecipeInfo>& all = recipes::simulatedRecipes();
    const auto found = std::ranges::find(all, recipe.toUtf8(), &RecipeInfo::id);
    return found == all.end() ? nullptr : &*found;
}

} // namespace

bool keepsNobodyOut(const RecipeInfo& recipe) {
    return recipe.heldBy == recipes::HeldBy::Nothing && recipe.token;
}

std::vector<RecipeInfo> recipesFor(const Scenario& scenario) {
    std::vector<RecipeInfo> fitting;
    std::ranges::copy_if(recipes::simulatedRecipes(), std::back_inserter(fitting),
                         [&](const RecipeInfo& info) { return fits(scenario, info); });
    return fitting;
}

std::vector<RecipeInfo> recipesToBeginWith(const Scenario& scenario) {
    std::vector<RecipeInfo> fitting;
    std::ranges::copy_if(recipes::simulatedRecipes(), std::back_inserter(fitting),
                         [&](const RecipeInfo& info) { return canBegin(scenario, info); });
    return fitting;
}

Scenario onFittingServers(Scenario scenario) {
    const RecipeInfo* const recipe = recipes::findRecipe(scenario.recipe.toUtf8());
    return recipe && !fits(scenario, *recipe) ? onServersOf(scenario, *recipe) : scenario;
}

bool worksForLock(const Scenario& scenario, const scenario::NamedLock& lock) {
    const RecipeInfo* const recipe = recipes::findRecipe(lock.recipe.toUtf8());
    return recipe && worksOn(*recipe, serviceOf(scenario, lock.settings.name.toUtf8()));
}

bool canRun(const Scenario& scenario, const QString& recipe) {
    const RecipeInfo* const info = simulated(recipe);
    return info && canBegin(scenario, *info);
}

namespace {

QStringList idsOf(const std::vector<RecipeInfo>& infos) {
    QStringList ids;
    for (const RecipeInfo& info : infos)
        ids += QString::fromLatin1(info.id);
    return ids;
}

QString refusal(const QString& recipe, const std::vector<RecipeInfo>& fitting) {
    const QStringList others = idsOf(fitting);
    if (!recipes::findRecipe(recipe.toUtf8())) return recipes::noSuchRecipe(recipe, others);
    return QCoreApplication::translate("Faults",
                                       "“%1” does not fit this scenario's servers and programs; these do: %2.")
        .arg(recipe, others.join(QStringLiteral(", ")));
}

} // namespace

// Whether one recipe fits is known sooner than which ones do, and a run may ask at each of a thousand changes.
QString whyNot(const Scenario& scenario, const QString& recipe) {
    return canRun(scenario, recipe) ? QString() : refusal(recipe, recipesToBeginWith(scenario));
}

QString whyNotNow(const Scenario& scenario, const QString& recipe) {
    const RecipeInfo* const info = simulated(recipe);
    return info && fits(scenario, *info) ? QString() : refusal(recipe, recipesFor(scenario));
}

} // namespace lockscope::sim
