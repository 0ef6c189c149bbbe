// SPDX-License-Identifier: Apache-2.0
// Queues whose contenders have a plain number: go-zookeeper's, Menagerie's, ZooKeeper's own recipes, and mixtures.
#include "inspect/zookeeper/formats.h"
#include "inspect/zookeeper/queue_rows.h"

namespace lockscope::inspect {

using recipes::ZkFamily;

namespace {

/// The only family below the node; Unknown: none, or several.
ZkFamily onlyFamily(const SeenNode& node) {
    const std::set<ZkFamily> families = node.families();
    return families.size() == 1 ? *families.begin() : ZkFamily::Unknown;
}

} // namespace

std::vector<LockRow> readGoZooKeeper(const SeenNode& node) {
    if (onlyFamily(node) != ZkFamily::GoZooKeeper) return {};
    return {zkQueueRow(node, "go-zookeeper")};
}

std::vector<LockRow> readMenagerie(const SeenNode& node) {
    const ZkFamily family = onlyFamily(node);
    if (family == ZkFamily::Menagerie) return {zkQueueRow(node, "menagerie")};
    if (family == ZkFamily::MenagerieReadWrite) return {zkQueueRow(node, "menagerie-rw")};
    return {};
}

std::vector<LockRow> readZkRecipes(const SeenNode& node) {
    const ZkFamily family = onlyFamily(node);
    if (family == ZkFamily::ZkRecipe) return {zkQueueRow(node, "zk-recipe")};
    if (family != ZkFamily::ZkPage) return {};
    LockRow row = zkQueueRow(node, "zk-page");
    row.certainty = Certainty::Likely; // anything may stand before "-lock-"
    return {std::move(row)};
}

// The numbers have one order, but not every library sees the others' nodes: two may believe that they hold it.
std::vector<LockRow> readMixedQueue(const SeenNode& node) {
    const std::set<ZkFamily> families = node.families();
    if (families.size() < 2 || families.contains(ZkFamily::Lease)) return {};
    LockRow row = zkQueueRow(node, "mixed");
    QByteArrayList names;
    for (const ZkFamily family : families)
        names << recipes::familyName(family).toUtf8();
    row.format = "mixed (" + names.join(", ") + ')';
    row.certainty = Certainty::Likely;
    return {std::move(row)};
}

} // namespace lockscope::inspect
