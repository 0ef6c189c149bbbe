// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"
#include "lock/distributed_lock.h"

namespace lockscope {

/// The common part of DistributedMutex and its siblings: a lock that is made, and its recipe chosen, at first use.
/// Single-threaded, on its runtime's thread.
class LazyLock {
public:
    using Thread = DistributedLock::Thread;
    template <typename T>
    using Outcome = recipes::Outcome<T>;

    LazyLock(const LazyLock&) = delete;
    LazyLock& operator=(const LazyLock&) = delete;

    /// Frees the lock, regardless of its holder; false when it was free. The holder hears of the loss as with
    /// DistributedLock::forceUnlock().
    Outcome<bool> forceUnlock();
    /// Asks the server whether the lock, or any permit of it, is held in any mode; limits as DistributedLock::isLocked.
    Outcome<bool> isLocked(std::stop_token stop = {});
    /// Asks the server who holds the lock: Recipe::holders().
    Outcome<std::vector<recipes::HolderInfo>> holders(std::stop_token stop = {});
    /// Asks the server how many permits are free: Recipe::permitsFree().
    Outcome<std::optional<int>> permitsFree(std::stop_token stop = {});
    /// Asks the server how many contenders wait for permits: Recipe::queueLength().
    Outcome<std::optional<int>> queueLength(std::stop_token stop = {});
    /// Takes the lock as requested, for a guard that owns the hold; empty when not in time.
    Outcome<LockGuard> take(LockRequest request, std::stop_token stop = {});
    /// Calls `listener` at each event of any of its holds, on the runtime's thread. It must not use this lock.
    void listen(DistributedLock::Listener listener);
    /// The lock behind it, for functions that this class lacks; an error when it cannot be made.
    std::expected<AnyLock*, LockError> lockObject();

    virtual ~LazyLock() = default;

protected:
    LazyLock() = default;
    /// Makes the lock; called until it succeeds.
    virtual std::expected<std::unique_ptr<AnyLock>, LockError> make() = 0;
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
    std::unique_ptr<AnyLock> m_lock;
};

/// A LazyLock with a name, over one connection.
class NamedLock : public LazyLock {
public:
    /// The lock's name, as given to the constructor.
    const QByteArray& name() const { return m_name; }
    /// The connection given to the constructor.
    Connection& connection() const { return m_connection; }
    /// As LazyLock::lockObject().
    std::expected<DistributedLock*, LockError> lockObject();

protected:
    /// `mode`: the mode that the default recipe must offer when LockOptions name no recipe.
    NamedLock(Connection& connection, QByteArray name, recipes::Mode mode, LockOptions options, int permits = 1);
    ~NamedLock() override = default;
    std::expected<std::unique_ptr<AnyLock>, LockError> make() override;

private:
    Connection& m_connection;
    QByteArray m_name;
    recipes::Mode m_mode;
    LockOptions m_options;
    int m_permits;
};

/// A lock by name over a connection, with the recipe of its options or the default for `mode`. Kind::NotSupported when
/// the server lacks the recipe; Kind::Refused for an invalid name, lease (under 1 ms), epoch or number of permits.
std::expected<std::unique_ptr<DistributedLock>, LockError>
makeLock(Connection& connection, const QByteArray& name, recipes::Mode mode, HoldOptions options, int permits = 1);

} // namespace lockscope
