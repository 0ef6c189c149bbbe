// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/condition.h"
#include "recipes/zookeeper/zk_recipe.h"

namespace lockscope::recipes {

/// The waiters for a signal of a lock on ZooKeeper: ephemeral sequential children `condition-<number>` beside those of
/// the lock's queue. A signal removes the lowest one. When a waiter's session ends, its node is gone; the waiter counts
/// itself as woken, which a waiter may be without a reason. A node whose creation was not answered is recognised by its
/// data. If the parent is missing, as at a path of the condition's own, a container is made. Source: Menagerie's
/// condition.
class ZkCondition final : public ConditionRecipe {
public:
    explicit ZkCondition(ZkLock lock) : m_lock(std::move(lock)) {}
    Outcome<void> enlist(QByteArray thread, std::stop_token stop) override;
    Outcome<bool> awaitSignal(QByteArray thread, Nanos wait, std::stop_token stop) override;
    Outcome<int> signal(int most, std::stop_token stop) override;

private:
    Outcome<bool> watchUntilGone(std::shared_ptr<ZkTicket> ticket, Nanos giveUpAt, std::stop_token stop);
    /// Removes the entry; true: a signaller had removed it, and the signal was not passed on. Not interruptible; after
    /// a second it returns, continues in the background and passes on the signal that it finds.
    Outcome<bool> withdraw(std::shared_ptr<ZkTicket> ticket, bool passOn);
    ZkLock m_lock;
    std::map<QByteArray, std::shared_ptr<ZkTicket>> m_entries; ///< by thread
};

} // namespace lockscope::recipes
