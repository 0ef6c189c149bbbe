// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/alert_watch.h"
#include "inspect/lock_change.h"
#include "inspect/member_change.h"
#include "inspect/same_client.h"
#include "inspect/watcher.h"
#include "live/forced_releases.h"
#include "ports/url.h"
#include "runtime/runtime.h"
#include "servers/watch_recording.h"

#include <set>

namespace lockscope::cli {

class WatchClock;
class WatchMetrics;

/// The parts of the reports that a person asked to see.
struct WatchPlan {
    bool once = false;
    bool json = false;
    bool renewals = false; ///< a line for each of them, too
    bool headings = false; ///< several servers: each line says which one
    bool fail = false;     ///< the first alert ends the program
    std::optional<QString> match, ignore, strings;
    std::optional<Nanos> interval; ///< between two looks
    std::vector<inspect::AlertRule> alerts;
    std::vector<inspect::ClientRule> sameClient; ///< how clients are told on other servers; empty: by their names
    QString record;                              ///< the file; empty: none
    trace::RecordingBounds bounds;
};

/// One of the servers of `lockscope watch`: its watcher, and the lines that are printed of it.
class WatchedServer {
public:
    /// Precondition: inspect::watchable(url). `metrics`: may be nullptr; outlives it, as do the clock, which all
    /// servers of a run share, and the runtime.
    WatchedServer(Runtime& runtime, const ConnectionUrl& url, const WatchPlan& plan, WatchClock& clock,
                  WatchMetrics* metrics);

    /// Looks once, or watches until stopped. The exit status. Throws Cancelled.
    QCoro::Task<int> look(std::stop_token stop);
    /// From now on reports are recorded, too; the recording outlives it.
    void record(WatchRecording* recording) { m_recording = recording; }
    /// Tells which alerts begin and end now. True: one has begun.
    bool checkAlerts(inspect::AlertWatch::Rings rings = inspect::AlertWatch::Rings::Own);
    /// Tells that the server has not answered for a while, that a first look takes its time, or that no look has been
    /// at the locks for long: each once. Call it a few times a second.
    void tellDelays();
    inspect::AlertWatch& alerts() { return m_alerts; }
    /// The cost of watching so far, as a sentence; empty: nothing was asked.
    QString cost() const;

private:
    QCoro::Task<int> lookOnce(std::stop_token stop);
    void tellSilence();
    void tellFirstLook();
    void tellAge();
    /// A look has come after one that was told to be old.
    void tellLookedAgain(const inspect::LockReport& report);
    void tellPause(const char* event, Nanos length, std::optional<Nanos> due, const QString& text);
    void tell(const inspect::LockReport& report);
    void tellNotes(const inspect::LockReport& report);
    void tellServers(const inspect::LockReport& report);
    void tell(inspect::ServerEvent event, const inspect::LockReport& report);
    void tell(const inspect::MemberChange& change, const inspect::LockReport& report);
    void tell(const inspect::LockChange& change, const inspect::LockReport& report);
    void tell(const inspect::LateRenewal& late, const inspect::LockReport& report);
    void tell(const inspect::Alert& alert);
    /// A line of text about something that happened.
    void sayAt(std::int64_t wallMs, const QString& word, const QString& text);
    void complainHere(const QString& message) const;

    Runtime& m_runtime;
    WatchClock& m_clock;
    const ConnectionUrl m_url;
    QString m_endpoint;
    WatchPlan m_plan;
    WatchMetrics* m_metrics;
    WatchRecording* m_recording = nullptr;
    std::unique_ptr<inspect::Watcher> m_watcher;
    inspect::AlertWatch m_alerts;
    inspect::MemberNews m_members;
    /// Rules and locks whose alert was told in equal words with another lock's: a deadlock's.
    std::set<std::pair<QString, QByteArray>> m_toldElsewhere;
    live::ForcedReleases m_forced;
    inspect::LockReport m_last;
    Nanos m_began{};
    std::optional<Nanos> m_firstLook;           ///< since when the first one goes on
    Nanos m_firstLookTold{};                    ///< how long it had taken when that was told last
    bool m_oldTold = false;                     ///< that no look has been at the locks for long
    std::set<inspect::WatchNote::Kind> m_noted; ///< said since the present connection began
    bool m_troubled = false;
    bool m_silent = false; ///< it does not answer, and that was said
};

} // namespace lockscope::cli
