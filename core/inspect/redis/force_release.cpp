// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/force_release.h"

#include "inspect/redis/redisson_names.h"
#include "inspect/text.h"
#include "recipes/redis/redis_recipe.h"

#include <QCoreApplication>

namespace lockscope::inspect {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Watcher)
};

redis::Args existsCommand(QByteArray key) {
    return redis::argsOf("EXISTS", std::move(key));
}

} // namespace

QCoro::Task<std::expected<bool, QString>> forceReleaseOnRedis(redis::Port& port, QByteArray lockName, QByteArray format,
                                                              WatchOptions::Changes changes, std::stop_token stop) {
    if (changes == WatchOptions::Changes::Forbidden)
        co_return std::unexpected(Text::tr("This connection is read-only: nothing was changed."));
    if (format == "redisson-fastmulti")
        co_return std::unexpected(Text::tr("“%1” is one value of a fast multi-lock: that cannot be released from here.")
                                      .arg(readable(lockName)));
    const redis::Result what = co_await port.eval(recipes::whatIs(), redis::argsOf(lockName), redis::Args(), stop);
    QByteArray recipe = "redis-reentrant";
    if (what && what->text == "string") recipe = "redis-set";
    if (what && what->text == "redisson-rw") recipe = "redis-rw";
    if (what && what->text == "number") {
        const redis::Result permits = co_await port.call(existsCommand(redisson::permitsKey(lockName)), stop);
        recipe = permits && permits->integer > 0 ? "redis-semaphore" : "redis-setnx";
    }
    if (what && what->text == "redisson") { // those in its queue listen elsewhere
        const redis::Result queue = co_await port.call(existsCommand(redisson::queueKey(lockName)), stop);
        if (queue && queue->integer > 0) recipe = "redis-fair";
    }
    // Made before the await: GCC 12 destroys aggregates made inside a co_await expression twice.
    const std::unique_ptr<recipes::Recipe> owner = recipes::makeRedisRecipe(recipe, {port, lockName, QByteArray()});
    const auto freed = co_await owner->forceRelease(std::move(stop));
    if (!freed) co_return std::unexpected(freed.error().message);
    co_return *freed;
}

} // namespace lockscope::inspect
