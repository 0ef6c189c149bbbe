// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/alert_history.h"
#include "runtime/service_thread.h"
#include "session/alert_desk.h"
#include "trace/recording.h"

#include <stop_token>

namespace lockscope::session {

/// A saved recording as a session: nothing in it can be changed. It is read and judged on a thread of its own, from the
/// front: what has been read can be looked at already. A recording of servers that were watched has the alerts that
/// their locks raised, by whichever rules its reader wants.
class RecordingSession final : public Session, public AlertSource {
    Q_OBJECT
    Q_INTERFACES(lockscope::session::AlertSource)
public:
    /// Precondition: `path` is a file; what is wrong with it is told by health() and complained().
    explicit RecordingSession(const QString& path, QObject* parent = nullptr);
    ~RecordingSession() override;

    Abilities abilities() const override { return {}; }
    std::expected<void, QString> allows(scenario::Action action, scenario::TargetKind target) const override;
    QString title() const override;
    Health health() const override { return m_health; }
    std::shared_ptr<const trace::Trace> trace() const override { return m_trace; }
    std::shared_ptr<const verdict::Verdict> verdict() const override { return m_verdict; }
    /// The scenario that was recorded, as far as the recording says.
    scenario::Scenario scenario() const override { return m_scenario; }
    std::uint64_t seed() const override { return m_meta.seed; }
    trace::RecordingMeta recordingMeta() const override { return m_meta; }
    Nanos planned() const override { return Nanos(0); }

    /// One for each connection that was recorded; none before its names are read. They get their alerts after loaded().
    std::vector<AlertDesk*> alertDesks() override;

    /// True until all of it has been read, or reading was given up.
    bool isLoading() const { return m_loading; }
    /// True while the alerts of the desks are not those of their rules yet.
    bool isFindingAlerts() const { return m_finding; }
    /// Stops reading; what was read stays.
    void cancelLoading() { m_stop.request_stop(); }

public Q_SLOTS:
    void advanceTo(lockscope::Nanos) override {}
    void advanceToNext(lockscope::session::Milestone milestone, lockscope::Nanos from) override;
    void apply(lockscope::scenario::Fault fault, lockscope::Nanos at) override;
    void restart(std::uint64_t seed, lockscope::session::ByHand byHand) override;

Q_SIGNALS:
    /// Rows read of all rows, while loading.
    void progress(quint64 rows, quint64 total);
    void loaded();
    /// The alerts of the desks are those of their rules now.
    void alertsFound();
    /// The file could not even be opened; complained() was not emitted.
    void unreadable(const QString& message);

private:
    void read(const std::stop_token& stop); ///< on m_thread
    void opened(const trace::RecordingMeta& meta);
    void finished(const QString& damage);
    void refused(const QString& message);
    void addDesks();
    /// Looks for the alerts by the rules of the desks, on m_thread.
    void findAlerts();
    void takeAlerts(const std::vector<std::vector<inspect::PastAlert>>& found);

    QString m_path;
    std::shared_ptr<trace::Trace> m_trace;
    std::shared_ptr<const verdict::Verdict> m_verdict;
    scenario::Scenario m_scenario;
    trace::RecordingMeta m_meta;
    Health m_health;
    bool m_loading = true;
    bool m_finding = false;
    std::vector<std::unique_ptr<AlertDesk>> m_alerts;
    std::vector<inspect::JudgedConnection> m_judged; ///< what findAlerts() asked for last, in the desks' order
    std::uint64_t m_search = 0;                      ///< number of that
    std::stop_source m_stop, m_searchStop;
    std::unique_ptr<trace::RecordingReader> m_reader; ///< used on m_thread only
    Mailbox m_inbox;                                  ///< from the reading thread
    ServiceThread m_thread{"recording"};
};

} // namespace lockscope::session
