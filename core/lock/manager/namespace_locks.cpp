// SPDX-License-Identifier: Apache-2.0
// A namespace's locks and conditions on the engine in use, and errors for those that the engine cannot make.
#include "lock/hold_keeper.h"
#include "lock/manager/namespace.h"
#include "lock/named_lock.h"
#include "lock/recipe_choice.h"

#include <QCoreApplication>

namespace lockscope::detail {

std::expected<std::unique_ptr<DistributedLock>, LockError> Namespace::makeLock(const QByteArray& name, int permits) {
    Engine* const engine = engineOf(m_active.engine);
    if (!engine) {
        return std::unexpected(LockError{
            LockError::Kind::Refused,
            QCoreApplication::translate("LockManager", "The engine that is in use for “%1”, %2, is not in this "
                                                       "process's configuration: give all processes the same one.")
                .arg(QString::fromUtf8(m_config.name), QString::fromUtf8(m_active.engine))});
    }
    HoldOptions options = m_config.options;
    options.recipe = engine->config.recipe.toStdString();
    options.epoch = m_active.epoch;
    options.allowNaive = m_config.allowNaive;
    const recipes::RecipeInfo* const info = recipes::findRecipe(engine->config.recipe);
    const recipes::Mode mode = info && !info->exclusive ? recipes::Mode::Permit : recipes::Mode::Exclusive;
    return lockscope::makeLock(*engine->connection, m_config.name + ':' + name, mode, options, permits);
}

LockError Namespace::notInUse() const {
    return {LockError::Kind::Unreachable,
            QCoreApplication::translate("LockManager", "No engine of “%1” is in use just now: it is being changed, or "
                                                       "too few of the servers that keep its record answer. Try again.")
                .arg(QString::fromUtf8(m_config.name))};
}

std::optional<LockError> Namespace::lackOf(recipes::Mode mode) const {
    return lackOf([mode](const recipes::RecipeInfo& info) -> std::optional<LockError> {
        if (offers(info, mode)) return std::nullopt;
        return notOffered(info, mode);
    });
}

std::optional<LockError> Namespace::lackOfConditions() const {
    return lackOf([](const recipes::RecipeInfo& info) -> std::optional<LockError> {
        if (info.condition) return std::nullopt;
        return noConditions(info.id);
    });
}

std::optional<LockError> Namespace::lackOfReentry() const {
    return lackOf([](const recipes::RecipeInfo& info) -> std::optional<LockError> {
        if (info.reentrant) return std::nullopt;
        return LockError{LockError::Kind::NotSupported,
                         QCoreApplication::translate(
                             "LockManager", "This thread holds the lock more than once, and the recipe “%1” could not "
                                            "give that back after the wait. Wait where it is held once.")
                             .arg(QString::fromLatin1(info.id))};
    });
}

std::optional<LockError>
Namespace::lackOf(const std::function<std::optional<LockError>(const recipes::RecipeInfo&)>& lackOfOne) const {
    for (const Engine& engine : m_engines) {
        const recipes::RecipeInfo* const info = recipes::findRecipe(engine.config.recipe);
        auto lack = info ? lackOfOne(*info) : std::nullopt;
        if (!lack) continue;
        lack->message +=
            QLatin1Char(' ') + QCoreApplication::translate("LockManager", "The namespace “%1” locks with it on %2.")
                                   .arg(QString::fromUtf8(m_config.name), engine.config.url.display());
        return lack;
    }
    return std::nullopt;
}

std::expected<std::unique_ptr<recipes::ConditionRecipe>, LockError> Namespace::makeCondition(const QByteArray& name,
                                                                                             std::int64_t epoch) {
    Engine* const engine = engineOf(m_active.engine);
    if (!engine || epoch != m_active.epoch) return std::unexpected(notHeldForCondition()); // a switch ended the hold
    // Waiters of an earlier stay on this engine may have left entries there, because they could not reach it. These
    // entries belong to no present waiter: they must not take a signal.
    const QByteArray own = m_config.name + ':' + name + '@' + QByteArray::number(qlonglong(epoch));
    return engine->connection->makeCondition(engine->config.recipe, {own, 1});
}

} // namespace lockscope::detail
