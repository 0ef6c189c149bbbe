// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "live_redis.h"
#include "recipes/redis/redis_recipe.h"

namespace lockscope::test {

using recipes::Grant;
using recipes::Mode;
using recipes::Request;

/// One client process with connections of its own.
struct Process {
    Process(Runtime& runtime, const sandbox::RedisServer& server, redis::DriverOptions options = {})
        : driver(runtime, urlOf(server), std::move(options)), uuid(runtime.randomUuid()) {}
    recipes::RedisLock lock(const QByteArray& name) { return {driver, name, uuid, {}, doubts}; }
    std::unique_ptr<recipes::Recipe> recipe(const QByteArray& id, const QByteArray& name, int permits = 1) {
        recipes::RedisLock spec = lock(name);
        spec.permits = permits;
        return recipes::makeRedisRecipe(id, std::move(spec));
    }
    redis::RedisDriver driver;
    QByteArray uuid;
    std::shared_ptr<recipes::Doubts> doubts = std::make_shared<recipes::Doubts>();
};

/// In the mode that the recipe has, so that it excludes others.
inline Request requestFor(const recipes::Recipe& recipe, Nanos wait = kNever, Nanos lease = 30s) {
    Request request;
    request.wait = wait;
    request.lease = lease;
    request.mode = recipe.info().exclusive ? Mode::Exclusive : Mode::Permit;
    return request;
}

/// Recipes of this backend that need one server.
inline std::vector<QByteArray> oneServerRecipes() {
    std::vector<QByteArray> ids;
    for (const recipes::RecipeInfo& info : recipes::allRecipes()) {
        if (info.backend == "redis" && info.id != "redis-redlock") ids.push_back(info.id);
    }
    return ids;
}

inline void everyRecipe() {
    QTest::addColumn<QByteArray>("id");
    for (const QByteArray& id : oneServerRecipes())
        QTest::newRow(id.constData()) << id;
}

inline void everySafeRecipe() {
    QTest::addColumn<QByteArray>("id");
    for (const QByteArray& id : oneServerRecipes()) {
        if (!recipes::findRecipe(id)->naive) QTest::newRow(id.constData()) << id;
    }
}

/// The keys on the server, sorted, without what stays by design: fencing counters, and the counter of a semaphore of
/// which all `permits` are free.
inline QStringList keysLeft(redis::RedisDriver& driver, int permits = 1) {
    QStringList keys;
    const redis::Result found = call(driver, {"SCAN", "0", "COUNT", "10000"});
    if (!found) return {found.error().message};
    for (const redis::Reply& key : found->items.at(1).items) {
        if (key.text.startsWith("redisson_lock_token:")) continue;
        const redis::Result value = call(driver, {"GET", key.text});
        if (value && value->text == QByteArray::number(permits)) continue;
        keys += QString::fromUtf8(key.text);
    }
    keys.sort();
    return keys;
}

} // namespace lockscope::test
