// SPDX-License-Identifier: Apache-2.0
#include "recipes/redlock/redlock.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {
struct Text {
    Q_DECLARE_TR_FUNCTIONS(Recipe)
};
} // namespace

RecipeInfo redlockInfo() {
    RecipeInfo info;
    info.id = "redis-redlock";
    info.backend = "redis";
    info.summary = QCoreApplication::translate(
        "Recipe", "Redlock: a majority of independent masters; held for the lease less what getting it took");
    info.steps = {Text::tr("value := new unique id"),
                  Text::tr("on all servers at once: SET {name} value NX PX {lease}"),
                  Text::tr("majority, and {lease} − elapsed − drift > 0 → hold that long"),
                  Text::tr("work, write to the resource"), Text::tr("on all servers: script: if value is mine, DEL")};
    info.workStep = 4;
    info.watchdog = true;
    info.layout = "Redlock";
    return info;
}

const RecipeInfo& Redlock::info() const {
    return *findRecipe("redis-redlock");
}

} // namespace lockscope::recipes
