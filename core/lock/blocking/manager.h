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
    /// Identity on the servers; empty: a new one (36 characters). Two managers that live at once must not share one.
    std::string identity = {};
    /// LockManager::prepare() first.
    bool prepare = false;
    /// How long the constructor waits for an engine to be in use in each namespace.
    Nanos patience = 10s;
    /// Where the manager's whole history is written (engines used and left, epochs, reasons, health), and that of its
    /// locks; nullptr: nowhere. A new, empty one for each manager: nobody else may write it, any thread may read it at
    /// any time, and save it as a recording. Its times count from the manager's beginning.
    std::shared_ptr<trace::Trace> trace = nullptr;
};

/// A LockManager for threads that block, with a thread of its own as a Client has: the backends of the locks made from
/// it can be changed while threads hold them and wait for them. What LockManager promises holds here.
///
///     blocking::Manager manager(*readManagerConfig(json));
///     blocking::Mutex orders(manager, "shop", "orders");
///     const std::lock_guard guard(orders);
///     ship(orders.token());
///     …
///     manager.switchTo("shop", 1);               // any thread of any process
///
/// A switch that drains lets holders end their work, nested locking included; whoever is not done by drainFor, and
/// every holder at an immediate switch, has lost the lock: onLost() is called, stillMine() is false, unlock() tells
/// onUnlockFailed(). Threads that wait go on waiting, and get it on the next engine.
///
/// Thread-safe. The locks made from it may outlive it; once it is closed they throw UnreachableException.
class Manager {
public:
    /// Connects to the servers and blocks until all namespaces have an engine in use. Throws
    /// InvalidArgumentException for a configuration that makes no sense, UnreachableException when it takes longer than
    /// ManagerOptions::patience.
    explicit Manager(const ManagerConfig& config, const ManagerOptions& options = {});
    /// close().
    ~Manager();
    Manager(Manager&&) noexcept = default;
    /// Does not close what this one was, as with a Client.
    Manager& operator=(Manager&& other) noexcept = default;

    /// This process's identity on the servers.
    std::string identity() const;
    /// LockManager::prepare. Throws LockException.
    void prepare();
    /// LockManager::switchTo; blocks until that is decided, not until the engine is in use. Throws LockException, with
    /// a stop request InterruptedException.
    void switchTo(std::string_view space, int engine, std::stop_token stop = {});
    /// LockManager::reload. Throws InvalidArgumentException with the sentence when it is refused.
    void reload(const ManagerConfig& config);
    /// LockManager::watchFile. Throws InvalidArgumentException when the file as it is now is refused; it is
    /// watched all the same.
    void watchFile(const std::string& path);
    /// Where a namespace stands; nothing of one that there is not.
    LockManager::Status status(std::string_view space);
    /// Called at each event on the service thread, until this call sets another one; nullptr: none. It must not block
    /// (no calls of blocking locks, nor of this), nor throw.
    void listen(std::function<void(const ManagerEvent&)> listener);
    /// As Client::close().
    void close() noexcept;

    /// For the objects made from it.
    const std::shared_ptr<detail::Service>& service() const { return m_service; }

private:
    std::shared_ptr<detail::Service> m_service;
};

} // namespace lockscope::blocking
