// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/zookeeper/zk_queue.h"

namespace lockscope::recipes {

/// `zk-rw`: Curator's InterProcessReadWriteLock: one queue, in which a reader waits for the nearest writer before it,
/// and a writer for everybody before it. Reentrant per thread and mode. A writer may also read, at once, and keeps
/// reading when it stops writing; a reader cannot start writing.
/// In kazoo's layout, the queue has the names of kazoo's ReadLock and WriteLock. Readers of kazoo before 2.9 hang if
/// any writer comes while they wait, because they wait for the newest writer. Source: Apache Curator 5.5 and later: a
/// reader that was a writer takes over the writer's number, so that no other writer comes between.
class ZkReadWrite final : public ZkQueued {
public:
    explicit ZkReadWrite(ZkLock lock) : ZkQueued(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;
    Outcome<std::vector<HolderInfo>> holders(std::stop_token stop) override;

private:
    Outcome<std::optional<Grant>> attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                          std::stop_token stop) override;
    Outcome<std::optional<Grant>> readBesideWrite(std::shared_ptr<ZkTicket> ticket, Request request,
                                                  std::shared_ptr<ZkHold> writing, Nanos giveUpAt,
                                                  std::stop_token stop);
    /// The part between a name's beginning and its number.
    QByteArray kindOf(bool reads) const;
    std::optional<LockError> refusal(const std::vector<ZkChild>& children) const;
    bool m_known = false; ///< the queue's family was checked
};

} // namespace lockscope::recipes
