// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/woken_lock.h"

namespace lockscope::recipes {

/// `redis-semaphore`: permits, each with its own lease, in the layout of Redisson's RPermitExpirableSemaphore: a
/// counter of free permits and a sorted set of taken ones. The first client sets the total. A client with another total
/// is refused while permits are taken; while none is taken it sets the total anew, unless another library set it. A key
/// of our own beside the counter tells the two cases apart; it stays on the server when all permits are free.
/// Request::permits are taken at once, all or none; not reentrant, not fair. Source: the algorithm of Redisson's
/// RedissonPermitExpirableSemaphore, with the server's clock instead of the clients'.
class RedisSemaphore final : public WokenLock {
public:
    explicit RedisSemaphore(RedisLock lock) : WokenLock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    bool prolongs() const override { return true; }
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    /// Gives back all permits of the grant. NotOwner when some of them had ended.
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Grant takePart(Grant& grant, int permits) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;
    Outcome<std::vector<HolderInfo>> holders(std::stop_token stop) override;
    /// Permits that have ended are free, though they stand there until somebody comes for permits.
    Outcome<std::optional<int>> permitsFree(std::stop_token stop) override;

private:
    /// Taken ones that have not ended.
    Outcome<std::int64_t> numberTaken(std::stop_token stop);
    /// Arguments for the script that gives these permits back.
    redis::Args givenBack(const PermitIds& permits) const;
    QByteArray taken() const { return hashTagged(m_lock.name) + ":timeout"; }
    QByteArray total() const { return "lockscope_permits:" + hashTagged(m_lock.name); }
    QByteArray channel() const { return "redisson_sc:" + hashTagged(m_lock.name); }
    QByteArray channel(const QByteArray&) const override { return channel(); }
    class Contender;
};

} // namespace lockscope::recipes
