// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/zookeeper/zk_recipe.h"

namespace lockscope::recipes {

/// `zk-ephemeral`, naive: the lock is one ephemeral node at its path; everybody who finds it there watches it, and all
/// of them wake and try again when it goes: a herd, and nobody has a turn. As all holders' nodes have the same name,
/// one who releases looks first whose it is by now; when a forced release comes between that look and the removal, the
/// next holder's goes. Source: the first lock that tutorials on ZooKeeper build.
class ZkEphemeral final : public ZkRecipe {
public:
    using ZkRecipe::ZkRecipe;
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    Outcome<std::optional<Grant>> attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                          std::stop_token stop) override;
    /// False: it is gone by now, try again. `ours`: it contains our data, its creation's answer was lost.
    Outcome<bool> watchHolder(std::shared_ptr<ZkTicket> ticket, bool& ours, std::stop_token stop);
};

} // namespace lockscope::recipes
