// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/zookeeper/zk_queue.h"

namespace lockscope::recipes {

/// `zk-sequential`: the plainest queue of ephemeral sequential nodes, in Menagerie's layout: `lock-<number>`, each
/// contender watching the one before. Names are not protected as Curator's are: when the answer to a creation is lost,
/// the node is found by its content, at the price of reading the queue. (Menagerie itself leaves such a node until the
/// session ends, and nobody behind it gets the lock.) Source: the lock recipe of ZooKeeper's documentation; Menagerie's
/// names.
class ZkSequential final : public ZkQueued {
public:
    explicit ZkSequential(ZkLock lock) : ZkQueued(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;
    Outcome<std::vector<HolderInfo>> holders(std::stop_token stop) override { return firstOf(std::move(stop)); }

private:
    Outcome<std::optional<Grant>> attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                          std::stop_token stop) override;
    std::optional<LockError> refusal(const std::vector<ZkChild>& children) const;
    bool m_known = false; ///< the queue's family was checked
};

} // namespace lockscope::recipes
