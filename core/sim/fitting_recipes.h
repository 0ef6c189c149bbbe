// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe_info.h"
#include "scenario/scenario.h"

namespace lockscope::sim {

/// Whether a recipe is optimistic: nothing holds its lock, and only a version guards the writes.
bool keepsNobodyOut(const recipes::RecipeInfo& recipe);

/// The recipes that work on a scenario's own servers and do what its clients' programs ask for, in the documentation's
/// order. Independent masters are for Redlock, and all else is for one master at a time. Clients that read need a
/// read/write lock, and clients that take permits need a semaphore. A scenario may say which
/// recipes it is for.
std::vector<recipes::RecipeInfo> recipesFor(const scenario::Scenario& scenario);
/// The recipes that the scenario can begin with: recipesFor() it, and recipes of other kinds that it makes sense for on
/// servers of their own. In the documentation's order.
std::vector<recipes::RecipeInfo> recipesToBeginWith(const scenario::Scenario& scenario);

/// The scenario on servers that its recipe works on: its own, or in place of its one service a default service of the
/// recipe's kind, for Redlock three masters. Faults on a role strike its counterpart there: the leader instead of the
/// master. Unchanged, where the scenario makes no sense on other servers: a fault is about a certain server, a step of
/// a certain recipe, or the end of a lease.
scenario::Scenario onFittingServers(scenario::Scenario scenario);

/// Whether a lock's own recipe works on the servers that keep it.
bool worksForLock(const scenario::Scenario& scenario, const scenario::NamedLock& lock);
/// Whether the scenario can begin with that recipe.
bool canRun(const scenario::Scenario& scenario, const QString& recipe);
/// Why the scenario cannot begin with that recipe, in a sentence; empty: it can.
QString whyNot(const scenario::Scenario& scenario, const QString& recipe);
/// Why a run that has begun cannot go on with that recipe, in a sentence; empty: it can. Its servers stay.
QString whyNotNow(const scenario::Scenario& scenario, const QString& recipe);

} // namespace lockscope::sim
