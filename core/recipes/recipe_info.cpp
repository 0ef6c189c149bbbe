// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_info.h"

#include "recipes/exhibits.h"
#include "recipes/recipe_infos.h"
#include "recipes/translate_recipes.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

namespace lockscope::recipes {

namespace {

struct Lists {
    std::vector<RecipeInfo> all, simulated;
};

std::unique_ptr<const Lists> makeLists() {
    auto lists = std::make_unique<Lists>();
    // In the documentation's order.
    lists->all = {
        redisSetnxInfo(),     redisSetnxExpireInfo(), redisSetDelInfo(),  redisSetGetDelInfo(), redisSetInfo(),
        redisReentrantInfo(), redisFencedInfo(),      redisFairInfo(),    redisReadWriteInfo(), redisMultiInfo(),
        redlockInfo(),        redisSemaphoreInfo(),   zkEphemeralInfo(),  zkSequentialInfo(),   zkMutexInfo(),
        zkReadWriteInfo(),    zkSemaphoreInfo(),      sqlRowInfo(),       sqlLeaseInfo(),       sqlForUpdateInfo(),
        sqlVersionInfo(),     sqlAdvisoryInfo(),      memcachedAddInfo(), memcachedLeaseInfo(), etcdLeaseInfo()};
    std::ranges::copy_if(lists->all, std::back_inserter(lists->simulated), &RecipeInfo::simulated);
    lists->simulated.push_back(sqlForUpdateLateInfo());
    return lists;
}

/// One for each language that was spoken. None goes: recipes at work point into theirs.
struct Spoken {
    std::mutex mutex;
    std::vector<std::unique_ptr<const Lists>> lists;
    std::atomic<const Lists*> current = nullptr;

    const Lists* add() {
        const std::scoped_lock lock(mutex);
        lists.push_back(makeLists());
        current.store(lists.back().get(), std::memory_order_release);
        return lists.back().get();
    }
};

Spoken& spoken() {
    static auto& all = *new Spoken; // static locks are given back at exit, and use it
    return all;
}

const Lists& lists() {
    Spoken& all = spoken();
    if (const Lists* const made = all.current.load(std::memory_order_acquire)) return *made;
    static const Lists* const first = all.add();
    const Lists* const made = all.current.load(std::memory_order_acquire);
    return made ? *made : *first;
}

} // namespace

const std::vector<RecipeInfo>& allRecipes() {
    return lists().all;
}

const std::vector<RecipeInfo>& simulatedRecipes() {
    return lists().simulated;
}

void translateRecipes() {
    if (spoken().current.load(std::memory_order_acquire)) spoken().add();
}

bool isExhibit(const QByteArray& id) {
    return std::ranges::find(allRecipes(), id, &RecipeInfo::id) == allRecipes().end() && findRecipe(id);
}

const RecipeInfo* findRecipe(const QByteArray& id) {
    for (const auto* const recipes : {&allRecipes(), &simulatedRecipes()}) {
        const auto found = std::ranges::find(*recipes, id, &RecipeInfo::id);
        if (found != recipes->end()) return &*found;
    }
    return nullptr;
}

} // namespace lockscope::recipes
