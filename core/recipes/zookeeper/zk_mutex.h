// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/zookeeper/zk_queue.h"

namespace lockscope::recipes {

/// `zk-mutex`: a queue in the layout of Curator's InterProcessMutex, reentrant per thread, safe against lost replies.
/// Shares a path with Curator and go-zookeeper as it is; finds it a queue of kazoo or Menagerie, it joins in that
/// format, and keeps to it. What it can not share a lock with is refused. Told of kazoo's layout, it has kazoo's names
/// in an empty queue, too, and among locks of its own kind: kazoo's Lock does not look at Curator's.
///
/// With Layout::Both it has a node of Curator's and one of kazoo's, made in one transaction: their numbers follow each
/// other. It holds when no plain lock of a lower number is left, of whichever library. So everybody waits for lower
/// numbers only, and nobody in a circle; it is as fair as each library's own queue. Curator and kazoo still do not see
/// each other: when both wait behind it, both get in after it.
/// Source: Apache Curator's InterProcessMutex; the children of others by what their libraries leave there.
class ZkMutex final : public ZkQueued {
public:
    explicit ZkMutex(ZkLock lock) : ZkQueued(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    /// The family whose names to use in an empty queue.
    ZkFamily toldFamily() const;
    /// Whether no child belongs to another family than the one we join.
    bool sameFamily(const std::vector<ZkChild>& children) const;
    Outcome<ZkFamily> familyToJoin(std::vector<ZkChild> children, QByteArray ownName, std::stop_token stop);
    Outcome<bool> allOurs(std::vector<ZkChild> children, std::stop_token stop);
    Outcome<std::optional<Grant>> attemptBoth(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                              std::stop_token stop);
    Outcome<std::optional<Grant>> attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                          std::stop_token stop) override;
    std::optional<ZkFamily> m_family; ///< the family whose format we use, once known
};

} // namespace lockscope::recipes
