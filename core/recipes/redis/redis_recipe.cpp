// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_recipe.h"

#include "recipes/redis/redis_reentrant.h"
#include "recipes/redis/redis_set.h"
#include "recipes/redis/redis_set_del.h"

#include <QCoreApplication>

namespace lockscope::recipes {

std::unique_ptr<Recipe> makeRedisRecipe(const QByteArray& id, RedisLock lock) {
    if (id == "redis-set-del") return std::make_unique<RedisSetDel>(std::move(lock));
    if (id == "redis-set") return std::make_unique<RedisSet>(std::move(lock));
    if (id == "redis-reentrant") return std::make_unique<RedisReentrant>(std::move(lock));
    return nullptr;
}

LockError lockError(const redis::Error& error, const QByteArray& name) {
    using Kind = redis::Error::Kind;
    if (error.kind == Kind::Refused && error.code == "WRONGTYPE") {
        return {LockError::Kind::ForeignFormat,
                QCoreApplication::translate(
                    "LockError", "The key “%1” holds data of another kind than this recipe writes: it was left "
                                 "alone. Use another lock name, or the recipe that wrote it.")
                    .arg(QString::fromUtf8(name))};
    }
    if (error.kind == Kind::Refused) return {LockError::Kind::Refused, error.message};
    return {error.outcomeUnknown() ? LockError::Kind::OutcomeUnknown : LockError::Kind::Unreachable, error.message};
}

LockError notOwner(const QByteArray& name) {
    return {LockError::Kind::NotOwner,
            QCoreApplication::translate("LockError",
                                        "The lock “%1” is no longer ours: its lease ended or somebody freed it.")
                .arg(QString::fromUtf8(name))};
}

QByteArray milliseconds(Nanos lease) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(lease).count();
    return QByteArray::number(static_cast<qlonglong>(std::max<std::int64_t>(ms, 1)));
}

QByteArray hashTagged(const QByteArray& name) {
    return name.contains('{') ? name : '{' + name + '}';
}

} // namespace lockscope::recipes
