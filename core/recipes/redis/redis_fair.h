// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/counted_lock.h"

namespace lockscope::recipes {

/// `redis-fair`: Redisson's RFairLock layout: the hash of holds, a queue of waiters on the server, a deadline for each
/// of them after which it counts as dead, and a channel for each of them, so that a release wakes one.
/// Source: the algorithm of Redisson's RedissonFairLock. Differences that its clients do not see in the layout:
/// deadlines are by the server's clock; whoever gives up at the head of a free lock's queue wakes the next; and our
/// waiters look again several times within RedisLock::patience, so that those who are not heard of for so long are
/// dead, however many there are and wherever they stand, and the others never lose their place for having waited long;
/// nor do they for an answer that got lost: even a lock that one of them has got without hearing of it is given back
/// for the first place.
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
    /// How long a waiter of this thread may be silent: what it last said it would wait.
    Nanos patience(const QByteArray& thread) const;
    struct Patience {
        Nanos said{};
        /// A try got no answer, and others follow: what is in doubt is what that one got, and is given back for the
        /// first place.
        bool unanswered = false;
        int asking = 0; ///< acquisitions of the thread that are under way
    };
    std::map<QByteArray, Patience> m_patience; ///< by thread
};

} // namespace lockscope::recipes
