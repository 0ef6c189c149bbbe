// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_infos.h"
#include "recipes/redlock/redlock.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {
RecipeInfo redisSetDel() {
    RecipeInfo info;
    info.id = "redis-set-del";
    info.backend = "redis";
    info.summary =
        QCoreApplication::translate("Recipe", "SET NX with an expiry, and a DEL that does not look whose lock it is");
    info.steps = {QStringLiteral("SET {name} me NX PX {lease}"), QStringLiteral("taken → wait a little, again 1"),
                  QStringLiteral("work, write to the resource"), QStringLiteral("DEL {name}, whoever holds it")};
    info.workStep = 3;
    info.naive = true;
    info.simulated = true;
    return info;
}

RecipeInfo redisSet() {
    RecipeInfo info;
    info.id = "redis-set";
    info.backend = "redis";
    info.summary =
        QCoreApplication::translate("Recipe", "SET NX PX with a unique value; release and renewal compare it first");
    info.steps = {QStringLiteral("value := new unique id"), QStringLiteral("SET {name} value NX PX {lease}"),
                  QStringLiteral("OK → hold until sent + {lease}"), QStringLiteral("work, write to the resource"),
                  QStringLiteral("script: if value is mine, DEL")};
    info.workStep = 4;
    info.watchdog = true;
    info.token = true;
    info.simulated = true;
    return info;
}

RecipeInfo redisReentrant() {
    RecipeInfo info;
    info.id = "redis-reentrant";
    info.backend = "redis";
    info.summary = QCoreApplication::translate(
        "Recipe", "Redisson's reentrant lock: a hash of holds, woken by messages, renewed by a watchdog");
    info.steps = {QStringLiteral("script: free or mine → HINCRBY me 1, PEXPIRE {lease}"),
                  QStringLiteral("taken → SUBSCRIBE its channel, try again"),
                  QStringLiteral("wait for a message, at most PTTL; again 1"),
                  QStringLiteral("hold; watchdog: PEXPIRE {lease} if mine"),
                  QStringLiteral("script: HINCRBY me -1; at 0 DEL, PUBLISH 0")};
    info.workStep = 4;
    info.reentrant = true;
    info.layout = "Redisson";
    info.watchdog = true;
    info.token = true;
    info.simulated = true;
    return info;
}
} // namespace

std::vector<RecipeInfo> redisRecipes() {
    return {redisSetDel(), redisSet(), redisReentrant(), redlockInfo()};
}

} // namespace lockscope::recipes
