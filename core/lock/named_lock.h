// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/connection.h"
#include "lock/distributed_lock.h"

namespace lockscope {

/// What DistributedMutex and its siblings have in common: a lock that is made, and its recipe chosen, when it is first
/// used. Single-threaded, on its runtime's thread.
class LazyLock {
public:
    using Thread = DistributedLock::Thread;
    template <typename T>
    using Outcome = recipes::Outcome<T>;

    LazyLock(const LazyLock&) = delete;
    LazyLock& operator=(const LazyLock&) = delete;

    /// Frees the lock whoever holds it; false when nobody did. The holder is not told.
    Outcome<bool> forceUnlock();
    /// Asks the server whether anybody holds it, in any mode, or any permit of it; as DistributedLock::isLocked.
    Outcome<bool> isLocked(std::stop_token stop = {});
    /// Called at each event of any of its holds, on the runtime's thread. Not for calling back into this lock.
    void listen(DistributedLock::Listener listener);
    /// The lock underneath, for what has no shorter word here; an error when it cannot be had on this server.
    std::expected<DistributedLock*, LockError> lockObject();

protected:
    LazyLock() = default;
    virtual ~LazyLock() = default;
    /// The lock underneath; asked for until there is one.
    virtual std::expected<std::unique_ptr<DistributedLock>, LockError> make() = 0;
    Outcome<LockGuard> take(LockRequest request, std::stop_token stop);
    bool held(const Thread& thread, recipes::Mode mode) const { return m_lock && m_lock->stillMine(thread, mode); }
    int holdsOf(const Thread& thread, recipes::Mode mode) const { return m_lock ? m_lock->holdCount(thread, mode) : 0; }
    static LockRequest asking(recipes::Mode mode, Nanos wait, Thread thread,
                              std::optional<Nanos> lease = std::nullopt) {
        LockRequest request;
        request.mode = mode;
        request.wait = wait;
        request.thread = std::move(thread);
        request.lease = lease;
        return request;
    }

private:
    DistributedLock::Listener m_listener;
    std::unique_ptr<DistributedLock> m_lock;
};

/// A LazyLock by name over one connection.
class NamedLock : public LazyLock {
public:
    /// As it was given to the constructor.
    const QByteArray& name() const { return m_name; }
    /// The same.
    Connection& connection() const { return m_connection; }

protected:
    /// `mode`: what the recipe must offer when LockOptions name none.
    NamedLock(Connection& connection, QByteArray name, recipes::Mode mode, LockOptions options, int permits = 1);
    ~NamedLock() override = default;
    std::expected<std::unique_ptr<DistributedLock>, LockError> make() override;

private:
    Connection& m_connection;
    QByteArray m_name;
    recipes::Mode m_mode;
    LockOptions m_options;
    int m_permits;
};

/// A lock by name over a connection, with the recipe that its options name or the one that suits `mode`.
/// Kind::NotSupported when the server has no such recipe; Kind::Refused for a name, a lease (under 1 ms), an epoch or a
/// number of permits that makes no sense.
std::expected<std::unique_ptr<DistributedLock>, LockError>
makeLock(Connection& connection, const QByteArray& name, recipes::Mode mode, LockOptions options, int permits = 1);

} // namespace lockscope
