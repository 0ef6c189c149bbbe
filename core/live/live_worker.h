// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/same_client.h"
#include "live/client_world.h"
#include "live/live_connection.h"
#include "runtime/event_loop_runtime.h"
#include "session/session.h"
#include "workload/participant.h"

#include <QTimer>

namespace lockscope::live {

/// The thread's side of a live session: its connections, the workload clients, the judge. All functions are called on
/// its thread; it is made and destroyed there.
class LiveWorker final {
public:
    /// Its callbacks, all called on its thread.
    struct Listener {
        std::function<void()> grown;
        /// From this row on the trace goes on in another one, which has the end of it.
        std::function<void(std::shared_ptr<trace::Trace> next, std::size_t row)> replaced;
        std::function<void(std::shared_ptr<const verdict::Verdict>)> judged;
        std::function<void(std::vector<session::ConnectionFacts>)> connections;
        std::function<void(double commandsPerSecond)> load;
        std::function<void(const AlertNews& news)> alerts;
        std::function<void(QString why)> refused;
        std::function<void(trace::EntityId lock, QByteArrayList commands)> planned;
    };
    LiveWorker(scenario::Scenario settings, std::shared_ptr<trace::Trace> trace, Listener listener);
    ~LiveWorker();

    /// Starts to connect. Precondition: inspect::watchable(plan.url). A connection of this name and address that was
    /// ended is opened again.
    void add(ConnectionPlan plan);
    void end(trace::EntityId connection);
    void reconnect(trace::EntityId connection);
    /// Without changes, clients of our own on that connection are killed.
    void allowChanges(trace::EntityId connection, bool allowed);
    /// Which alerts of a connection to tell of from now on.
    void setAlerts(trace::EntityId connection, std::vector<inspect::AlertRule> rules,
                   std::vector<inspect::AlertMute> mutes);
    /// How long the locks of a connection are usually held, as it was learned before.
    void setUsual(trace::EntityId connection, inspect::UsualTimes byLock);
    /// By which rules clients of several servers are one, of names that come from now on.
    void setClientRules(std::vector<inspect::ClientRule> rules) { m_clientRules = std::move(rules); }

    /// A fault or a changed setting of our own clients, done by hand.
    void act(const scenario::Fault& fault);
    /// See LiveConnection; of the connection that the lock was seen over.
    void planRelease(trace::EntityId lock);
    void forceRelease(trace::EntityId lock);
    /// See LiveSession.
    void setMostRows(std::size_t rows) { m_mostRows = rows; }

private:
    using Client = workload::Participant;
    Client* findClient(const QString& target);
    /// Starts clients from number `before` on, or kills those that are too many.
    void setClients(int count, int before);
    void set(const scenario::Fault& fault);
    void tick();
    /// Lets the trace go on in another one without its first half, if it has become too long.
    void boundTrace();
    /// Looks for deadlocks over all open connections, if there are several.
    inspect::AlertWatch::Rings findRings();
    void tellConnections();
    void emitFault(trace::EventKind kind, trace::EntityId actor, std::uint32_t aux = 0);
    LiveConnection* find(trace::EntityId connection) const;
    /// The connection of a lock; nullptr: there is none, and the user was told.
    LiveConnection* connectionOfLock(trace::EntityId lock) const;
    /// The connection that clients of our own may use: the one that they have used before, else the first one that is
    /// fit; nullptr: none is.
    LiveConnection* forOwnClients() const;
    trace::EntityId threadOf(const inspect::Party& party, trace::EntityId connection);
    std::optional<inspect::Party> partyOf(trace::EntityId thread) const;

    Listener m_listener;
    std::chrono::steady_clock::time_point m_origin = std::chrono::steady_clock::now();
    scenario::Scenario m_settings;
    std::shared_ptr<trace::Trace> m_trace;
    trace::Recorder m_recorder;
    std::map<QByteArray, trace::EntityId> m_threads; ///< of our own clients, by identity
    std::vector<inspect::ClientRule> m_clientRules = inspect::usualClientRules();
    std::unique_ptr<verdict::Judge> m_judge;
    std::size_t m_judgedRows = 0;
    std::size_t m_mostRows = 600'000; ///< of the trace: with the views' pictures, each takes about 430 bytes
    EventLoopRuntime m_runtime;
    LiveConnection::Shared m_shared;
    std::vector<std::unique_ptr<LiveConnection>> m_connections; ///< those that were ended, too
    bool m_connectionsDiffer = false;
    Nanos m_connectionsDue{};
    Nanos m_ringsDue{};
    LiveConnection* m_ground = nullptr; ///< that clients of our own have run over
    workload::Resources m_resources;
    CommandCount m_clientsCommands;
    std::vector<std::unique_ptr<Client>> m_clients;
    QTimer m_tick;
    std::deque<std::pair<Nanos, std::uint64_t>> m_sent; ///< total commands sent, over the last seconds
};

} // namespace lockscope::live
