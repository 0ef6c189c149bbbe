// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/counted_lock.h"

namespace lockscope::recipes {

/// `redis-rw`: Redisson's read/write layout: Mode::Shared reads, beside other readers; Mode::Exclusive writes, alone.
/// Both re-enter; the writer may also read, and keeps on reading when it has given the writing up. A reader that wants
/// to write waits for itself. Each hold of a reader is a key with a TTL of its own, so a dead reader is not kept alive
/// by the living. Nobody queues: writers may starve.
/// Source: the algorithms of Redisson's RedissonReadLock and RedissonWriteLock. Differences: a key that carries a plain
/// Redisson lock is refused (Redisson's takes it, and two believe that they hold it); giving the writing up while
/// reading wakes the readers that wait; a renewal never shortens the lock for others.
class RedisReadWrite final : public CountedLock {
public:
    explicit RedisReadWrite(RedisLock lock) : CountedLock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;

private:
    /// Where one side of a thread is kept, what is left of its other side would be kept as well: a writer that was lost
    /// would stay one for as long as it reads. So that goes first.
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
