// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/redis_recipe.h"

namespace lockscope::recipes {

/// `redis-reentrant`: Redisson's RLock layout, so that it keeps Redisson's clients out and wakes them: a hash of
/// <client>:<thread> → hold count, and a message on a channel at each release, so that nobody polls.
/// Source: the algorithm of Redisson's RedissonLock (3.24 and later), without its unlock latch: a release whose reply
/// is lost is reported as unknown instead of being sent again. What it may have left behind is taken back before the
/// same thread takes the lock again, which would count on from it otherwise and never free it.
class RedisReentrant final : public Recipe {
public:
    explicit RedisReentrant(RedisLock lock) : m_lock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    void abandoned(const Grant& grant) override { doubt(grant.thread, 0); }

private:
    struct Answer {
        bool granted = false;
        int holds = 0;
        std::int64_t token = 0;
        Nanos askedAt{};
        Nanos ttl{}; ///< of the holder's lease; kNever when it has none
    };
    QByteArray field(const QByteArray& thread) const { return m_lock.client + ':' + thread; }
    QByteArray channel() const { return "redisson_lock__channel:" + hashTagged(m_lock.name); }
    void doubt(const QByteArray& thread, int keep) { m_lock.doubts->keep[{m_lock.name, thread}] = keep; }
    bool inDoubt(const QByteArray& thread) const { return m_lock.doubts->keep.contains({m_lock.name, thread}); }
    /// Makes sure that no more holds are left than there should be; the holds left, -1 = none of ours.
    Outcome<int> settle(QByteArray thread, Nanos lease, std::stop_token stop);
    Outcome<int> countDown(const Grant& grant, std::stop_token stop);
    Outcome<Answer> attempt(const Request& request, std::stop_token stop);
    Grant granted(const Request& request, const Answer& answer) const;
    RedisLock m_lock;
};

} // namespace lockscope::recipes
