// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/recipe_lease.h"

#include "recipes/recipe_info.h"

namespace lockscope::views {

bool hasLease(const QString& recipe) {
    const recipes::RecipeInfo* const known = recipes::findRecipe(recipe.toUtf8());
    return !known || known->heldBy == recipes::HeldBy::Lease;
}

} // namespace lockscope::views
