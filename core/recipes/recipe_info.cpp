// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_info.h"

#include "recipes/recipe_infos.h"

#include <algorithm>

namespace lockscope::recipes {

const std::vector<RecipeInfo>& allRecipes() {
    static const std::vector<RecipeInfo> recipes = [] {
        std::vector<RecipeInfo> all;
        for (auto some : {redisRecipes(), zookeeperRecipes(), sqlRecipes(), memcachedRecipes(), etcdRecipes()})
            std::ranges::move(some, std::back_inserter(all));
        return all;
    }();
    return recipes;
}

const std::vector<RecipeInfo>& simulatedRecipes() {
    static const std::vector<RecipeInfo> recipes = [] {
        std::vector<RecipeInfo> some;
        std::ranges::copy_if(allRecipes(), std::back_inserter(some), &RecipeInfo::simulated);
        return some;
    }();
    return recipes;
}

const RecipeInfo* findRecipe(const QByteArray& id) {
    const auto& recipes = allRecipes();
    const auto found = std::ranges::find(recipes, id, &RecipeInfo::id);
    return found == recipes.end() ? nullptr : &*found;
}

const RecipeInfo* findSimulatedRecipe(const QByteArray& id) {
    const RecipeInfo* const found = findRecipe(id);
    return found && found->simulated ? found : nullptr;
}

} // namespace lockscope::recipes
