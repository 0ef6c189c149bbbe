// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/zookeeper/zk_queue.h"

namespace lockscope::recipes {

/// `zk-mutex`: a queue in the layout of Curator's InterProcessMutex, reentrant per thread, safe against lost replies.
/// Curator and go-zookeeper can share its path. If it finds a queue of kazoo or Menagerie, it joins in that format and
/// keeps to it. Formats with which it cannot share a lock are refused. With kazoo's layout configured, it also uses
/// kazoo's names in an empty queue and among locks of its own kind, because kazoo's Lock ignores Curator's names.
///
/// With Layout::Both it creates a node of Curator's format and one of kazoo's in one transaction, with consecutive
/// numbers. It holds the lock when no plain lock of any library has a lower number. Everybody waits only for lower
/// numbers, so nobody waits in a circle, and it is as fair as each library's own queue. Curator and kazoo still do not
/// see each other: if clients of both wait behind it, both get in after it.
/// Source: Apache Curator's InterProcessMutex; other libraries' names as their own code writes them.
class ZkMutex final : public ZkQueued {
public:
    explicit ZkMutex(ZkLock lock) : ZkQueued(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;
    Outcome<std::vector<HolderInfo>> holders(std::stop_token stop) override { return firstOf(std::move(stop)); }

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
