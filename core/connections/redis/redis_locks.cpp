// SPDX-License-Identifier: Apache-2.0
#include "connections/redis/redis_locks.h"

#include "connections/kept.h"
#include "connections/wrong_permits.h"
#include "ports/redis/options.h"
#include "recipes/of_question.h"
#include "recipes/redis/redis_condition.h"

#include <QCoreApplication>

namespace lockscope {

namespace {
constexpr int kMostReplicas = 100;

LockError refused(const QString& message) {
    return {LockError::Kind::Refused, message};
}
} // namespace

std::expected<std::unique_ptr<recipes::Recipe>, LockError>
makeRedisLock(const QByteArray& id, std::shared_ptr<redis::Port> port, const LockSpec& spec,
              const Connection& connection, std::shared_ptr<recipes::Doubts> doubts) {
    if (spec.name.isEmpty())
        return std::unexpected(refused(QCoreApplication::translate("LockError", "The lock needs a name.")));
    if (auto wrong = wrongPermits(spec.name, spec.permits)) return std::unexpected(*std::move(wrong));
    recipes::RedisLock lock{*port, spec.name, connection.client()};
    lock.doubts = std::move(doubts);
    lock.permits = spec.permits;
    lock.holdersListen = connection.holdersListen();
    lock.alive = port; // parts of several locks as one are given back in the background, without that one
    Nanos answer = redis::DriverOptions().commandTimeout;
    connection.url().takeTime("timeout", answer);
    lock.confirmFor = std::min(lock.confirmFor, answer / 2);
    if (const QString wait = connection.url().option("wait"); !wait.isEmpty()) {
        bool isNumber = false;
        lock.replicas = wait.toInt(&isNumber);
        if (!isNumber || lock.replicas < 0 || lock.replicas > kMostReplicas) {
            return std::unexpected(refused(
                QCoreApplication::translate("LockError", "The URL's option wait=%1 is not a number of replicas; write "
                                                         "for example wait=1.")
                    .arg(wait)));
        }
    }
    auto recipe = recipes::makeRedisRecipe(id, std::move(lock));
    if (recipe) return std::make_unique<KeptRecipe>(std::move(port), std::move(recipe));
    if (id == "redis-multi") {
        return std::unexpected(refused(
            QCoreApplication::translate("LockError", "“%1” names no locks; write their names with commas: a,b,c.")
                .arg(QString::fromUtf8(spec.name))));
    }
    return std::unexpected(noSuchRecipe(id, connection));
}

std::expected<std::unique_ptr<recipes::ConditionRecipe>, LockError>
makeRedisLockCondition(const QByteArray& recipe, std::shared_ptr<redis::Port> port, const LockSpec& spec,
                       const Connection& connection, std::shared_ptr<recipes::Doubts> doubts) {
    const recipes::RecipeInfo* const info = recipes::findRecipe(recipe);
    if (!info || info->backend != connection.backend() || !info->condition)
        return std::unexpected(noConditions(recipe));
    auto condition = std::make_unique<recipes::RedisCondition>(
        recipes::RedisLock{*port, spec.name, connection.client(), {}, std::move(doubts)});
    return std::make_unique<KeptCondition>(std::move(port), std::move(condition));
}

recipes::Outcome<void> pingMaster(std::shared_ptr<redis::Port> port, QString where, std::stop_token stop) {
    redis::Result reply = co_await port->call(redis::argsOf("ROLE"), stop);
    // If this user may not ask for the role, or the server does not know the command, PING shows at least that the
    // server is alive.
    if (!reply && reply.error().kind == redis::Error::Kind::Refused)
        reply = co_await port->call(redis::argsOf("PING"), stop);
    if (!reply) co_return std::unexpected(ofQuestion(recipes::lockError(reply.error(), {})));
    if (!reply->items.empty() && reply->items[0].text == "slave") {
        co_return std::unexpected(
            refused(QCoreApplication::translate("LockError", "%1 is a replica and takes no writes: connect to its "
                                                             "master, or by its sentinels.")
                        .arg(where)));
    }
    co_return {};
}

} // namespace lockscope
