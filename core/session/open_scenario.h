// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"

#include <expected>

namespace lockscope::session {

/// Opens a built-in scenario by its id, a file, or a shared run (shared_run.h) with what was done by hand and its seed:
/// one that can run, or every problem that keeps it from running.
/// Readers of scenario files know no recipes, so the recipes that it names, in its faults and expectations too, are
/// checked here. `recipe`, unless empty, is used instead of the scenario's own.
std::expected<scenario::Scenario, std::vector<scenario::Problem>> openScenario(const QString& idOrPath,
                                                                               const QString& recipe = {});

/// The part of openScenario() that concerns recipes, for a scenario that was read otherwise. The problems name `file`.
std::vector<scenario::Problem> recipeProblems(const scenario::Scenario& scenario, const QString& file);
/// As recipeProblems(), for a scenario that is as its file says: the servers that it names are those of its recipe.
std::vector<scenario::Problem> fileProblems(const scenario::Scenario& scenario, const QString& file);

/// Says which servers a scenario runs on when its recipe does not work on those that it names, as a sentence without
/// its full stop; empty: it names none, or runs on them.
QString otherServers(const scenario::Scenario& scenario);

} // namespace lockscope::session
