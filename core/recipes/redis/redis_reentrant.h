// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/counted_lock.h"

namespace lockscope::recipes {

/// `redis-reentrant`: Redisson's RLock layout, so that it excludes and wakes Redisson's clients: a hash of
/// <client>:<thread> → hold count, and a message on a channel at each release, so that nobody polls.
/// `redis-fenced`: the layout of Redisson's RFencedLock: as above, with a counter that grows with every acquisition,
/// re-entries included; its value is the grant's fencing token. A counter that this recipe creates begins at the
/// server's clock (token_start.h) and expires 30 days after this recipe last used it; Redisson's INCR does not move
/// that expiry. A counter that Redisson created has no expiry, and gets none. Source: the algorithms of Redisson's
/// RedissonLock (3.24 and later) and RedissonFencedLock, without their unlock latch: a release whose reply is lost is
/// reported as unknown and not sent again. Its possible remains are removed before the same thread takes the lock
/// again; otherwise the thread would count on from them and never free the lock.
class RedisReentrant final : public CountedLock {
public:
    enum class Kind : std::uint8_t { Plain, Fenced };
    explicit RedisReentrant(RedisLock lock, Kind kind = Kind::Plain) : CountedLock(std::move(lock)), m_kind(kind) {}
    const RecipeInfo& info() const override;

private:
    Command acquireCommand(const Request& request) const override;
    Command renewCommand(const Grant& grant) const override;
    Command keepCommand(const QByteArray& thread, Mode mode, Nanos lease, Keep keep) const override;
    Command forceCommand() const override;
    QByteArray counter() const override { return "redisson_lock_token:" + hashTagged(m_lock.name); }
    QByteArray channel(const QByteArray&) const override { return channel(); }
    QByteArray channel() const { return "redisson_lock__channel:" + hashTagged(m_lock.name); }
    Kind m_kind;
};

} // namespace lockscope::recipes
