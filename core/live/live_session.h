// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "runtime/service_thread.h"
#include "session/alert_desk.h"

namespace lockscope::live {

class LiveWorker;

/// As scenario::changeSetting(), and "clients" may be "0": a live server can be left without clients of our own.
std::expected<void, QString> applyLiveSetting(scenario::Scenario& settings, const scenario::Fault& fault);

/// Somebody's running server as a session: its locks are watched, read-only. Where the user allows changes for this
/// connection, a lock can be freed by force, and on Redis workload clients of our own can be started against it, paused
/// and killed. Everything that talks to the server happens on a thread of its own.
class LiveSession final : public session::Session, public session::AlertSource {
    Q_OBJECT
    Q_INTERFACES(lockscope::session::AlertSource)
public:
    /// `settings` say what the workload does once it is asked for; it starts with no clients.
    LiveSession(ConnectionUrl url, bool allowChanges, scenario::Scenario settings, QObject* parent = nullptr);
    ~LiveSession() override;

    session::Abilities abilities() const override;
    std::expected<void, QString> allows(scenario::Action action, scenario::TargetKind target) const override;
    QString title() const override;
    session::Health health() const override { return m_health; }
    std::shared_ptr<const trace::Trace> trace() const override { return m_trace; }
    std::shared_ptr<const verdict::Verdict> verdict() const override { return m_verdict; }
    /// The workload's settings; what was done by hand on a live server does not run again by itself.
    scenario::Scenario scenario() const override { return m_settings; }
    std::vector<scenario::Fault> doneByHand() const override { return m_byHand; }
    std::uint64_t seed() const override { return 0; }
    trace::RecordingMeta recordingMeta() const override { return m_meta; }
    Nanos planned() const override { return Nanos(0); }
    bool changesAllowed() const { return m_allowChanges; }
    std::optional<double> ownLoad() const override { return m_ownLoad; }
    session::AlertDesk* alertDesk() override { return &m_alerts; }

public Q_SLOTS:
    void advanceTo(lockscope::Nanos) override {}
    void advanceToNext(lockscope::session::Milestone milestone, lockscope::Nanos from) override;
    void apply(lockscope::scenario::Fault fault, lockscope::Nanos at) override;
    void restart(std::uint64_t seed, lockscope::session::ByHand byHand) override;
    void planRelease(QByteArray lockName) override;
    void forceRelease(QByteArray lockName) override;

private:
    void makeWorker(const scenario::Scenario& settings);
    bool m_allowChanges;
    ConnectionUrl m_url;
    scenario::Scenario m_settings;
    std::vector<scenario::Fault> m_byHand; ///< at the time up to which the trace had come
    trace::RecordingMeta m_meta;           ///< by the settings of the beginning; the trace tells what was changed
    std::shared_ptr<trace::Trace> m_trace;
    std::shared_ptr<const verdict::Verdict> m_verdict;
    session::Health m_health;
    session::AlertDesk m_alerts;
    double m_ownLoad = 0;
    Mailbox m_inbox;                      ///< from the worker's thread
    std::unique_ptr<LiveWorker> m_worker; ///< made, used and destroyed on m_thread only
    ServiceThread m_thread{"live"};
};

} // namespace lockscope::live
