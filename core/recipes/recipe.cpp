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

HolderInfo HolderInfo::of(const QByteArray& clientAndThread) {
    const qsizetype colon = clientAndThread.lastIndexOf(':');
    if (colon < 0) return {clientAndThread, QByteArray()};
    return {clientAndThread.first(colon), clientAndThread.sliced(colon + 1)};
}

Outcome<std::vector<HolderInfo>> Recipe::holders(std::stop_token) {
    co_return std::unexpected(
        LockError{LockError::Kind::NotSupported,
                  QCoreApplication::translate("LockError", "Locks of the recipe “%1” do not say who holds them.")
                      .arg(QString::fromLatin1(info().id))});
}

Outcome<std::optional<int>> Recipe::permitsFree(std::stop_token) {
    co_return std::unexpected(notSupported(info()));
}

Outcome<std::optional<int>> Recipe::queueLength(std::stop_token) {
    co_return std::nullopt;
}

Grant Recipe::takePart(Grant& grant, int) {
    Q_ASSERT_X(false, "Recipe::takePart", "a recipe of permits has its own");
    return grant;
}

Outcome<bool> Recipe::renew(Grant, std::stop_token) {
    co_return std::unexpected(notSupported(info()));
}

Outcome<HoldNews> Recipe::news(Grant, std::stop_token) {
    co_return std::unexpected(notSupported(info()));
}

Outcome<void> Recipe::listen(Grant, CallList::Callback, std::stop_token) {
    co_return std::unexpected(notSupported(info()));
}

Outcome<void> untilAllEnd(std::vector<Outcome<void>> all) {
    std::expected<void, LockError> result;
    std::optional<Cancelled> cancelled;
    for (const Outcome<void>& one : all) {
        try {
            const std::expected<void, LockError> ended = co_await one;
            if (!ended && result) result = ended;
        } catch (const Cancelled& why) {
            cancelled = why;
        }
    }
    if (cancelled) throw *cancelled;
    co_return result;
}

} // namespace lockscope::recipes
