// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_infos.h"
#include "recipes/redis/redis_recipe.h"
#include "recipes/redlock/redlock.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Recipe)
};

/// A naive string lock: four or five steps, nothing that helps.
RecipeInfo naive(const char* id, const char* summary, QStringList steps, int workStep) {
    RecipeInfo info;
    info.id = id;
    info.backend = "redis";
    info.summary = QCoreApplication::translate("Recipe", summary);
    info.steps = std::move(steps);
    info.workStep = workStep;
    info.naive = true;
    info.simulated = true;
    return info;
}

/// In one of Redisson's layouts; step 4 is the work, in all of them.
RecipeInfo redisson(const char* id, const char* summary, QStringList steps) {
    RecipeInfo info;
    info.id = id;
    info.backend = "redis";
    info.summary = QCoreApplication::translate("Recipe", summary);
    info.steps = std::move(steps);
    info.workStep = 4;
    info.reentrant = true;
    info.watchdog = true;
    info.condition = true;
    info.layout = "Redisson";
    info.simulated = true;
    return info;
}

RecipeInfo redisSetnx() {
    return naive(
        "redis-setnx",
        QT_TRANSLATE_NOOP("Recipe", "SETNX with an expiry time by the client's own clock; GETSET takes an expired one"),
        {Text::tr("SETNX {name} (my clock + {lease})"),
         Text::tr("taken → GET: is its time past? no → wait a little, again 1"),
         Text::tr("GETSET {name} (my clock + {lease}); was it what I had read?"),
         Text::tr("work, write to the resource"), Text::tr("DEL {name}, whoever holds it")},
        4);
}

RecipeInfo redisSetnxExpire() {
    return naive("redis-setnx-expire", QT_TRANSLATE_NOOP("Recipe", "SETNX, then its expiry as a second command"),
                 {Text::tr("SETNX {name} me"), Text::tr("PEXPIRE {name} {lease}"),
                  Text::tr("taken → wait a little, again 1"), Text::tr("work, write to the resource"),
                  Text::tr("DEL {name}, whoever holds it")},
                 4);
}

RecipeInfo redisSetDel() {
    return naive("redis-set-del",
                 QT_TRANSLATE_NOOP("Recipe", "SET NX with an expiry, and a DEL that does not look whose lock it is"),
                 {Text::tr("SET {name} me NX PX {lease}"), Text::tr("taken → wait a little, again 1"),
                  Text::tr("work, write to the resource"), Text::tr("DEL {name}, whoever holds it")},
                 3);
}

RecipeInfo redisSetGetDel() {
    return naive(
        "redis-set-getdel",
        QT_TRANSLATE_NOOP("Recipe", "SET NX PX with a unique value; GET, compare and DEL as separate commands"),
        {Text::tr("SET {name} value NX PX {lease}"), Text::tr("taken → wait a little, again 1"),
         Text::tr("work, write to the resource"), Text::tr("GET {name}: is it my value?"), Text::tr("DEL {name}")},
        3);
}

RecipeInfo redisSet() {
    RecipeInfo info;
    info.id = "redis-set";
    info.backend = "redis";
    info.summary =
        QCoreApplication::translate("Recipe", "SET NX PX with a unique value; release and renewal compare it first");
    info.steps = {Text::tr("SET {name} value NX PX {lease}, a new unique value each time"),
                  Text::tr("taken → SUBSCRIBE its channel, try again"),
                  Text::tr("wait for a message, a little while; again 1"),
                  Text::tr("hold until sent + {lease}; watchdog: script: if value is mine, PEXPIRE {lease}"),
                  Text::tr("script: if value is mine, DEL, PUBLISH 0")};
    info.workStep = 4;
    info.watchdog = true;
    info.token = true;
    info.condition = true;
    info.simulated = true;
    return info;
}

RecipeInfo redisReentrant() {
    RecipeInfo info = redisson(
        "redis-reentrant",
        QT_TRANSLATE_NOOP("Recipe",
                          "Redisson's reentrant lock: a hash of holds, woken by messages, renewed by a watchdog"),
        {Text::tr("script: free or mine → HINCRBY me 1, PEXPIRE {lease}"),
         Text::tr("taken → SUBSCRIBE its channel, try again"), Text::tr("wait for a message, at most PTTL; again 1"),
         Text::tr("hold; watchdog: PEXPIRE {lease} if mine"), Text::tr("script: HINCRBY me -1; at 0 DEL, PUBLISH 0")});
    info.token = true;
    return info;
}

RecipeInfo redisFenced() {
    RecipeInfo info = redisson(
        "redis-fenced",
        QT_TRANSLATE_NOOP("Recipe",
                          "Redisson's fenced lock: the reentrant one, and a counter that numbers every grant"),
        {Text::tr("script: free or mine → INCR token, HINCRBY me 1, PEXPIRE {lease}"),
         Text::tr("taken → SUBSCRIBE its channel, try again"), Text::tr("wait for a message, at most PTTL; again 1"),
         Text::tr("hold and show the token; watchdog: PEXPIRE {lease} if mine"),
         Text::tr("script: HINCRBY me -1; at 0 DEL, PUBLISH 0; the counter stays")});
    info.token = true;
    return info;
}

RecipeInfo redisFair() {
    RecipeInfo info = redisson(
        "redis-fair",
        QT_TRANSLATE_NOOP("Recipe", "Redisson's fair lock: a queue on the server, in which dead waiters time out"),
        {Text::tr("script: drop dead waiters; free and I am first → HSET me 1, PEXPIRE {lease}; else queue up"),
         Text::tr("queued → SUBSCRIBE my own channel, try again"),
         Text::tr("wait for my message, at most PTTL; again 1"), Text::tr("hold; watchdog: PEXPIRE {lease} if mine"),
         Text::tr("script: HINCRBY me -1; at 0 DEL, PUBLISH 0 to the first in the queue")});
    info.fair = true;
    info.deadWaiter = kWaiterPatience;
    return info;
}

RecipeInfo redisReadWrite() {
    RecipeInfo info = redisson(
        "redis-rw",
        QT_TRANSLATE_NOOP("Recipe", "Redisson's read/write lock: many readers or one writer; writers may starve"),
        {Text::tr("script: free, mine, or readers among themselves → HINCRBY me 1, PEXPIRE {lease}"),
         Text::tr("taken → SUBSCRIBE its channel, try again"), Text::tr("wait for a message, at most PTTL; again 1"),
         Text::tr("hold; watchdog: PEXPIRE {lease} of my own holds"),
         Text::tr("script: HINCRBY me -1; nobody left → DEL, PUBLISH")});
    info.shared = true;
    return info;
}

RecipeInfo redisMulti() {
    RecipeInfo info;
    info.id = "redis-multi";
    info.backend = "redis";
    info.summary =
        QCoreApplication::translate("Recipe", "Several reentrant locks as one, all of them or none: “a,b,c”");
    info.steps = {Text::tr("take each in the order of its name"),
                  Text::tr("not all in time → give back in reverse, again 1"),
                  Text::tr("hold, work; watchdog: renew each"), Text::tr("give back in reverse")};
    info.workStep = 3;
    info.reentrant = true;
    info.watchdog = true;
    info.layout = "Redisson";
    info.simulated = true;
    return info;
}

RecipeInfo redisSemaphore() {
    RecipeInfo info =
        redisson("redis-semaphore",
                 QT_TRANSLATE_NOOP("Recipe",
                                   "Redisson's semaphore whose permits expire: a counter, and a lease for each permit"),
                 {Text::tr("script: take ended permits back; enough free → DECRBY {name}, ZADD ids"),
                  Text::tr("too few → SUBSCRIBE its channel, try again"),
                  Text::tr("wait for a message, at most until a permit ends; again 1"),
                  Text::tr("hold; watchdog: ZADD my ids with {lease} again"),
                  Text::tr("script: ZREM my ids, INCRBY {name}, PUBLISH")});
    info.reentrant = false;
    info.exclusive = false;
    info.condition = false;
    info.permits = true;
    info.simulated = false; // simulated clients ask for exclusive holds only
    return info;
}
} // namespace

std::vector<RecipeInfo> redisRecipes() {
    return {redisSetnx(),  redisSetnxExpire(), redisSetDel(),    redisSetGetDel(), redisSet(),    redisReentrant(),
            redisFenced(), redisFair(),        redisReadWrite(), redisMulti(),     redlockInfo(), redisSemaphore()};
}

} // namespace lockscope::recipes
