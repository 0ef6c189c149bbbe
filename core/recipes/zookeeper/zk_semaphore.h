// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/zookeeper/zk_queue.h"

namespace lockscope::recipes {

/// `zk-semaphore`: Curator's InterProcessSemaphoreV2. Below the path are a mutex `locks`, in which contenders for
/// permits queue up, and the permits as nodes of `leases`. The contender with the mutex adds its permits and waits
/// until there are no more than allowed. The server does not store the total: all clients must give the same number.
/// The recipe has no kazoo layout: there a permit counts from the moment its node exists, so a contender waits first
/// and then creates it, and the total is stored at the path. That would be another recipe, not just other names.
/// Source: Apache Curator's InterProcessSemaphoreV2; here several permits are taken together, all or none.
class ZkSemaphore final : public ZkRecipe {
public:
    explicit ZkSemaphore(ZkLock lock);
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Grant takePart(Grant& grant, int permits) override;
    /// Takes all permits from their holders.
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;
    Outcome<std::vector<HolderInfo>> holders(std::stop_token stop) override;
    /// Nodes of a contender that waits for room are no permits.
    Outcome<std::optional<int>> permitsFree(std::stop_token stop) override;
    Outcome<std::optional<int>> queueLength(std::stop_token stop) override;

private:
    using Tickets = std::vector<std::shared_ptr<ZkTicket>>;
    Outcome<std::optional<Grant>> attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                          std::stop_token stop) override;
    /// Waits for free permits, at the head of the queue.
    Outcome<ZkTurn> awaitRoom(std::shared_ptr<ZkTicket> place, Tickets leases, Nanos giveUpAt, std::stop_token stop);
    Outcome<bool> ownPath(Nanos giveUpAt, std::stop_token stop);
    ZkQueue m_locks, m_leases;
    bool m_known = false; ///< the path was checked to be a semaphore's
};

} // namespace lockscope::recipes
