// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {
LockError notSupported(const RecipeInfo& info) {
    return {
        LockError::Kind::NotSupported,
        QCoreApplication::translate("LockError", "The recipe “%1” cannot do this.").arg(QString::fromLatin1(info.id))};
}
} // namespace

Outcome<bool> Recipe::renew(Grant, std::stop_token) {
    co_return std::unexpected(notSupported(info()));
}

Outcome<HoldNews> Recipe::news(Grant, std::stop_token) {
    co_return std::unexpected(notSupported(info()));
}

} // namespace lockscope::recipes
