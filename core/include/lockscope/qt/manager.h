// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/manager.h>
#include <lockscope/qt/outcome.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace lockscope::qt {

struct Inside;

/// An event that a manager reports to its listener.
struct ManagerEvent {
    using Kind = blocking::ManagerEvent::Kind;
    Kind kind = Kind::InUse;
    QString space;  ///< the namespace's name
    QString engine; ///< the engine's servers and recipe
    std::int64_t epoch = 0;
    QString reason; ///< translated: why the engine is left or used, or could not be changed; empty with health events
};

/// The state of a manager's namespace, as far as its process knows.
struct ManagerStatus {
    std::int64_t epoch = 0;    ///< the high bits of each token
    QString engine;            ///< in use, or being left: its servers and recipe
    bool usable = false;       ///< grants are made
    std::vector<bool> healthy; ///< per engine, in the configuration's order
};

/// Locks of namespaces whose backend can change while coroutines hold them or wait for them. blocking::Manager has the
/// configuration, and what a switch does to holders and waiters:
///
///     auto manager = qt::Manager::make(json);
///     if (!manager) return complain(manager.error().message);
///     const auto started = co_await (*manager)->start();
///     qt::Mutex orders(**manager, "shop", "orders");
///     auto hold = co_await orders.lock();
///     …
///     co_await (*manager)->switchTo("shop", 1);  // any process
///
/// Locks made from it keep its connections: they are cut once it and all of them are destroyed; close() comes sooner.
class Manager {
public:
    /// Not started yet. ErrorKind::InvalidArgument for a configuration with errors. `identity`: on the servers; empty:
    /// a new one. ErrorKind::Refused while another connection or manager of this process, or a lock over one, has it on
    /// one of these servers.
    static std::expected<std::unique_ptr<Manager>, Error> make(const QByteArray& json, const QString& identity = {});
    ~Manager();
    Manager(const Manager&) = delete;
    Manager& operator=(const Manager&) = delete;

    /// Starts, and ends when every namespace has an engine in use. ErrorKind::Unreachable when that takes longer than
    /// `patience`: the manager keeps trying.
    Outcome<void> start(std::chrono::nanoseconds patience = std::chrono::seconds(10), std::stop_token stop = {});
    /// Creates what recipes and the record need on all engines and witnesses (database tables), and updates older
    /// layouts: before start(), with a login that may create tables. May be called again.
    Outcome<void> prepare(std::stop_token stop = {});
    /// Switches to the engine with that index in the configuration, 0 = the primary, in a mode of its own or the
    /// configuration's: see blocking::Manager::switchTo(). Ends when the switch is decided.
    Outcome<void> switchTo(const QString& space, int engine, std::optional<SwitchMode> mode = std::nullopt,
                           std::stop_token stop = {});
    /// As switchTo() with engine 0, the primary; does not look at its health.
    Outcome<void> failBack(const QString& space, std::stop_token stop = {});
    /// Applies a new configuration: see blocking::Manager::reload(). ErrorKind::InvalidArgument when it is refused.
    std::expected<void, Error> reload(const QByteArray& json);
    /// Calls reload() with the file's content now, and whenever it changes. After an error the file is watched all the
    /// same.
    std::expected<void, Error> watchFile(const QString& path);
    /// State of a namespace, as this process knows it: asks no server. An empty ManagerStatus when there is no such
    /// namespace.
    ManagerStatus status(const QString& space) const;
    /// Calls `listener` at each event; replaces the listener set before. It must not destroy the manager.
    void onEvent(std::function<void(const ManagerEvent& event)> listener);
    /// Leaves all engines: nothing is granted any more, holders are told "lost" and their holds are given back. Then it
    /// ends its sessions and leases on the servers.
    Outcome<void> close();
    /// This program's identity on the servers.
    QString identity() const;

private:
    friend struct Inside;
    struct Impl;
    explicit Manager(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> m_impl;
};

} // namespace lockscope::qt
