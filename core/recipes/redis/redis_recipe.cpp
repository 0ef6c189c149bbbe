// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_recipe.h"

#include "ports/redis/errors.h"
#include "recipes/backoff.h"
#include "recipes/multi.h"
#include "recipes/redis/redis_confirmed.h"
#include "recipes/redis/redis_fair.h"
#include "recipes/redis/redis_read_write.h"
#include "recipes/redis/redis_reentrant.h"
#include "recipes/redis/redis_semaphore.h"
#include "recipes/redis/redis_set.h"
#include "recipes/redis/redis_set_del.h"
#include "recipes/redis/redis_setnx.h"
#include "trace/digits.h"

#include <QCoreApplication>
#include <set>

namespace lockscope::recipes {

namespace {
const QByteArray kMulti = "redis-multi";

/// One reentrant lock for each name in "a,b,c", in the order of the names: all clients take several locks in the same
/// order.
std::unique_ptr<Recipe> makeMulti(const RedisLock& lock) {
    std::vector<std::unique_ptr<Recipe>> parts;
    for (const QByteArray& name : lockKeys(kMulti, lock.name)) {
        RedisLock one{lock.port, name, lock.client, lock.polling, lock.doubts};
        one.alive = lock.alive;
        one.holdersListen = lock.holdersListen;
        one.confirmFor = lock.confirmFor;
        one.replicas = lock.replicas; // each was written on its own, in a cluster on another server
        parts.push_back(makeRedisRecipe("redis-reentrant", std::move(one)));
    }
    if (parts.empty()) return nullptr;
    return std::make_unique<MultiRecipe>(lock.port.runtime(), *findRecipe(kMulti), std::move(parts));
}

/// True for the answers of a server that cannot do anything now and has done nothing.
bool isBusy(const QByteArray& code) {
    return code == "BUSY" || code == "LOADING" || code == "MASTERDOWN" || code == "CLUSTERDOWN" || code == "TRYAGAIN" ||
           code == "NOREPLICAS"; // not enough of them, as after a failover
}

std::unique_ptr<Recipe> makeBare(const QByteArray& id, RedisLock lock) {
    if (id == "redis-setnx") return std::make_unique<RedisSetnx>(std::move(lock));
    if (id == "redis-setnx-expire") return std::make_unique<RedisSetnxExpire>(std::move(lock));
    if (id == "redis-set-del") return std::make_unique<RedisSetDel>(std::move(lock));
    if (id == "redis-set-getdel") return std::make_unique<RedisSetGetDel>(std::move(lock));
    if (id == "redis-set") return std::make_unique<RedisSet>(std::move(lock));
    if (id == "redis-reentrant") return std::make_unique<RedisReentrant>(std::move(lock));
    if (id == "redis-fenced") return std::make_unique<RedisReentrant>(std::move(lock), RedisReentrant::Kind::Fenced);
    if (id == "redis-fair") return std::make_unique<RedisFair>(std::move(lock));
    if (id == "redis-rw") return std::make_unique<RedisReadWrite>(std::move(lock));
    if (id == "redis-semaphore") return std::make_unique<RedisSemaphore>(std::move(lock));
    return nullptr;
}

/// Servers do not say what to do about it.
QString withAdvice(const redis::Error& error) {
    QString said = error.message;
    if (said.endsWith(u'.')) said.chop(1);
    if (error.code == "MOVED" || error.code == "ASK") {
        return QCoreApplication::translate("LockError",
                                           "%1. The server is one of a cluster: begin the URL with redis+cluster://.")
            .arg(said);
    }
    if (error.code == "READONLY") {
        return QCoreApplication::translate("LockError", "%1. It is a replica and takes no writes: connect to its "
                                                        "master, or by its sentinels.")
            .arg(said);
    }
    if (said.contains(QLatin1String("cluster support disabled"))) {
        return QCoreApplication::translate("LockError",
                                           "%1. The server is none of a cluster: begin the URL with redis://.")
            .arg(said);
    }
    return error.message;
}
} // namespace

std::vector<QByteArray> lockKeys(const QByteArray& recipe, const QByteArray& name) {
    if (recipe != kMulti) return {name};
    std::set<QByteArray> names;
    for (const QByteArray& each : name.split(',')) {
        if (!each.trimmed().isEmpty()) names.insert(each.trimmed());
    }
    return {names.begin(), names.end()};
}

std::unique_ptr<Recipe> makeRedisRecipe(const QByteArray& id, RedisLock lock) {
    if (id == kMulti) return makeMulti(lock);
    auto bare = makeBare(id, lock);
    if (lock.replicas <= 0 || !bare) return bare;
    return std::make_unique<RedisConfirmed>(lock,
                                            [&id](RedisLock watched) { return makeBare(id, std::move(watched)); });
}

LockError lockError(const redis::Error& error, const QByteArray& name) {
    using Kind = redis::Error::Kind;
    if (error.wrongType()) {
        return {LockError::Kind::ForeignFormat,
                QCoreApplication::translate(
                    "LockError", "The key “%1” holds data of another kind than this recipe writes: it was left "
                                 "alone. Use another lock name, or the recipe that wrote it.")
                    .arg(QString::fromUtf8(name))};
    }
    const bool byServer = !error.code.isEmpty(); // such as a database that it does not have
    if (error.kind == Kind::WrongUrl && !byServer) return {LockError::Kind::InvalidArgument, error.message};
    // Errors that trying again does not cure. A replica among them: mostly a user took it for its master.
    const bool wrong = error.kind == Kind::AuthFailed || error.kind == Kind::WrongUrl;
    if (wrong || (error.kind == Kind::Refused && !isBusy(error.code)))
        return {LockError::Kind::Refused, withAdvice(error)};
    return {error.outcomeUnknown() ? LockError::Kind::OutcomeUnknown : LockError::Kind::Unreachable, error.message};
}

LockError notOwner(const QByteArray& name) {
    return {LockError::Kind::NotOwner,
            QCoreApplication::translate("LockError",
                                        "The lock “%1” is no longer ours: its lease ended or somebody freed it.")
                .arg(QString::fromUtf8(name))};
}

QByteArray forcedChannelOf(const QByteArray& name) {
    return "lockscope_forced:" + hashTagged(name);
}

Outcome<void> listenForForce(redis::Port& port, QByteArray channel, CallList::Callback ask, std::stop_token stop) {
    constexpr Nanos kAgain = 1s; // nobody waits for it: renewals find the same out
    Runtime& runtime = port.runtime();
    for (;;) {
        auto subscribed = co_await port.subscribe(channel, stop);
        if (!subscribed) {
            const LockError error = lockError(redis::errors::harmless(subscribed.error()), channel);
            if (!passes(error)) co_return std::unexpected(error);
            co_await runtime.sleep(kAgain, stop);
            continue;
        }
        for (;;) {
            ask(); // now, for what nobody has told us; and after each message, or gap between messages
            co_await (*subscribed)->next(kNever, stop);
        }
    }
}

QByteArray milliseconds(Nanos lease) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(lease).count();
    return trace::digitsOf(std::uint64_t(std::max<std::int64_t>(ms, 1)), 10);
}

QByteArray hashTagged(const QByteArray& name) {
    return name.contains('{') ? name : '{' + name + '}';
}

} // namespace lockscope::recipes
