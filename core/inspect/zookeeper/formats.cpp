// SPDX-License-Identifier: Apache-2.0
#include "inspect/zookeeper/formats.h"

namespace lockscope::inspect {

std::span<const Format<SeenNode>> zookeeperFormats() {
    static constexpr Format<SeenNode> kFormats[] = {
        {"Curator's semaphore", readCuratorSemaphore},
        {"kazoo's lease", readKazooLease},
        {"Curator", readCurator},
        {"kazoo", readKazoo},
        {"go-zookeeper", readGoZooKeeper},
        {"Menagerie", readMenagerie},
        {"ZooKeeper's recipes", readZkRecipes},
        {"several libraries", readMixedQueue},
        {"kazoo's semaphore", readKazooSemaphore},
        {"ShedLock", readShedLockNode},
        {"one ephemeral node", readEphemeral},
        {"ephemeral sequential nodes", readNumberedQueue},
    };
    return kFormats;
}

} // namespace lockscope::inspect
