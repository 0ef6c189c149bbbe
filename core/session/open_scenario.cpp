// SPDX-License-Identifier: Apache-2.0
#include "session/open_scenario.h"

#include "recipes/no_such_recipe.h"
#include "recipes/recipe_info.h"
#include "recipes/redis/redis_recipe.h"
#include "scenario/scenario_file.h"
#include "session/shared_run.h"
#include "sim/fitting_recipes.h"
#include "sim/other_servers.h"
#include "trace/json_positions.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>

namespace lockscope::session {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Recipes)
};

QStringList idsOf(const std::vector<recipes::RecipeInfo>& infos) {
    QStringList ids;
    for (const recipes::RecipeInfo& info : infos)
        ids += QString::fromLatin1(info.id);
    return ids;
}

/// "zk-*": all recipes whose ids begin like that.
bool namesKind(const QString& pattern) {
    if (!pattern.endsWith(QLatin1String("-*"))) return false;
    return std::ranges::any_of(recipes::allRecipes(), [&](const recipes::RecipeInfo& info) {
        return info.id.startsWith(pattern.chopped(1).toUtf8());
    });
}

/// Empty when it can be simulated.
QString complaintAbout(const QString& recipe, const scenario::Scenario& scenario) {
    if (sim::canRun(scenario, recipe)) return {};
    const QStringList ids = idsOf(sim::recipesToBeginWith(scenario));
    const recipes::RecipeInfo* const info = recipes::findRecipe(recipe.toUtf8());
    return info ? sim::whyNot(scenario, recipe) : recipes::noSuchRecipe(recipe, ids);
}

std::expected<scenario::Scenario, std::vector<scenario::Problem>> load(const QString& named) {
    if (!looksShared(named)) return scenario::loadScenario(named);
    const auto shared = readSharedText(named);
    if (!shared) return std::unexpected(std::vector<scenario::Problem>{{{}, 0, {}, shared.error()}});
    return shared->whole();
}

/// The lines of what is wrong, where it stands in a file.
void giveLines(std::vector<scenario::Problem>& problems, const QString& path) {
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) return; // built in, or shared as text
    const JsonPositions positions(file.readAll());
    for (scenario::Problem& problem : problems)
        problem.line = positions.line(problem.path);
}

/// Empty when the lock has no recipe of its own, or one that works on its servers.
QString complaintAboutLock(const scenario::NamedLock& lock, const scenario::Scenario& scenario) {
    if (lock.recipe.isEmpty()) return {};
    if (!recipes::findRecipe(lock.recipe.toUtf8())) return recipes::noSuchRecipe(lock.recipe);
    if (sim::worksForLock(scenario, lock)) return {};
    return Text::tr("“%1” does not work on the servers that keep “%2”").arg(lock.recipe, lock.settings.name);
}

/// The most steps of a recipe that a run can come to use; 0: it names one that is none.
qsizetype mostSteps(const scenario::Scenario& scenario) {
    QStringList used{scenario.recipe};
    for (const scenario::NamedLock& lock : scenario.moreLocks)
        if (!lock.recipe.isEmpty()) used += lock.recipe;
    for (const scenario::Fault& fault : scenario.faults)
        if (fault.setting == QLatin1String("recipe")) used += fault.text;
    if (scenario.manager)
        for (const auto& [engine, recipe] : scenario.manager->recipes)
            used += recipe;
    qsizetype most = 0;
    for (const QString& id : used) {
        const recipes::RecipeInfo* const info = recipes::findRecipe(id.toUtf8());
        if (!info) return 0;
        most = std::max(most, info->steps.size());
    }
    return most;
}

} // namespace

std::vector<scenario::Problem> recipeProblems(const scenario::Scenario& scenario, const QString& file) {
    std::vector<scenario::Problem> problems;
    const auto note = [&](const QString& path, const QString& message) {
        if (!message.isEmpty()) problems.push_back({file, 0, path, message});
    };
    scenario::Scenario running = sim::onFittingServers(scenario);
    running.faults.clear(); // none of what follows asks for them, and each question would copy them
    note(QStringLiteral("/recipe"), complaintAbout(scenario.recipe, scenario));
    if (recipes::lockKeys(scenario.recipe.toUtf8(), scenario.lock.name.toUtf8()).empty())
        note(QStringLiteral("/lock/name"),
             Text::tr("“%1” names no lock: redis-multi takes names such as \"a,b\"").arg(scenario.lock.name));
    for (std::size_t i = 0; i < scenario.moreLocks.size(); ++i)
        note(QStringLiteral("/locks/%1/recipe").arg(i + 1), complaintAboutLock(scenario.moreLocks[i], running));
    for (qsizetype i = 0; i < scenario.recipes.size(); ++i)
        if (!recipes::findRecipe(scenario.recipes[i].toUtf8()))
            note(QStringLiteral("/recipes/%1").arg(i), recipes::noSuchRecipe(scenario.recipes[i]));
    for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
        const scenario::Fault& fault = scenario.faults[i];
        if (fault.action == scenario::Action::Set && fault.setting == QLatin1String("recipe"))
            note(QStringLiteral("/faults/%1/to").arg(i),
                 recipes::findRecipe(fault.text.toUtf8())
                     ? sim::whyNotNow(running, fault.text)
                     : recipes::noSuchRecipe(fault.text, idsOf(sim::recipesToBeginWith(scenario))));
    }
    for (const auto& [recipe, expectation] : scenario.expect) {
        if (recipe == QLatin1String("*") || recipes::findRecipe(recipe.toUtf8()) || namesKind(recipe)) continue;
        note(QStringLiteral("/expect/") + recipe, recipes::noSuchRecipe(recipe));
    }
    return problems;
}

std::vector<scenario::Problem> fileProblems(const scenario::Scenario& scenario, const QString& file) {
    std::vector<scenario::Problem> problems = recipeProblems(scenario, file);
    const bool toldAlready =
        std::ranges::find(problems, QStringLiteral("/recipe"), &scenario::Problem::path) != problems.end();
    if (const QString wrong = sim::wrongServers(scenario); !wrong.isEmpty() && !toldAlready)
        problems.insert(problems.begin(), {file, 0, QStringLiteral("/recipe"), wrong});
    // Another recipe may have the step, but nobody has chosen one.
    const qsizetype steps = mostSteps(scenario);
    for (std::size_t i = 0; steps > 0 && i < scenario.faults.size(); ++i) {
        const auto& when = scenario.faults[i].when;
        if (when && when->on == scenario::Trigger::On::Step && when->step > steps)
            problems.push_back({file, 0, QStringLiteral("/faults/%1/when/step").arg(i),
                                Text::tr("this fault never strikes: the steps of %1 are 1 to %2")
                                    .arg(scenario.recipe, QString::number(steps))});
    }
    return problems;
}

QString otherServers(const scenario::Scenario& scenario) {
    return sim::otherServers(scenario);
}

std::expected<scenario::Scenario, std::vector<scenario::Problem>> openScenario(const QString& idOrPath,
                                                                               const QString& recipe) {
    auto loaded = load(idOrPath);
    if (!loaded) return loaded;
    if (!recipe.isEmpty()) {
        // Chosen beside the file: a mistake in it stands at no place of the file.
        if (const QString complaint = complaintAbout(recipe, *loaded); !complaint.isEmpty())
            return std::unexpected(std::vector<scenario::Problem>{{{}, 0, {}, complaint}});
        loaded->recipe = recipe;
    }
    // A recipe that was chosen beside the file, or with a shared run, brings its servers.
    const bool chosen = !recipe.isEmpty() || looksShared(idOrPath);
    auto problems = chosen ? recipeProblems(*loaded, idOrPath) : fileProblems(*loaded, idOrPath);
    if (!problems.empty()) {
        giveLines(problems, idOrPath);
        return std::unexpected(std::move(problems));
    }
    return loaded;
}

} // namespace lockscope::session
