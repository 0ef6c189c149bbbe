// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe_info.h"

namespace lockscope::recipes {

// Each backend's recipes, in the documentation's order; recipe_info.cpp joins them.
std::vector<RecipeInfo> redisRecipes();
std::vector<RecipeInfo> zookeeperRecipes();
std::vector<RecipeInfo> sqlRecipes();
std::vector<RecipeInfo> memcachedRecipes();
std::vector<RecipeInfo> etcdRecipes();

} // namespace lockscope::recipes
