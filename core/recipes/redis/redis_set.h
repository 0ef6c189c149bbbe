// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/woken_lock.h"

namespace lockscope::recipes {

/// `redis-set`: SET NX PX with a unique value; release and renewal compare it first, in a script. Source: the pattern
/// in Redis' own documentation of SET ("Patterns", a simple locking system).
///
/// The key follows that pattern to the byte, so other libraries with the pattern and this one exclude each other. In
/// addition, each of our releases sends a message to our waiters; a waiter that only polled would get a busy lock by
/// chance, perhaps after a second. Waiters also poll, because releases by other libraries and the end of a lease send
/// no message. If the user may not use the channel, they only poll.
class RedisSet final : public WokenLock {
public:
    explicit RedisSet(RedisLock lock);
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    class Contender;
    QByteArray channel(const QByteArray&) const override { return m_channel; }
    bool doesWithoutMessages() const override { return true; }
    QByteArray newValue(const QByteArray& thread) const;
    QCoro::Task<redis::Result> set(const QByteArray& value, const Request& request, std::stop_token stop);
    QByteArray m_channel;
    bool m_isLock = false; ///< the key, when first found taken, held a lock
};

} // namespace lockscope::recipes
