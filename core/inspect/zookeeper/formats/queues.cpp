// SPDX-License-Identifier: Apache-2.0
// Queues whose contenders have a plain number: go-zookeeper's, Menagerie's, ZooKeeper's own recipes, and mixtures.
#include "inspect/zookeeper/formats.h"
#include "inspect/zookeeper/queue_rows.h"

#include <algorithm>

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
    // Anything may stand before "-lock-"; and much else than a lock is called read-1.
    row.certainty = Certainty::Likely;
    return {std::move(row)};
}

// The numbers have one order, but not every library sees the others' nodes: then two of them hold it.
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

// The textbook's lock, under names that no library is known by: sessions queue as ephemeral, sequential nodes of one
// stem. Members of a group stand there in the same way, so it is a guess; a single one says nothing.
std::vector<LockRow> readNumberedQueue(const SeenNode& node) {
    SeenNode queue = node;
    const auto isIts = [](const SeenChild& child) {
        return child.name.family == ZkFamily::Unknown && !child.name.number().isEmpty() && child.stat &&
               child.stat->ephemeralOwner != 0;
    };
    std::erase_if(queue.children, [&](const SeenChild& child) { return !isIts(child); });
    const auto stemOf = [](const SeenChild& child) {
        return QByteArrayView(child.name.name).chopped(child.name.number().size());
    };
    const auto sameStem = [&](const SeenChild& child) { return stemOf(child) == stemOf(queue.children.front()); };
    if (queue.children.size() < 2 || !std::ranges::all_of(queue.children, sameStem)) return {};
    LockRow row = zkQueueRow(queue, "zk-sequential", Contenders::Numbered);
    row.certainty = Certainty::Guess;
    return {std::move(row)};
}

} // namespace lockscope::inspect
