// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/alert_watch.h"
#include "inspect/copy_feeds.h"
#include "inspect/member_nodes.h"
#include "inspect/releaser.h"
#include "inspect/server_teller.h"
#include "inspect/trace_feed.h"
#include "inspect/watcher.h"
#include "live/own_record.h"
#include "runtime/event_loop_runtime.h"
#include "session/connection_desk.h"

#include <set>

namespace lockscope::live {

/// A connection that a live session is to make.
struct ConnectionPlan {
    QString name; ///< empty: named after its address
    ConnectionUrl url;
    bool changesAllowed = false;
};

/// The name of a connection that was given none: its address, or its file's name.
QString usualName(const ConnectionUrl& url);

/// The alerts of one connection that began and ended, and those that stand now.
struct AlertNews {
    trace::EntityId connection = trace::kNoEntity;
    std::vector<inspect::Alert> changes;
    inspect::AlertBoard board;
    Nanos at{};
    std::int64_t wallMs = 0;
};

/// One connection of a live session, on the session's thread: its watcher, what that sees as rows of the trace, its
/// alerts, and the release of locks by force. A connection in trouble says so and disturbs no other. Ended, it stays:
/// what it saw is in the trace, and it can be opened again.
class LiveConnection final {
public:
    /// Shared by the connections of a session; all of it outlives them.
    struct Shared {
        EventLoopRuntime& runtime;
        trace::Recorder& recorder;
        trace::EntityId observer; ///< this program, as a client of the servers
        std::function<trace::EntityId(const inspect::Party& party, trace::EntityId connection)> threadOf;
        std::function<void()> changed; ///< facts() differ
        std::function<void(const AlertNews& news)> alerts;
        std::function<void(const QString& why)> refused;
        std::function<void(trace::EntityId lock, const QByteArrayList& commands)> planned;
    };
    /// Precondition: inspect::watchable(plan.url).
    LiveConnection(const Shared& shared, ConnectionPlan plan);

    /// In the trace; see trace/connection.h.
    trace::EntityId id() const { return m_id; }
    trace::EntityId node() const { return m_node; }
    const QString& name() const { return m_plan.name; }
    const ConnectionUrl& url() const { return m_plan.url; }
    bool isOpen() const { return m_watcher != nullptr; }
    bool changesAllowed() const { return isOpen() && m_plan.changesAllowed; }
    inspect::TraceFeed& feed() { return m_feed; }
    session::ConnectionFacts facts() const;
    /// Requests sent so far, over all watchers that it had.
    std::uint64_t requests() const { return m_requestsBefore + (m_watcher ? m_watcher->load().requests : 0); }

    /// Connects and watches; again after close(). `url`: of the same server, and shown alike. `changesAllowed`: see
    /// allowChanges().
    void open(ConnectionUrl url, bool changesAllowed);
    /// Ends the watch: from now on its locks are not observed. Nothing on the server changes.
    void close();
    /// Without them nothing is ever written to the server.
    void allowChanges(bool allowed);

    /// Clients of our own run over this connection: they know more of a lock than the last look.
    void takeOwnClients(OwnRecord::Identity identity, std::function<Nanos(const QByteArray& lock)> leaseOf,
                        QByteArrayList locks);

    void setAlerts(std::vector<inspect::AlertRule> rules, std::vector<inspect::AlertMute> mutes);
    /// Applies the rules of alerts, and tells what came of it; not more often than it may cost. `rings`: whether
    /// deadlocks over several connections were looked for already.
    void checkAlerts(inspect::AlertWatch::Rings rings);
    inspect::AlertWatch& alerts() { return m_alerts; }
    /// To be called a few times a second: measures the load.
    void tick();

    /// Tells by Shared::planned with which commands the lock would be taken from those that were last seen to hold it.
    void planRelease(const QByteArray& lockName);
    /// Takes a lock away from its holders: from those of the plan, if one was made for it.
    void forceRelease(const QByteArray& lockName);

private:
    QCoro::Task<> watch(std::shared_ptr<inspect::Watcher> watcher, std::stop_token stop);
    void seen(const inspect::LockReport& report);
    void tellTrouble(const QString& message);
    /// When the locks of a report were looked at.
    void noteLooks(const inspect::LockReport& report);
    /// No alert stands any more, as nobody looks.
    void endAlerts();
    void tellLocks(const inspect::LockReport& report);
    void tellRole(const inspect::LockReport& report);
    void noteWhole(bool sawAll);
    void connectionChanged();
    /// How it stands with the server, and how much of it has been looked at.
    void judgeHealth();
    QString kind() const;
    /// How the watcher hears of changes, in a few words.
    QString watchingText(const inspect::LockReport& report) const;
    QCoro::Task<> free(std::shared_ptr<inspect::Releaser> by, inspect::LockRow lock);
    void noteFreed(const QByteArray& lockName);
    /// The releaser, made when it is first needed; nullptr: none can be made, and the user was told.
    std::shared_ptr<inspect::Releaser> releaser();
    /// The lock as it was last seen held; nullopt: it was not, and the user was told.
    std::optional<inspect::LockRow> seenHeld(const QByteArray& lockName);

    const Shared& m_shared;
    ConnectionPlan m_plan;
    inspect::WatchOptions m_options;
    trace::EntityId m_id, m_node;
    inspect::TraceFeed m_feed;
    inspect::ServerTeller m_teller;
    inspect::CopyFeeds m_copies;            ///< of locks that several servers keep together
    inspect::MemberNodes m_members;         ///< of a cluster, or of an ensemble
    std::unique_ptr<OwnRecord> m_ownRecord; ///< once clients of our own have run here
    QByteArrayList m_ownLocks;              ///< that they use
    inspect::AlertWatch m_alerts{inspect::usualAlertRules()};
    std::vector<inspect::AlertMute> m_mutes;
    Nanos m_alertsDue{};
    std::size_t m_alertsTold = 0;                             ///< alerts in the last news, with the muted ones
    std::shared_ptr<inspect::Watcher> m_watcher;              ///< while open; its coroutine keeps it, too
    std::vector<std::shared_ptr<inspect::Watcher>> m_retired; ///< their coroutines have not ended yet
    std::stop_source m_stop;
    std::shared_ptr<inspect::Releaser> m_releaser;
    std::optional<inspect::LockRow> m_planned; ///< to be taken away as soon as the user says so
    std::map<QByteArray, Nanos> m_freedAt;     ///< by force from here, until seen since
    std::set<QByteArray> m_known;              ///< locks seen at the last look
    std::set<QByteArray> m_contentOwed;        ///< … whose contents wait to be told
    QByteArray m_owedFrom;                     ///< the last one of them that was tried
    QString m_progress;                        ///< what of the server has not been looked at, in words; empty: nothing
    session::Health m_health;
    bool m_sawAll = false;           ///< so did the last report
    std::optional<Nanos> m_sawAllAt; ///< since when all reports did, by the recorder's clock
    bool m_observed = true;
    QString m_trouble; ///< why it is not
    bool m_everConnected = false;
    inspect::ServerIdentity m_server;           ///< as it was last told
    std::vector<inspect::ServerLine> m_servers; ///< that are behind it
    QString m_topology, m_watching;             ///< see ConnectionFacts
    Nanos m_failedOverAt{-1}, m_backAt{-1};
    int m_masters = 0;             ///< of several that are watched together; 0: one server
    int m_held = 0, m_waiting = 0; ///< at the last look
    int m_locks = 0;
    Nanos m_lookedAt{-1}, m_period{};
    std::shared_ptr<const std::map<trace::EntityId, Nanos>> m_lookedAtBefore; ///< see ConnectionFacts
    std::uint64_t m_requestsBefore = 0;
    struct Spent {
        Nanos at{};
        std::uint64_t requests = 0;
        Nanos serverTime{};
    };
    std::deque<Spent> m_spent; ///< over the last seconds
};

} // namespace lockscope::live
