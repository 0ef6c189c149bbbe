// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_infos.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {

QString step(const char* text) {
    return QString::fromUtf8(text);
}

RecipeInfo onZooKeeper(const char* id, const char* summary, QStringList steps, int workStep) {
    RecipeInfo info;
    info.id = id;
    info.backend = "zookeeper";
    info.summary = QCoreApplication::translate("Recipe", summary);
    info.steps = std::move(steps);
    info.workStep = workStep;
    info.heldBy = HeldBy::Session;
    info.token = true;
    return info;
}

RecipeInfo zkEphemeral() {
    RecipeInfo info =
        onZooKeeper("zk-ephemeral", QT_TRANSLATE_NOOP("Recipe", "One ephemeral node, and everybody watches it: a herd"),
                    {step("create {name} ephemeral"), step("there already → watch it; gone → all again 1"),
                     step("work, write to the resource"), step("delete {name}")},
                    3);
    info.naive = true;
    return info;
}

RecipeInfo zkSequential() {
    RecipeInfo info = onZooKeeper(
        "zk-sequential",
        QT_TRANSLATE_NOOP("Recipe", "A queue of numbered ephemeral nodes, each watching the one before"),
        {step("create {name}/lock- ephemeral sequential"), step("children of {name}: is ours the lowest?"),
         step("watch the next lower one until it is gone"), step("work, write to the resource"), step("delete ours")},
        4);
    info.fair = true;
    info.condition = true;
    info.layout = "Menagerie";
    return info;
}

RecipeInfo zkMutex() {
    RecipeInfo info = onZooKeeper(
        "zk-mutex",
        QT_TRANSLATE_NOOP(
            "Recipe", "Curator's mutex: a fair queue, reentrant, with names that survive a lost reply; joins kazoo's"),
        {step("create {name}/_c_{uuid}-lock- ephemeral sequential"), step("children of {name}: is ours the lowest?"),
         step("watch the next lower one until it is gone"), step("work, write to the resource"), step("delete ours")},
        4);
    info.fair = true;
    info.reentrant = true;
    info.condition = true;
    info.layout = "Curator";
    return info;
}

RecipeInfo zkReadWrite() {
    RecipeInfo info = onZooKeeper(
        "zk-rw", QT_TRANSLATE_NOOP("Recipe", "Curator's read/write lock: one queue for readers and writers, in order"),
        {step("create {name}/_c_{uuid}-__READ__ or -__WRIT__ ephemeral sequential"),
         step("children of {name}: a writer before ours, or anybody before our writer?"),
         step("watch the first writer, or the next lower one, until it is gone"), step("work, write to the resource"),
         step("delete ours")},
        4);
    info.fair = true;
    info.reentrant = true;
    info.shared = true;
    info.layout = "Curator";
    return info;
}

RecipeInfo zkSemaphore() {
    RecipeInfo info = onZooKeeper(
        "zk-semaphore",
        QT_TRANSLATE_NOOP("Recipe", "Curator's semaphore: permits are nodes, taken one client at a time"),
        {step("create {name}/locks/_c_{uuid}-lock- ephemeral sequential"), step("wait until ours is the lowest"),
         step("create {name}/leases/_c_{uuid}-lease- ephemeral sequential, for each permit"),
         step("more leases than there may be → watch them"), step("work, write to the resource"),
         step("delete our leases")},
        5);
    info.fair = true;
    info.exclusive = false;
    info.permits = true;
    info.token = false;
    info.layout = "Curator";
    return info;
}

} // namespace

std::vector<RecipeInfo> zookeeperRecipes() {
    return {zkEphemeral(), zkSequential(), zkMutex(), zkReadWrite(), zkSemaphore()};
}

} // namespace lockscope::recipes
