// SPDX-License-Identifier: Apache-2.0
#include "connections/connection.h"
#include "recipes/no_such_recipe.h"

#include <QCoreApplication>

namespace lockscope {

recipes::Outcome<void> Connection::prepare(std::stop_token) {
    co_return {};
}

// NOLINTBEGIN(performance-unnecessary-value-param): backends that have conditions keep the spec
std::expected<std::unique_ptr<recipes::ConditionRecipe>, LockError> Connection::makeCondition(const QByteArray& recipe,
                                                                                              LockSpec /*spec*/) {
    return std::unexpected(noConditions(recipe));
}
// NOLINTEND(performance-unnecessary-value-param)

LockError noConditions(const QByteArray& recipe) {
    QStringList others;
    for (const recipes::RecipeInfo& info : recipes::allRecipes()) {
        if (info.condition) others += QString::fromLatin1(info.id);
    }
    return {LockError::Kind::NotSupported,
            QCoreApplication::translate("LockError", "Locks of the recipe “%1” have no conditions; those of %2 do.")
                .arg(QString::fromLatin1(recipe), others.join(QStringLiteral(", ")))};
}

LockError noSuchRecipe(const QByteArray& id, const Connection& connection) {
    const QByteArray ofSeveral = "redis-redlock";
    if (id == ofSeveral && connection.backend() == "redis") {
        return {LockError::Kind::NotSupported,
                QCoreApplication::translate("LockError", "The recipe “%1” needs several servers that know nothing of "
                                                         "each other, and %2 is not that: write redlock://host1,host2,"
                                                         "host3.")
                    .arg(QString::fromLatin1(id), connection.url().display())};
    }
    QStringList known;
    for (const recipes::RecipeInfo& info : recipes::allRecipes()) {
        if (info.backend == connection.backend() && info.id != ofSeveral) known += QString::fromLatin1(info.id);
    }
    return {
        LockError::Kind::NotSupported,
        QStringLiteral("%1: %2").arg(connection.url().display(), recipes::noSuchRecipe(QString::fromUtf8(id), known))};
}

} // namespace lockscope
