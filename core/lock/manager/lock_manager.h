// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/connection.h"
#include "lock/distributed_lock.h"
#include "lock/manager/managed_lock.h"
#include "lock/manager/manager_config.h"

class QFileSystemWatcher;

namespace lockscope {

/// What a manager tells its listeners.
struct ManagerEvent {
    enum class Kind : std::uint8_t {
        Unhealthy, ///< an engine failed its health checks
        Healthy,   ///< it passes them again
        Leaving,   ///< a switch has begun, or the agreement cannot be read: no more grants on this engine
        InUse,     ///< grants are made on this engine from now on
        Refused,   ///< a switch was wanted and could not be agreed on
    };
    Kind kind = Kind::InUse;
    QByteArray space;
    QByteArray engine; ///< EngineConfig::id
    std::int64_t epoch = 0;
    QString reason; ///< translated: why it is left or used, or could not be changed; empty for health
};

/// Locks whose backend can be changed while they are in use: by hand, by a new configuration, or because the backend in
/// use fails its health checks.
///
/// *How processes agree.* Which engine a namespace uses stands in a record with an epoch, kept on all of its engines
/// and witnesses that keep records (not a Redlock, and no Redis behind sentinels or in a cluster, which a
/// failover makes forget; Switchboard says how several copies stay one record). Each
/// process reads a read quorum of them all the time, and grants and keeps locks only while what it read is younger than
/// `confirmFor`, by its own monotonic clock, counted from before it asked. A switch is a new epoch, written to a write
/// quorum, unsettled at first. Whoever sees it, or can no longer read the record, leaves the old engine: no more grants
/// there, and its holders are told "lost" at once (immediate) or after `drainFor` (drain). The new engine is used when
/// somebody who saw the record decided has waited for as long as the slowest other process may take for all of that:
/// confirmFor, and when draining drainFor and one lease besides, and a tenth more. Then the record is settled. No
/// clocks are compared.
///
/// *What that promises.* No two processes that run at all use two engines of one namespace at a time, whichever of them
/// see which servers, as long as their clocks run at the same speed within a tenth and record servers do not forget. A
/// process that is stopped for longer than that (a pause, not a partition) still believes when it wakes, until it looks
/// at its clock (stillMine): that is what the tokens' epoch is for, which makes any token of a later engine greater
/// than any of an earlier one.
///
/// *Its limits.* All processes must have the same mode, drainFor, confirmFor and lease: each waits for the others by
/// its own. With one or two record servers, a switch needs all of them: so onFailure wants three (two fallbacks, or
/// witnesses). Without a read quorum nothing is granted. A Redis without persistence, or a memcached, forgets its
/// record when it restarts, and gets it back from the other servers or from any process that knows it. When so many
/// forget at once that no write quorum is left, a process that begins just then, or knows only what was before, may use
/// another engine until it hears of that. Tokens have 16 bits for the epoch (up to 32767) and 48 for the engine's own.
///
/// Single-threaded, on its runtime's thread; the runtime must outlive it, and it its locks.
class LockManager {
public:
    template <typename T>
    using Outcome = recipes::Outcome<T>;

    /// What makes connections of URLs: makeConnection, or a test's own.
    using Connector = std::function<std::unique_ptr<Connection>(Runtime&, ConnectionUrl, QByteArray client)>;

    /// An error sentence when the configuration makes no sense. `client`: identity on the servers, empty: a new one.
    /// `recorder` gets the manager's whole history and that of its locks; it must outlive the manager. nullptr: none.
    static std::expected<std::unique_ptr<LockManager>, QString> make(Runtime& runtime, ManagerConfig config,
                                                                     QByteArray client = {},
                                                                     trace::Recorder* recorder = nullptr,
                                                                     const Connector& connector = makeConnection);
    /// close() without waiting: what cannot be given back is free when its leases and connections end.
    ~LockManager();
    /// Leaves all engines: nothing is granted any more, whoever holds is told that it is lost, and it is given back;
    /// then says goodbye to the servers, so that sessions and leases end there now. Those that do not answer are waited
    /// for as their drivers do.
    QCoro::Task<> close();
    LockManager(const LockManager&) = delete;
    LockManager& operator=(const LockManager&) = delete;

    /// Creates what recipes and the record need on all engines and witnesses (tables of databases), and brings older
    /// ones up to date: once, by whoever may create tables there; without them such an engine can grant nothing. Ends
    /// at the first server that refuses or cannot be reached; may be asked again.
    Outcome<void> prepare(std::stop_token stop = {});
    /// Begins; true when all namespaces have an engine in use within `patience`. It goes on in any case.
    QCoro::Task<bool> start(Nanos patience = 10s, std::stop_token stop = {});

    /// A lock of a namespace, of a semaphore one with one permit; nullptr when there is no such namespace.
    std::unique_ptr<ManagedLock> lock(const QByteArray& space, QByteArray name);
    /// The same for one use of it. `permits`: how many there are in all, of a semaphore; all processes should say the
    /// same. Kind::NotSupported when the recipe of any of its engines does not offer that mode, rather than after the
    /// switch to it. Kind::Refused when there is no such namespace, or for fewer permits than one.
    std::expected<std::unique_ptr<ManagedLock>, LockError> lockAs(const QByteArray& space, QByteArray name,
                                                                  recipes::Mode mode, int permits = 1);

    /// Switches by hand to the engine of that place in the configuration, 0 = the primary. Ends when that is decided,
    /// at once when it is in use; others hear of it within confirmFor. Nothing is granted for 1.1 times confirmFor
    /// then, and when draining 1.1 times drainFor and one lease besides, whether or not anybody holds: 72 s by default.
    /// Kind::Unreachable when no write quorum of record servers answers, or the manager is closed: nothing was changed.
    /// Kind::OutcomeUnknown when fewer than that confirmed it, or it was closed meanwhile: it may still happen.
    Outcome<void> switchTo(QByteArray space, int engine, std::stop_token stop = {});
    /// Takes a new configuration: other health checks, another order of the engines (a switch, if another one comes
    /// first), switching on failure or not. Refused with a sentence when it makes no sense; or names other namespaces,
    /// servers or recipes: the agreement is about those and kept there; or another mode, drainFor, confirmFor or lease:
    /// others wait for as long as those say. Then all processes have to end first. Refused, too, when only the way to a
    /// server is another one, such as its password: this process has to begin anew for that.
    std::optional<QString> reload(const ManagerConfig& config);
    /// reload() from a file now, and whenever it changes, is there again, or is a link that names another one; links
    /// among its folders are followed now only. Complaints go to the listener as Refused.
    std::optional<QString> watchFile(const QString& path);

    /// Where a namespace stands.
    struct Status {
        std::int64_t epoch = 0;
        QByteArray engine;         ///< in use, or being left
        bool usable = false;       ///< grants are made
        std::vector<bool> healthy; ///< by engine
    };
    /// As far as this process knows; nothing of a namespace that there is not.
    Status status(const QByteArray& space) const;
    /// Called at each event, on the runtime's thread; must not throw.
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
    QString m_path, m_target; ///< of the file that is watched, and what that is behind all links
};

} // namespace lockscope
