// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_infos.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Recipe)
};

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
                    {Text::tr("create {name} ephemeral"), Text::tr("there already → watch it; gone → all again 1"),
                     Text::tr("work, write to the resource"), Text::tr("delete {name}")},
                    3);
    info.naive = true;
    return info;
}

RecipeInfo zkSequential() {
    RecipeInfo info = onZooKeeper(
        "zk-sequential",
        QT_TRANSLATE_NOOP("Recipe", "A queue of numbered ephemeral nodes, each watching the one before"),
        {Text::tr("create {name}/lock- ephemeral sequential"), Text::tr("children of {name}: is ours the lowest?"),
         Text::tr("watch the next lower one until it is gone"), Text::tr("work, write to the resource"),
         Text::tr("delete ours")},
        4);
    info.fair = true;
    info.condition = true;
    info.layout = "Menagerie";
    return info;
}

RecipeInfo zkMutex() {
    RecipeInfo info = onZooKeeper(
        "zk-mutex",
        QT_TRANSLATE_NOOP("Recipe", "Curator's mutex: a fair queue, reentrant, with names that survive a lost reply; "
                                    "joins kazoo's, and has its names with layout=kazoo"),
        {Text::tr("create {name}/_c_{uuid}-lock- ephemeral sequential"),
         Text::tr("children of {name}: is ours the lowest?"), Text::tr("watch the next lower one until it is gone"),
         Text::tr("work, write to the resource"), Text::tr("delete ours")},
        4);
    info.fair = true;
    info.reentrant = true;
    info.condition = true;
    info.layout = "Curator, kazoo";
    return info;
}

RecipeInfo zkReadWrite() {
    RecipeInfo info = onZooKeeper(
        "zk-rw",
        QT_TRANSLATE_NOOP(
            "Recipe",
            "Curator's read/write lock, or kazoo's with layout=kazoo: one queue for readers and writers, in order"),
        {Text::tr("create {name}/_c_{uuid}-__READ__ or -__WRIT__ ephemeral sequential"),
         Text::tr("children of {name}: a writer before ours, or anybody before our writer?"),
         Text::tr("watch the first writer, or the next lower one, until it is gone"),
         Text::tr("work, write to the resource"), Text::tr("delete ours")},
        4);
    info.fair = true;
    info.reentrant = true;
    info.shared = true;
    info.layout = "Curator, kazoo";
    return info;
}

RecipeInfo zkSemaphore() {
    RecipeInfo info =
        onZooKeeper("zk-semaphore",
                    QT_TRANSLATE_NOOP("Recipe", "Curator's semaphore: permits are nodes, taken one client at a time"),
                    {Text::tr("create {name}/locks/_c_{uuid}-lock- ephemeral sequential"),
                     Text::tr("wait until ours is the lowest"),
                     Text::tr("create {name}/leases/_c_{uuid}-lease- ephemeral sequential, for each permit"),
                     Text::tr("more leases than there may be → watch them"), Text::tr("work, write to the resource"),
                     Text::tr("delete our leases")},
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
