// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_infos.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Recipe)
};

RecipeInfo memcachedAdd() {
    RecipeInfo info;
    info.id = "memcached-add";
    info.backend = "memcached";
    info.summary =
        QCoreApplication::translate("Recipe", "add with an expiry, and a delete that does not look whose lock it is");
    info.steps = {Text::tr("add {name} me {lease}"), Text::tr("NOT_STORED → wait a little, again 1"),
                  Text::tr("work, write to the resource"), Text::tr("delete {name}, whoever holds it")};
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
    info.steps = {Text::tr("value := new unique id"),
                  Text::tr("add {name} value {lease}; gets {name} → version; taken → wait a little, again"),
                  Text::tr("STORED → hold until sent + {lease}; watchdog: cas {lease}"),
                  Text::tr("work, write to the resource with the version"),
                  Text::tr("cas {name} version, expiring at once")};
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
