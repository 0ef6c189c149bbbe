// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/lock_exception.h"
#include "lock/manager/lock_manager.h"

#include <string>
#include <string_view>

namespace lockscope::blocking {

namespace detail {
class Service;
}

struct ManagerOptions {
    /// Identity on the servers; empty: a new one (36 characters). Two live managers must not have equal identities.
    std::string identity = {};
    /// Call LockManager::prepare() first.
    bool prepare = false;
    /// How long the constructor waits until every namespace has an engine in use.
    Nanos patience = 10s;
    /// The trace that gets the manager's history (engines used and left, epochs, reasons, health) and that of its
    /// locks; nullptr: none. Each manager needs a new, empty trace. Nobody else may write it; any thread may read it at
    /// any time and save it as a recording. Times count from the manager's start.
    std::shared_ptr<trace::Trace> trace = nullptr;
};

/// A LockManager for threads that block, on a service thread of its own as a Client has. The backend of its locks can
/// change while threads hold them or wait for them. LockManager's guarantees hold.
///
///     blocking::Manager manager(*readManagerConfig(json));
///     blocking::Mutex orders(manager, "shop", "orders");
///     const std::lock_guard guard(orders);
///     ship(orders.token());
///     …
///     manager.switchTo("shop", 1);               // any thread of any process
///
/// A draining switch lets holders finish, nested locking included. A holder that is not done within drainFor loses the
/// lock; at an immediate switch every holder does. Then onLost() is called, stillMine() is false and unlock() reports
/// to onUnlockFailed(). Waiting threads keep waiting and get the lock on the next engine.
///
/// Thread-safe. Locks may outlive their manager; once the manager is closed they throw UnreachableException.
class Manager {
public:
    /// Connects and blocks until every namespace has an engine in use. Throws InvalidArgumentException for a
    /// configuration with errors, UnreachableException when it takes longer than ManagerOptions::patience.
    explicit Manager(const ManagerConfig& config, const ManagerOptions& options = {});
    /// Calls close().
    ~Manager();
    Manager(Manager&&) noexcept = default;
    /// Does not close the previous manager, as with a Client.
    Manager& operator=(Manager&& other) noexcept = default;

    /// This process's identity on the servers.
    std::string identity() const;
    /// LockManager::prepare. Throws LockException.
    void prepare();
    /// LockManager::switchTo; blocks until the switch is decided, not until the new engine is in use. Throws
    /// LockException, or InterruptedException on a stop request.
    void switchTo(std::string_view space, int engine, std::stop_token stop = {});
    /// LockManager::switchTo in a mode of its own; otherwise as above.
    void switchTo(std::string_view space, int engine, SwitchMode mode, std::stop_token stop = {});
    /// LockManager::failBack; otherwise as switchTo().
    void failBack(std::string_view space, std::stop_token stop = {});
    /// LockManager::reload. Throws InvalidArgumentException with its sentence when the configuration is refused.
    void reload(const ManagerConfig& config);
    /// LockManager::watchFile. Throws InvalidArgumentException when the file's present content is refused; the file is
    /// watched all the same.
    void watchFile(const std::string& path);
    /// State of a namespace; an empty Status when there is no such namespace.
    LockManager::Status status(std::string_view space);
    /// Calls `listener` at each event, on the service thread; replaces the listener set before. nullptr: none. It must
    /// not block (no calls of blocking locks or of this manager), and must not throw.
    void listen(std::function<void(const ManagerEvent&)> listener);
    /// As Client::close().
    void close() noexcept;

    /// Internal: the service thread that keeps this manager's locks.
    const std::shared_ptr<detail::Service>& service() const { return m_service; }

private:
    std::shared_ptr<detail::Service> m_service;
};

} // namespace lockscope::blocking
