// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/counted_lock.h"

namespace lockscope::recipes {

/// `redis-rw`: Redisson's read/write layout. Mode::Shared reads, beside other readers; Mode::Exclusive writes, alone.
/// Both re-enter. A writer may also read, and keeps reading after it stops writing. A reader that wants to write waits
/// for itself. Each hold of a reader is a key with its own TTL, so live readers do not keep a dead one alive. There is
/// no queue: writers may starve.
/// Source: the algorithms of Redisson's RedissonReadLock and RedissonWriteLock. Differences: a key with a plain
/// Redisson lock is refused (Redisson takes it, and two clients believe that they hold it); a writer that goes on
/// reading wakes the waiting readers; a renewal never shortens the lock for others.
class RedisReadWrite final : public CountedLock {
public:
    explicit RedisReadWrite(RedisLock lock) : CountedLock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;

private:
    /// Both settle the thread's other side first: renewing one side would also keep alive what is left of the other,
    /// and a lost writer would remain a writer as long as it reads.
    Outcome<bool> renewAlone(Grant grant, std::stop_token stop);
    Outcome<int> releaseAlone(Grant grant, std::stop_token stop);
    Command acquireCommand(const Request& request) const override;
    Command renewCommand(const Grant& grant) const override;
    Command keepCommand(const QByteArray& thread, Mode mode, Nanos lease, Keep keep) const override;
    Command forceCommand() const override;
    QByteArray channel(const QByteArray&) const override { return channel(); }
    QByteArray channel() const { return "redisson_rwlock:" + hashTagged(m_lock.name); }
    QByteArray writer(const QByteArray& thread) const { return field(thread) + ":write"; }
    QByteArray readers() const { return hashTagged(m_lock.name) + ':'; }
    QByteArray holdKeys(const QByteArray& thread) const { return readers() + field(thread) + ":rwlock_timeout"; }
};

} // namespace lockscope::recipes
