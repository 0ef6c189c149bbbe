// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/zookeeper/zk_recipe.h"

namespace lockscope::recipes {

/// `zk-ephemeral`, naive: the lock is one ephemeral node at its path. All waiters watch it, and all of them wake and
/// try again when it is removed: a herd without an order. All holders' nodes have the same name, so a release first
/// checks whose node it is; if a forced release comes between check and removal, the next holder's node is removed.
/// Source: the first lock that ZooKeeper tutorials build.
class ZkEphemeral final : public ZkRecipe {
public:
    explicit ZkEphemeral(ZkLock lock);
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;
    Outcome<std::vector<HolderInfo>> holders(std::stop_token stop) override;

private:
    Outcome<std::optional<Grant>> attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                          std::stop_token stop) override;
    /// False: the node is gone, try again. `ours`: it contains our data (the answer to its creation was lost).
    Outcome<bool> watchHolder(std::shared_ptr<ZkTicket> ticket, bool& ours, std::stop_token stop);
};

} // namespace lockscope::recipes
