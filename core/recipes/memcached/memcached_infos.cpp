// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_infos.h"

#include <QCoreApplication>

namespace lockscope::recipes {

std::vector<RecipeInfo> memcachedRecipes() {
    return {};
}

} // namespace lockscope::recipes
