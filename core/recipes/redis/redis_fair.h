// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/counted_lock.h"

namespace lockscope::recipes {

/// `redis-fair`: Redisson's RFairLock layout: the hash of holds, a queue of waiters, a deadline for each waiter after
/// which it counts as dead, and a channel per waiter, so that a release wakes one.
/// Source: the algorithm of Redisson's RedissonFairLock. Differences that its clients do not see in the layout:
/// Deadlines are by the server's clock. A waiter that gives up at the head of a free lock's queue wakes the next one.
/// Our waiters look again several times within RedisLock::patience: those not heard of for so long are dead, however
/// many they are and wherever they stand; live ones never lose their place by waiting long. Nor do they lose it by a
/// lost answer: if a waiter got the lock without hearing of it, the lock is given back and the waiter gets the first
/// place.
class RedisFair final : public CountedLock {
public:
    explicit RedisFair(RedisLock lock) : CountedLock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;

private:
    Command acquireCommand(const Request& request) const override;
    Command renewCommand(const Grant& grant) const override;
    void unanswered(const Request& request) override;
    Command keepCommand(const QByteArray& thread, Mode mode, Nanos lease, Keep keep) const override;
    Command forceCommand() const override;
    QByteArray channel(const QByteArray& thread) const override;
    Command command(const char* action, const QByteArray& thread, Nanos lease, const QByteArray& more,
                    bool waits = false) const;
    /// How long a waiter of this thread may be silent: the wait of its latest request, or RedisLock::patience.
    Nanos patience(const QByteArray& thread) const;
    struct Patience {
        Nanos said{};
        /// A try got no answer and others follow: what that try may have got is given back in exchange for the first
        /// place.
        bool unanswered = false;
        int asking = 0; ///< acquisitions of the thread in progress
    };
    std::map<QByteArray, Patience> m_patience; ///< by thread
};

} // namespace lockscope::recipes
