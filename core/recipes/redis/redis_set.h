// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/woken_lock.h"

namespace lockscope::recipes {

/// `redis-set`: SET NX PX with a value that only we know; release and renewal compare it first, in a script.
/// Source: the pattern of Redis' own documentation of SET ("Patterns", a simple locking system).
///
/// What stands on the server is that pattern's to the byte, so that other libraries with the same pattern and this one
/// keep each other out. Beside it each release of ours sends a message, and our waiters listen: whoever only looks now
/// and then gets a lock that is always wanted when chance has it, be it after a second. They look now and then all the
/// same: other libraries' releases tell nobody, nor does the end of a lease. Where a user may not use the channel, that
/// is all that there is.
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
    Outcome<Answer> attempt(const Request& request, std::stop_token stop) override;
    QByteArray channel(const QByteArray&) const override { return m_channel; }
    bool doesWithoutMessages() const override { return true; }
    QByteArray newValue(const QByteArray& thread) const;
    QCoro::Task<redis::Result> set(const QByteArray& value, const Request& request, std::stop_token stop);
    Outcome<std::optional<Grant>> notFree(Request request, Nanos giveUpAt, std::stop_token stop, bool troubled);
    QCoro::Task<redis::Result> giveUp(const QByteArray& value, std::stop_token stop);
    void notUndone(const QByteArray& value, Nanos lease);
    QByteArray m_channel;
    bool m_isLock = false; ///< what was found on the key, when it was not free for the first time
};

} // namespace lockscope::recipes
