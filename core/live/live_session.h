// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "live/live_connection.h"
#include "runtime/service_thread.h"
#include "session/alert_desk.h"
#include "session/trace_joint.h"

namespace lockscope::live {

class LiveWorker;

/// As scenario::changeSetting(), and "clients" may be "0": a live server can be left without clients of our own.
std::expected<void, QString> applyLiveSetting(scenario::Scenario& settings, const scenario::Fault& fault);

/// A URL of servers that a watcher can read. The error is a sentence.
std::expected<ConnectionUrl, QString> parseWatchable(const QString& text);

/// Somebody's running servers as one session: their locks are watched over one connection each, read-only, in one
/// trace. Connections come and end while it runs, and one in trouble disturbs no other. Where the user allows changes
/// for a connection, a lock can be freed by force there, and on Redis workload clients of our own can be started
/// against it, paused and killed. Everything that talks to the servers happens on a thread of its own.
class LiveSession final : public session::Session,
                          public session::AlertSource,
                          public session::ConnectionSource,
                          public session::JoinedTraces {
    Q_OBJECT
    Q_INTERFACES(lockscope::session::JoinedTraces)
    Q_INTERFACES(lockscope::session::AlertSource)
    Q_INTERFACES(lockscope::session::ConnectionSource)
public:
    /// `settings` say what the workload does once it is asked for; it starts with no clients. Precondition: at least
    /// one connection, and inspect::watchable() of each.
    LiveSession(std::vector<ConnectionPlan> connections, scenario::Scenario settings, QObject* parent = nullptr);
    /// One connection, named after its address.
    LiveSession(ConnectionUrl url, bool allowChanges, scenario::Scenario settings, QObject* parent = nullptr);
    ~LiveSession() override;

    session::Abilities abilities() const override;
    std::expected<void, QString> allows(scenario::Action action, scenario::TargetKind target) const override;
    QString title() const override;
    session::Health health() const override { return session::healthOf(m_connections.all()); }
    std::shared_ptr<const trace::Trace> trace() const override { return m_trace; }
    std::shared_ptr<const verdict::Verdict> verdict() const override { return m_verdict; }
    /// The workload's settings; what was done by hand on a live server does not run again by itself.
    scenario::Scenario scenario() const override { return m_settings; }
    std::vector<scenario::Fault> doneByHand() const override { return m_byHand; }
    std::uint64_t seed() const override { return 0; }
    trace::RecordingMeta recordingMeta() const override { return m_meta; }
    Nanos planned() const override { return Nanos(0); }
    std::optional<double> ownLoad() const override { return m_ownLoad; }
    std::vector<session::AlertDesk*> alertDesks() override;
    session::ConnectionDesk* connectionDesk() override { return &m_connections; }
    session::TraceJoint traceJoint() const override { return m_joint; }
    /// From so many rows on the trace goes on in another one, which has the last half of it (session/trace_joint.h).
    /// Clients of our own keep it whole.
    void setMostRows(std::size_t rows);

public Q_SLOTS:
    void advanceTo(lockscope::Nanos) override {}
    void advanceToNext(lockscope::session::Milestone milestone, lockscope::Nanos from) override;
    void apply(lockscope::scenario::Fault fault, lockscope::Nanos at) override;
    void restart(std::uint64_t seed, lockscope::session::ByHand byHand) override;
    /// On the one connection that has a lock of this name; ConnectionDesk tells locks of one name apart.
    void planRelease(QByteArray lockName) override;
    void forceRelease(QByteArray lockName) override;

private:
    /// A plan with a name that no other connection has.
    ConnectionPlan named(ConnectionPlan plan, const std::vector<session::ConnectionFacts>& besides) const;
    void makeWorker(const scenario::Scenario& settings, std::vector<ConnectionPlan> connections);
    void takeConnections(std::vector<session::ConnectionFacts> all);
    void add(const session::ConnectionWish& wish);
    void edit(trace::EntityId id, const session::ConnectionWish& wish);
    /// Makes this connection, under a name that none of these has.
    void open(ConnectionPlan plan, const std::vector<session::ConnectionFacts>& besides);
    /// The lock of a name over a connection that may be changed; nullopt: none, or several, and the user was told.
    std::optional<trace::EntityId> lockToFree(const QByteArray& name);
    void release(trace::EntityId lock, void (LiveWorker::*how)(trace::EntityId));
    session::AlertDesk* alertDesk(trace::EntityId connection);
    /// Whether clients of our own may run on one of the connections.
    bool hasGround() const;
    scenario::Scenario m_settings;
    std::vector<scenario::Fault> m_byHand; ///< at the time up to which the trace had come
    trace::RecordingMeta m_meta;           ///< by the settings of the beginning; the trace tells what was changed
    std::shared_ptr<trace::Trace> m_trace;
    session::TraceJoint m_joint;
    std::shared_ptr<const verdict::Verdict> m_verdict;
    session::ConnectionDesk m_connections;
    std::map<std::pair<QString, QString>, ConnectionUrl> m_urls; ///< by name and shown URL; some have a password
    std::vector<std::unique_ptr<session::AlertDesk>> m_alerts;   ///< one a connection, in their order
    double m_ownLoad = 0;
    Mailbox m_inbox;                      ///< from the worker's thread
    std::unique_ptr<LiveWorker> m_worker; ///< made, used and destroyed on m_thread only
    ServiceThread m_thread{"live"};
};

} // namespace lockscope::live
