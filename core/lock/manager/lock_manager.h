// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"
#include "lock/distributed_lock.h"
#include "lock/manager/managed_lock.h"
#include "lock/manager/manager_config.h"

class QFileSystemWatcher;

namespace lockscope {

/// An event that a manager reports to its listener.
struct ManagerEvent {
    using Kind = trace::EngineNews;
    Kind kind = Kind::InUse;
    QByteArray space;
    QByteArray engine; ///< EngineConfig::id
    std::int64_t epoch = 0;
    QString reason; ///< translated: why the engine is left or used, or could not be changed; empty with health events
};

/// Locks whose backend can change while they are in use: by hand, by a new configuration, because the backend in use
/// fails its health checks, or because the primary has passed them again for long enough.
///
/// *How processes agree.* A record with an epoch says which engine a namespace uses. It is kept on all engines and
/// witnesses that can keep records: not on a Redlock, nor on a Redis behind sentinels or in a cluster, because a
/// failover can lose the latest write. Switchboard describes how several copies form one record. Each process keeps
/// reading a read quorum of the copies. It grants and keeps locks only while its latest reading is younger than
/// `confirmFor`, by its own monotonic clock, counted from before it asked. A switch writes a new epoch, at first
/// unsettled, to a write quorum. A process that sees it, or can no longer read the record, leaves the old engine: it
/// grants nothing there, and its holders are told "lost" at once (immediate) or after `drainFor` (drain). Such a hold
/// is given back when nobody grants there any more, at the latest when its lease ends: no process that has not
/// heard of the switch lets a waiter in behind them. The new engine is used after the slowest other process has done
/// that too: a process that saw the record decided waits 1.1 times confirmFor, when draining 1.1 times (confirmFor +
/// drainFor + lease). Then it settles the record. No clocks are compared.
///
/// *Guarantee.* Two running processes never use two engines of one namespace at the same time, whichever servers each
/// of them sees, provided that their clock rates differ by less than a tenth and record servers do not forget. A
/// process that is paused (not partitioned) for longer than a switch takes still believes when it wakes, until it
/// checks its clock (stillMine). The tokens' epoch covers this case: any token of a later engine is greater than any of
/// an earlier one.
///
/// *Limits.* All processes must have the same mode, drainFor, confirmFor and lease, because each waits for the others
/// by its own. With one or two record servers, a switch needs all of them; so onFailure requires three (two fallbacks,
/// or witnesses). Without a read quorum nothing is granted. A Redis without persistence, or a memcached, loses its
/// record when it restarts; it gets it back from the other servers or from any process that knows it. If so many
/// servers forget at once that no write quorum is left, a process that starts at that moment, or knows only the
/// previous record, may use another engine until it hears of the later one. In tokens, 16 bits are the epoch (at most
/// 32767) and 48 the engine's own token.
///
/// Single-threaded, on its runtime's thread. The runtime must outlive the manager, and the manager its locks.
class LockManager {
public:
    template <typename T>
    using Outcome = recipes::Outcome<T>;

    /// Makes connections from URLs: to real servers, or in a simulated world.
    using Connector = std::function<std::unique_ptr<Connection>(Runtime&, ConnectionUrl, QByteArray client)>;

    /// The error is a sentence about a configuration with errors. `client`: identity on the servers; empty: a new one.
    /// `recorder` gets the history of the manager and its locks and must outlive the manager; nullptr: none. `self`:
    /// this process in the recorder's trace; kNoEntity: a client by the name of its identity.
    static std::expected<std::unique_ptr<LockManager>, QString> make(Runtime& runtime, ManagerConfig config,
                                                                     const Connector& connector, QByteArray client = {},
                                                                     trace::Recorder* recorder = nullptr,
                                                                     trace::EntityId self = trace::kNoEntity);
    /// Closes without waiting: what cannot be given back becomes free when its lease or connection ends.
    ~LockManager();
    /// Leaves all engines: nothing is granted any more, holders are told "lost" and their holds are given back. Then it
    /// ends its sessions and leases on the servers. For servers that do not answer it waits until their drivers give
    /// up.
    QCoro::Task<> close();
    LockManager(const LockManager&) = delete;
    LockManager& operator=(const LockManager&) = delete;

    /// Creates what recipes and the record need on all engines and witnesses (database tables), and updates older
    /// layouts. Call it once, with a login that may create tables; without the tables such an engine cannot grant.
    /// Asks all servers; the error is that of the first one that refuses or cannot be reached. May be called again.
    Outcome<void> prepare(std::stop_token stop = {});
    /// Starts; true when every namespace has an engine in use within `patience`. After false it keeps trying.
    QCoro::Task<bool> start(Nanos patience = 10s, std::stop_token stop = {});

    /// A lock of a namespace; if the recipe is a semaphore, with one permit. nullptr when there is no such namespace.
    std::unique_ptr<ManagedLock> lock(const QByteArray& space, QByteArray name);
    /// A lock of a namespace, for one mode. `permits`: how many a semaphore has; give the same number in all processes.
    /// Kind::NotSupported when any engine's recipe does not offer the mode, so that this shows before a switch.
    /// Kind::Refused when there is no such namespace, or for fewer permits than one.
    std::expected<std::unique_ptr<ManagedLock>, LockError> lockAs(const QByteArray& space, QByteArray name,
                                                                  recipes::Mode mode, int permits = 1);

    /// Switches by hand to the engine with that index in the configuration, 0 = the primary. Ends when the switch is
    /// decided, at once when that engine is in use; other processes notice within confirmFor. Then nothing is granted
    /// for 1.1 times confirmFor, when draining for 1.1 times (confirmFor + drainFor + lease), even if nobody holds a
    /// lock: 72 s by default. Kind::Unreachable when no write quorum of record servers answers or the manager is
    /// closed: nothing was changed. Kind::OutcomeUnknown when fewer servers than that confirmed it, or the manager was
    /// closed meanwhile: it may still happen.
    Outcome<void> switchTo(QByteArray space, int engine, std::stop_token stop = {});
    /// As above, in a mode of its own; nullopt: the configuration's. Immediate where the configuration drains: holders
    /// are told "lost" at once, but the switch takes as long, because a process that cannot read the record lets its
    /// holders finish. Kind::Refused for Drain where the configuration says immediate: the processes do not wait for
    /// each other's holders there.
    Outcome<void> switchTo(QByteArray space, int engine, std::optional<SwitchMode> mode, std::stop_token stop = {});
    /// Switches back to the primary, as switchTo() with engine 0. NamespaceConfig::failBackAfter does it by itself.
    Outcome<void> failBack(QByteArray space, std::stop_token stop = {});
    /// Applies a new configuration: health checks, the order of the engines (a new primary causes a switch), and
    /// onFailure may change. Returns a sentence when it is refused: for errors, and for changes that need a restart.
    /// All processes must be restarted for other namespaces, servers or recipes, because the record refers to them; and
    /// for another mode, drainFor, confirmFor or lease, because the others wait that long. This process must be
    /// restarted for another way to a server, such as a new password.
    std::optional<QString> reload(const ManagerConfig& config);
    /// Calls reload() with the file's content now, and whenever the file changes, reappears, or is a link that points
    /// to another file. Links among its folders are resolved only now. Later errors go to the listener as Refused.
    std::optional<QString> watchFile(const QString& path);

    /// State of a namespace.
    struct Status {
        std::int64_t epoch = 0;
        QByteArray engine;         ///< in use, or being left
        bool usable = false;       ///< grants are made
        bool readable = false;     ///< enough servers answer for the record
        bool switching = false;    ///< a switch is decided, and nothing is granted before it is settled
        QString reason;            ///< translated: why that engine is in use; empty = not known
        std::int64_t sinceMs = 0;  ///< since when, by the wall clock of the process that settled it; 0 = not known
        std::vector<bool> healthy; ///< per engine, in the configuration's order
    };
    /// The namespace's state as far as this process knows; an empty Status for an unknown namespace.
    Status status(const QByteArray& space) const;
    /// Calls `listener` at each event, on the runtime's thread; it must not throw.
    void listen(std::function<void(const ManagerEvent&)> listener);

private:
    LockManager(Runtime& runtime, trace::Recorder* recorder);
    void fileChanged();
    void folderChanged();
    std::optional<QString> readFile();
    Runtime& m_runtime;
    trace::Recorder* m_recorder;
    std::map<QByteArray, std::shared_ptr<detail::Namespace>> m_spaces;
    std::function<void(const ManagerEvent&)> m_listener;
    std::unique_ptr<QFileSystemWatcher> m_watcher;
    QString m_path, m_target; ///< the watched file, and the file behind all its links
};

} // namespace lockscope
