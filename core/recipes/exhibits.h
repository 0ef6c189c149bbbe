// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe_info.h"

namespace lockscope::recipes {

// Recipes that are nothing but exhibits: simulatedRecipes() has them last, and only scenarios that name them run with
// them. They are not among allRecipes(), so nobody is offered to lock by them.

/// False for other recipes, and for an id that no recipe has.
bool isExhibit(const QByteArray& id);

// Their facts, which stand at the top of the algorithm's file.
RecipeInfo sqlForUpdateLateInfo();

} // namespace lockscope::recipes
