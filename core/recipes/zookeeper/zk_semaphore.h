// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/zookeeper/zk_queue.h"

namespace lockscope::recipes {

/// `zk-semaphore`: Curator's InterProcessSemaphoreV2: below the path, a mutex `locks` in which those who want permits
/// queue up, and the permits themselves as nodes of `leases`; who has the mutex adds its own and waits until there are
/// no more than there may be. How many that is stands nowhere on the server: all clients have to say the same.
/// It has no layout of kazoo's: there, a permit counts from the moment its node is made, so that one waits first and
/// then makes it, and the number of permits is kept at the path: another recipe, not other names.
/// Source: Apache Curator's InterProcessSemaphoreV2; several permits are taken together here, all or none.
class ZkSemaphore final : public ZkRecipe {
public:
    explicit ZkSemaphore(ZkLock lock)
        : ZkRecipe(std::move(lock)),
          m_locks(m_lock.port, m_lock.path + "/locks"),
          m_leases(m_lock.port, m_lock.path + "/leases") {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    /// Takes all permits back from whoever has them.
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    using Tickets = std::vector<std::shared_ptr<ZkTicket>>;
    Outcome<std::optional<Grant>> attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                          std::stop_token stop) override;
    /// With the place at the head of the queue for as long as it takes.
    Outcome<ZkTurn> awaitRoom(std::shared_ptr<ZkTicket> place, Tickets leases, Nanos giveUpAt, std::stop_token stop);
    Outcome<bool> ownPath(Nanos giveUpAt, std::stop_token stop);
    ZkQueue m_locks, m_leases;
    bool m_known = false; ///< that the path is a semaphore's
};

} // namespace lockscope::recipes
