// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe_info.h"

namespace lockscope::recipes {

// The facts of each recipe, in the program's language; they stand at the top of the algorithm's file. allRecipes()
// keeps them.
RecipeInfo redisSetnxInfo();
RecipeInfo redisSetnxExpireInfo();
RecipeInfo redisSetDelInfo();
RecipeInfo redisSetGetDelInfo();
RecipeInfo redisSetInfo();
RecipeInfo redisReentrantInfo();
RecipeInfo redisFencedInfo();
RecipeInfo redisFairInfo();
RecipeInfo redisReadWriteInfo();
RecipeInfo redisMultiInfo();
RecipeInfo redlockInfo();
RecipeInfo redisSemaphoreInfo();

RecipeInfo zkEphemeralInfo();
RecipeInfo zkSequentialInfo();
RecipeInfo zkMutexInfo();
RecipeInfo zkReadWriteInfo();
RecipeInfo zkSemaphoreInfo();

RecipeInfo sqlRowInfo();
RecipeInfo sqlLeaseInfo();
RecipeInfo sqlForUpdateInfo();
RecipeInfo sqlVersionInfo();
RecipeInfo sqlAdvisoryInfo();

RecipeInfo memcachedAddInfo();
RecipeInfo memcachedLeaseInfo();

RecipeInfo etcdLeaseInfo();

} // namespace lockscope::recipes
