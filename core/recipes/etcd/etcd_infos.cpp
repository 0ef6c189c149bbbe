// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_infos.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Recipe)
};

RecipeInfo etcdLease() {
    RecipeInfo info;
    info.id = "etcd-lease";
    info.backend = "etcd";
    info.summary = QCoreApplication::translate(
        "Recipe", "etcd's own mutex: a key under a lease queues by its revision and waits for the next older one");
    info.steps = {
        Text::tr("a lease of {lease}, shared by locks that are kept; nobody at {name}, nobody under {name}/ → put "
                 "{name}/lease"),
        Text::tr("txn: {name} and {name}/lease absent → put it; get the oldest"),
        Text::tr("mine is the oldest → hold"),
        Text::tr("else watch the next older until it is deleted; again 3"),
        Text::tr("work, write to the resource with my revision"),
        Text::tr("alone: txn {name}/lease is still the one I made → delete; revoke the lease; shared: delete it")};
    info.workStep = 5;
    info.watchdog = true;
    info.token = true;
    info.fair = true;
    info.heldBy = HeldBy::Lease;
    info.layout = "etcd";
    return info;
}
} // namespace

std::vector<RecipeInfo> etcdRecipes() {
    return {etcdLease()};
}

} // namespace lockscope::recipes
