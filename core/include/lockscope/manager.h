// SPDX-License-Identifier: Apache-2.0
// Locks whose backend can change while they are in use: by hand, by a new configuration, or when it fails.
#pragma once
#include <lockscope/history.h>
#include <lockscope/lock_exception.h>
#include <lockscope/switch_mode.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace lockscope::blocking {

namespace detail {
class Service;
struct Access;
} // namespace detail

struct ManagerOptions {
    /// Identity on the servers; empty: a new one (36 characters). Two live managers, or a manager and a client, must
    /// not have equal identities on one server: see ClientOptions::identity.
    std::string identity = {};
    /// Call Manager::prepare() first.
    bool prepare = false;
    /// How long the constructor waits until every namespace has an engine in use.
    std::chrono::nanoseconds patience = std::chrono::seconds(10);
    /// Gets the record of the manager (engines used and left, epochs, reasons, health) and that of its locks; nullptr:
    /// none. Each manager needs a new one. Times count from the manager's start.
    std::shared_ptr<History> history = nullptr;
};

/// An event that a manager reports to its listener.
struct ManagerEvent {
    enum class Kind : std::uint8_t {
        Unhealthy, ///< an engine failed its health checks
        Healthy,   ///< the engine passes its health checks again
        Leaving,   ///< a switch has begun, or the record cannot be read: no more grants on this engine
        InUse,     ///< grants are made on this engine from now on
        Refused,   ///< a switch was requested, but the processes could not agree on it
    };
    Kind kind = Kind::InUse;
    std::string space;  ///< the namespace's name
    std::string engine; ///< the engine's servers and recipe
    std::int64_t epoch = 0;
    /// Translated: why the engine is left or used, or could not be changed; empty with health events.
    std::string reason;
};

/// The state of a manager's namespace, as far as its process knows.
struct ManagerStatus {
    std::int64_t epoch = 0;    ///< the high bits of each token
    std::string engine;        ///< in use, or being left: its servers and recipe
    bool usable = false;       ///< grants are made
    std::vector<bool> healthy; ///< per engine, in the configuration's order
    bool closed = false;       ///< the manager has been closed, and nothing else is known
};

/// Locks of namespaces whose backend can change while threads hold them or wait for them, on a service thread as a
/// Client has. The configuration is JSON (`lockscope manager` explains it):
///
///     {"lockscope-manager": 1, "namespaces": [{
///        "name": "shop",
///        "engines": [{"url": "redis://…", "recipe": "redis-reentrant"},
///                    {"url": "zookeeper://…", "recipe": "zk-mutex"}],
///        "witnesses": ["etcd://…"],
///        "switch": {"mode": "drain", "on-failure": true, "drain-for": "30s", "confirm-for": "5s"},
///        "health": {"every": "1s", "timeout": "1s", "failures": 3, "successes": 5},
///        "lease": "30s", "token": true, "allow-naive": false}]}
///
///     blocking::Manager manager(json);
///     blocking::Mutex orders(manager, "shop", "orders");
///     const std::lock_guard guard(orders);
///     ship(orders.token());
///     …
///     manager.switchTo("shop", 1);               // any thread of any process
///
/// A draining switch lets holders finish, nested locking included. A holder that is not done within drain-for loses the
/// lock; at an immediate switch every holder does. Then onLost() is called, stillMine() is false and unlock() reports
/// to onUnlockFailed(). Waiting threads keep waiting and get the lock on the next engine. Two running processes never
/// use two engines of one namespace at the same time; tokens of a later engine are greater than all of an earlier one.
///
/// Thread-safe. Locks may outlive their manager; once the manager is closed they throw UnreachableException.
class Manager {
public:
    /// Connects and blocks until every namespace has an engine in use. Throws InvalidArgumentException for a
    /// configuration with errors, UnreachableException when it takes longer than ManagerOptions::patience,
    /// RefusedException for an identity or a history that is in use.
    explicit Manager(std::string_view json, const ManagerOptions& options = {});
    /// Calls close().
    ~Manager();
    Manager(Manager&&) noexcept = default;
    /// Does not close the previous manager, as with a Client.
    Manager& operator=(Manager&& other) noexcept = default;

    /// This process's identity on the servers.
    std::string identity() const;
    /// Creates what recipes and the record need on all engines and witnesses (database tables), and updates older
    /// layouts. Call it once, with a login that may create tables; may be called again. Throws LockException.
    void prepare();
    /// Switches to the engine with that index in the configuration, 0 = the primary. Blocks until the switch is
    /// decided, not until the new engine is in use: until then nothing is granted, for 1.1 times confirm-for, when
    /// draining for 1.1 times (confirm-for + drain-for + lease). Throws RefusedException when there is no such
    /// namespace or engine, UnreachableException when too few servers that keep the record answer (nothing was
    /// changed), OutcomeUnknownException when too few of them confirm it, InterruptedException on a stop request.
    void switchTo(std::string_view space, int engine, std::stop_token stop = {});
    /// As above, in a mode of its own instead of the configuration's; other processes wait for as long as theirs says,
    /// so an immediate switch of a namespace that drains grants nothing for the longer time, too. RefusedException for
    /// Drain where the configuration says immediate: the other processes would not wait.
    void switchTo(std::string_view space, int engine, SwitchMode mode, std::stop_token stop = {});
    /// As switchTo() with engine 0, the primary; does not look at its health.
    void failBack(std::string_view space, std::stop_token stop = {});
    /// Applies a new configuration: health checks, the order of the engines (a new primary causes a switch), and
    /// on-failure may change. Throws InvalidArgumentException with a sentence when it is refused: for errors, and for
    /// changes for which all processes must be restarted.
    void reload(std::string_view json);
    /// Calls reload() with the file's content now, and whenever it changes. Throws InvalidArgumentException when its
    /// present content is refused; the file is watched all the same.
    void watchFile(const std::string& path);
    /// State of a namespace, as this process knows it: asks no server. An empty ManagerStatus when there is no such
    /// namespace. Also answers once the manager has been closed: ManagerStatus::closed.
    ManagerStatus status(std::string_view space);
    /// Calls `listener` at each event, on the service thread; replaces the listener set before. nullptr: none. It must
    /// not block (no calls of blocking locks or of this manager), and must not throw.
    void onEvent(std::function<void(const ManagerEvent&)> listener);
    /// As Client::close(). Afterwards identity() and status() still answer; every other call throws
    /// UnreachableException, those of locks made from it included.
    void close() noexcept;

private:
    friend struct detail::Access;
    Manager() = default;
    std::shared_ptr<detail::Service> m_service;
};

} // namespace lockscope::blocking
