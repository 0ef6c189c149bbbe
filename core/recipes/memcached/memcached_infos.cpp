// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_infos.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {
RecipeInfo memcachedAdd() {
    RecipeInfo info;
    info.id = "memcached-add";
    info.backend = "memcached";
    info.summary =
        QCoreApplication::translate("Recipe", "add with an expiry, and a delete that does not look whose lock it is");
    info.steps = {QStringLiteral("add {name} me {lease}"), QStringLiteral("NOT_STORED → wait a little, again 1"),
                  QStringLiteral("work, write to the resource"), QStringLiteral("delete {name}, whoever holds it")};
    info.workStep = 3;
    info.naive = true;
    return info;
}

RecipeInfo memcachedLease() {
    RecipeInfo info;
    info.id = "memcached-lease";
    info.backend = "memcached";
    info.summary = QCoreApplication::translate(
        "Recipe", "add with a unique value; renewal and release compare its version by cas");
    info.steps = {QStringLiteral("value := new unique id"),
                  QStringLiteral("add {name} value {lease}; gets {name} → version; taken → wait a little, again"),
                  QStringLiteral("STORED → hold until sent + {lease}; watchdog: cas {lease}"),
                  QStringLiteral("work, write to the resource with the version"),
                  QStringLiteral("cas {name} version, expiring at once")};
    info.workStep = 4;
    info.watchdog = true;
    info.token = true;
    return info;
}
} // namespace

std::vector<RecipeInfo> memcachedRecipes() {
    return {memcachedAdd(), memcachedLease()};
}

} // namespace lockscope::recipes
