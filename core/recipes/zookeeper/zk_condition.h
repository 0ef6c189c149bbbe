// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/condition.h"
#include "recipes/zookeeper/zk_recipe.h"

namespace lockscope::recipes {

/// Who waits for a signal of a lock on ZooKeeper: ephemeral sequential children `condition-<number>` beside those of
/// the lock's queue. A signal is the removal of the lowest. A waiter whose session ends is gone with its node; by its
/// own account it was woken, as a waiter may be without a reason. A node whose creation was never answered is known by
/// its data. Where no lock has made their parent, as at a path of the condition's own, a container is made. Source:
/// Menagerie's condition.
class ZkCondition final : public ConditionRecipe {
public:
    explicit ZkCondition(ZkLock lock) : m_lock(std::move(lock)) {}
    Outcome<void> enlist(QByteArray thread, std::stop_token stop) override;
    Outcome<bool> awaitSignal(QByteArray thread, Nanos wait, std::stop_token stop) override;
    Outcome<int> signal(int most, std::stop_token stop) override;

private:
    Outcome<bool> watchUntilGone(std::shared_ptr<ZkTicket> ticket, Nanos giveUpAt, std::stop_token stop);
    /// Takes the entry away; true: a signaller has done that before, and it was not passed on. Not interruptible, but
    /// after a second it goes on by itself and passes on what it finds.
    Outcome<bool> withdraw(std::shared_ptr<ZkTicket> ticket, bool passOn);
    ZkLock m_lock;
    std::map<QByteArray, std::shared_ptr<ZkTicket>> m_entries; ///< by thread
};

} // namespace lockscope::recipes
