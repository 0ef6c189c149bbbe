// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/lock_options.h"
#include "recipes/recipe.h"
#include "scenario/scenario.h"

#include <QByteArrayList>
#include <vector>

namespace lockscope::workload {

/// One lock of a scenario: its settings and the recipe by which clients take it.
struct LockPlan {
    scenario::LockSettings settings;
    QByteArray recipe; ///< RecipeInfo::id
};

/// The options with which a client takes its locks.
HoldOptions holdOptionsOf(const scenario::LockSettings& settings);

/// The lock of that name. A name that the scenario does not list has the first lock's settings.
LockPlan lockPlan(const scenario::Scenario& scenario, const QByteArray& name);
/// The recipe of a lock manager's engine, by its number.
QByteArray engineRecipe(const scenario::Scenario& scenario, int engine);
/// The names of all locks of a scenario, the first lock first.
QByteArrayList lockNames(const scenario::Scenario& scenario);
/// The locks that a step is about: the first lock where it names none.
QByteArrayList locksOf(const scenario::ProgramStep& step, const scenario::Scenario& scenario);
/// The mode in which a step takes its locks.
recipes::Mode modeOf(const scenario::ProgramStep& step);

/// The program that a client runs; `client` counts from 0. Clients beyond the groups run the last group's.
scenario::Program programOf(const scenario::Scenario& scenario, int client);
/// Each program that some client of the scenario can run, once.
std::vector<scenario::Program> programsOf(const scenario::Scenario& scenario);
/// The locks that a program's steps name, each once, in their order.
QByteArrayList locksOf(const scenario::Program& program, const scenario::Scenario& scenario);

/// Whether the recipe can do what a scenario's programs ask of the locks that they take by it: the modes, and waiting
/// for a condition. `recipe` takes the place of the scenario's own; locks with a recipe of their own keep that.
bool canRunPrograms(const scenario::Scenario& scenario, const recipes::RecipeInfo& recipe);

} // namespace lockscope::workload
