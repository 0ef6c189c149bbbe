// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/alert_watch.h"
#include "inspect/releaser.h"
#include "inspect/trace_feed.h"
#include "inspect/watcher.h"
#include "live/client_world.h"
#include "live/own_record.h"
#include "runtime/event_loop_runtime.h"
#include "session/session.h"
#include "workload/participant.h"

#include <QTimer>

namespace lockscope::live {

/// The thread's side of a live session: the watcher, the workload clients, the judge. All functions are called on its
/// thread; it is made and destroyed there.
class LiveWorker final {
public:
    /// The alerts that began and ended, and those that stand now.
    struct AlertNews {
        std::vector<inspect::Alert> changes;
        inspect::AlertBoard board;
        Nanos at{};
        std::int64_t wallMs = 0;
    };
    /// Its callbacks, all called on its thread.
    struct Listener {
        std::function<void()> grown;
        std::function<void(std::shared_ptr<const verdict::Verdict>)> judged;
        std::function<void(session::Health)> health;
        std::function<void(double commandsPerSecond)> load;
        std::function<void(const AlertNews& news)> alerts;
        std::function<void(QString why)> refused;
        std::function<void(QByteArray lockName, QByteArrayList commands)> planned;
    };
    /// Precondition: inspect::watchable(url).
    LiveWorker(ConnectionUrl url, scenario::Scenario settings, std::shared_ptr<trace::Trace> trace, Listener listener);
    ~LiveWorker();

    void start();
    /// Which alerts to tell of from now on.
    void setAlerts(std::vector<inspect::AlertRule> rules, std::vector<inspect::AlertMute> mutes);
    void act(const scenario::Fault& fault);
    /// Tells by Listener::planned with which commands the lock would be taken from those that were last seen to hold
    /// it.
    void planRelease(const QByteArray& lockName);
    /// Takes a lock away from its holders: from those of the plan, if one was made for it.
    void forceRelease(const QByteArray& lockName);

private:
    using Client = workload::Participant;
    Client* findClient(const QString& target);
    /// Starts clients from number `before` on, or kills those that are too many.
    void setClients(int count, int before);
    void set(const scenario::Fault& fault);
    void seen(const inspect::LockReport& report);
    /// Writes the report's server events (restart, failover, emptied) to the trace.
    void tellServerEvents(const inspect::LockReport& report);
    void connectionChanged();
    void tellRole(const inspect::LockReport& report);
    /// How it stands with the server, and how much of it has been looked at.
    void tellHealth();
    /// Applies the rules of alerts, and tells what came of it; not more often than it may cost.
    void checkAlerts();
    void tick();
    void emitFault(trace::EventKind kind, trace::EntityId actor, std::uint32_t aux = 0);
    QCoro::Task<> free(inspect::LockRow lock);
    /// The releaser, made when it is first needed; nullptr: none can be made, and the user was told.
    inspect::Releaser* releaser();
    /// The lock as it was last seen held; nullopt: it was not, and the user was told.
    std::optional<inspect::LockRow> seenHeld(const QByteArray& lockName);
    trace::EntityId threadOf(const inspect::Party& party);
    std::optional<inspect::Party> partyOf(trace::EntityId thread) const;

    Listener m_listener;
    std::chrono::steady_clock::time_point m_origin = std::chrono::steady_clock::now();
    ConnectionUrl m_url;
    scenario::Scenario m_settings;
    std::shared_ptr<trace::Trace> m_trace;
    trace::Recorder m_recorder;
    trace::EntityId m_node;
    trace::EntityId m_observer;                      ///< this program, as a client of the node
    std::map<QByteArray, trace::EntityId> m_threads; ///< of our own clients, by identity
    inspect::TraceFeed m_feed;
    OwnRecord m_ownRecord;
    workload::Resources m_resources;
    inspect::AlertWatch m_alerts{inspect::usualAlertRules()};
    std::vector<inspect::AlertMute> m_mutes;
    Nanos m_alertsDue{};
    std::size_t m_alertsTold = 0; ///< alerts in the last news, with the muted ones
    verdict::Judge m_judge;
    std::size_t m_judgedRows = 0;
    EventLoopRuntime m_runtime;
    std::unique_ptr<inspect::Watcher> m_watcher;
    std::unique_ptr<inspect::Releaser> m_releaser;
    std::optional<inspect::LockRow> m_planned; ///< to be taken away as soon as the user says so
    std::set<QByteArray> m_known;              ///< locks seen at the last look
    std::set<QByteArray> m_fastMulti;          ///< those of them that are one value of a fast multi-lock
    QString m_progress;                        ///< what of the server has not been looked at, in words; empty: nothing
    QString m_told;                            ///< the health last told
    CommandCount m_clientsCommands;
    std::vector<std::unique_ptr<Client>> m_clients;
    QTimer m_tick;
    bool m_observed = true;
    QString m_trouble; ///< why it is not
    bool m_everConnected = false;
    inspect::ServerIdentity::Role m_role = inspect::ServerIdentity::Role::Unknown; ///< as it was last told
    std::deque<std::pair<Nanos, std::uint64_t>> m_sent; ///< total commands sent, over the last seconds
};

} // namespace lockscope::live
