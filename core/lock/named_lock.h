// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/connection.h"
#include "lock/distributed_lock.h"

namespace lockscope {

/// What DistributedMutex and its siblings have in common: a lock by name over a connection, whose recipe is chosen when
/// it is first taken.
class NamedLock {
public:
    using Thread = DistributedLock::Thread;
    template <typename T>
    using Outcome = recipes::Outcome<T>;

    NamedLock(const NamedLock&) = delete;
    NamedLock& operator=(const NamedLock&) = delete;

    const QByteArray& name() const { return m_name; }
    Connection& connection() const { return m_connection; }
    /// Frees the lock whoever holds it; false when nobody did. The holder is not told.
    Outcome<bool> forceUnlock();
    /// Asks the server whether anybody holds it, in any mode, or any permit of it; as DistributedLock::isLocked.
    Outcome<bool> isLocked(std::stop_token stop = {});
    /// Called at each event of any of its holds, on the runtime's thread. Not for calling back into this lock.
    void listen(DistributedLock::Listener listener);
    /// The lock underneath, for what has no shorter word here; an error when it cannot be had on this server.
    std::expected<DistributedLock*, LockError> lockObject();

protected:
    /// `mode`: what the recipe must offer when LockOptions name none.
    NamedLock(Connection& connection, QByteArray name, recipes::Mode mode, LockOptions options, int permits = 1);
    ~NamedLock() = default;
    Outcome<LockGuard> take(recipes::Mode mode, Nanos wait, Thread thread, int permits, std::stop_token stop);
    bool held(const Thread& thread, recipes::Mode mode) const { return m_lock && m_lock->stillMine(thread, mode); }
    int holdsOf(const Thread& thread, recipes::Mode mode) const { return m_lock ? m_lock->holdCount(thread, mode) : 0; }

private:
    Connection& m_connection;
    QByteArray m_name;
    recipes::Mode m_mode;
    LockOptions m_options;
    int m_permits;
    DistributedLock::Listener m_listener;
    std::unique_ptr<DistributedLock> m_lock;
};

/// A lock by name over a connection, with the recipe that its options name or the one that suits `mode`.
std::expected<std::unique_ptr<DistributedLock>, LockError>
makeLock(Connection& connection, const QByteArray& name, recipes::Mode mode, LockOptions options, int permits = 1);

} // namespace lockscope
