// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/format.h"
#include "inspect/zookeeper/seen_node.h"

namespace lockscope::inspect {

/// The layouts of locks on ZooKeeper, in the order in which they are tried.
std::span<const Format<SeenNode>> zookeeperFormats();

std::vector<LockRow> readCuratorSemaphore(const SeenNode& node); ///< curator-semaphore
std::vector<LockRow> readCurator(const SeenNode& node);          ///< curator-mutex, curator-rw, curator-latch
std::vector<LockRow> readKazooLease(const SeenNode& node);       ///< kazoo-lease
std::vector<LockRow> readKazooSemaphore(const SeenNode& node);   ///< kazoo-semaphore
std::vector<LockRow> readKazoo(const SeenNode& node);            ///< kazoo, kazoo-rw
std::vector<LockRow> readGoZooKeeper(const SeenNode& node);      ///< go-zookeeper
std::vector<LockRow> readMenagerie(const SeenNode& node);        ///< menagerie, menagerie-rw; zk-sequential's own
std::vector<LockRow> readZkRecipes(const SeenNode& node);        ///< zk-recipe, zk-page
std::vector<LockRow> readMixedQueue(const SeenNode& node);
std::vector<LockRow> readNumberedQueue(const SeenNode& node); ///< several families below one node
std::vector<LockRow> readShedLockNode(const SeenNode& node);  ///< shedlock-zk
std::vector<LockRow> readEphemeral(const SeenNode& node);     ///< zk-ephemeral

/// Whether a child of that name may be a permit of kazoo's semaphore.
bool isKazooPermit(const QByteArray& name);

} // namespace lockscope::inspect
