// SPDX-License-Identifier: Apache-2.0
#include "live/live_connection.h"

#include "drivers/dial.h"
#include "inspect/make_watcher.h"
#include "inspect/row_named.h"
#include "inspect/seen_by_waiters.h"
#include "inspect/seen_content.h"
#include "inspect/topology_words.h"
#include "live/live_session.h"
#include "recipes/backend_name.h"
#include "session/alert_desk.h"
#include "trace/connection.h"
#include "trace/time_text.h"

#include <QFileInfo>
#include <QLocale>
#include <algorithm>
#include <climits>

namespace lockscope::live {

using trace::EntityKind;
using trace::EventKind;

namespace {

constexpr Nanos kTolerance = 30ms; ///< of deadlines: answers come over a network
constexpr int kMostOwed = 2000;    ///< contents that are told in one go after they had to wait …
constexpr int kMostRefused = 20;   ///< … until so many must wait on

/// A server's address; a file's name where there is no server.
QByteArray nodeNameOf(const ConnectionUrl& url) {
    return (url.endpoints.empty() ? url.path : usualName(url)).toUtf8();
}

/// Tells how much a look has left out: an empty table of locks means nothing as long as that is much.
QString progressText(const inspect::LockReport& report) {
    const QLocale locale;
    const auto several = [](std::int64_t keys) { return int(std::min<std::int64_t>(keys, INT_MAX)); };
    if (!report.complete) {
        if (report.keysThere < 0) return LiveSession::tr("looking through its keys");
        return LiveSession::tr("%1 of %2 key(s) looked at", nullptr, several(report.keysThere))
            .arg(locale.toString(qint64(report.keysPassed)), locale.toString(qint64(report.keysThere)));
    }
    if (report.keysLeftAlone == 0) return {};
    return LiveSession::tr("%1 key(s) not looked at: this server would keep them for longer", nullptr,
                           several(report.keysLeftAlone))
        .arg(locale.toString(qint64(report.keysLeftAlone)));
}

} // namespace

QString usualName(const ConnectionUrl& url) {
    if (url.service == Service::Redlock && url.endpoints.size() > 1) // none of its servers is more than the others
        return QStringLiteral("%1 +%2").arg(url.endpoints.front().display()).arg(url.endpoints.size() - 1);
    if (url.service == Service::RedisSentinel) return url.path; // the master's name: its server changes
    return url.endpoints.empty() ? QFileInfo(url.path).fileName() : url.endpoints.front().display();
}

LiveConnection::LiveConnection(const Shared& shared, ConnectionPlan plan)
    : m_shared(shared),
      m_plan(std::move(plan)),
      m_options(inspect::watchOptionsOf(m_plan.url)),
      m_id(trace::internConnection(shared.recorder.trace(), m_plan.name.toUtf8(), m_plan.url.display().toUtf8())),
      m_node(shared.recorder.trace().intern(EntityKind::Node, nodeNameOf(m_plan.url), m_id)),
      m_feed(
          shared.recorder, m_node, [this](const inspect::Party& party) { return m_shared.threadOf(party, m_id); },
          kTolerance),
      m_teller(shared.recorder, m_node),
      m_copies(
          {shared.recorder, m_feed, m_id, shared.observer},
          [this](const inspect::Party& party) { return m_shared.threadOf(party, m_id); }, kTolerance),
      m_members({shared.recorder, m_feed, m_id, shared.observer}) {
}

void LiveConnection::open(ConnectionUrl url, bool changesAllowed) {
    Q_ASSERT(url.display() == m_plan.url.display());
    if (isOpen()) close();
    m_plan.url = std::move(url);
    m_plan.changesAllowed = changesAllowed;
    auto made = inspect::makeWatcher(m_shared.runtime, m_plan.url, realDiallers(), m_options);
    Q_ASSERT(made);
    m_watcher = std::move(*made);
    m_stop = std::stop_source();
    m_everConnected = false;
    m_watcher->onStatus([this] { connectionChanged(); });
    judgeHealth();
    m_shared.runtime.spawn([this] { return watch(m_watcher, m_stop.get_token()); });
}

void LiveConnection::close() {
    if (!isOpen()) return;
    m_requestsBefore = requests();
    m_watcher->onStatus([] {});
    m_stop.request_stop();
    m_retired.push_back(std::move(m_watcher));
    m_releaser.reset();
    m_planned.reset();
    m_spent.clear();
    m_progress.clear();
    m_server = {};
    tellTrouble(LiveSession::tr("the connection was ended"));
    m_copies.unobserved();
    m_members.unobserved(m_trouble);
    endAlerts();
    judgeHealth();
}

void LiveConnection::endAlerts() {
    AlertNews news{m_id, {}, {}, m_shared.runtime.monotonic(), m_shared.runtime.wallMs()};
    news.changes = m_alerts.board(news.at, news.wallMs, {}, session::AlertDesk::kMostSpans).alerts;
    for (inspect::Alert& alert : news.changes)
        alert.state = inspect::Alert::State::Over;
    inspect::AlertWatch fresh(m_alerts.rules()); // what it knew of the locks is not true for ever
    fresh.setUsual(m_alerts.usual());
    m_alerts = std::move(fresh);
    m_alertsTold = 0;
    m_shared.alerts(news);
}

void LiveConnection::allowChanges(bool allowed) {
    if (allowed == m_plan.changesAllowed) return;
    m_plan.changesAllowed = allowed;
    if (!allowed) m_releaser.reset();
    m_shared.changed();
}

QCoro::Task<> LiveConnection::watch(std::shared_ptr<inspect::Watcher> watcher, std::stop_token stop) {
    const auto told = [this, its = watcher.get()](const inspect::LockReport& report) {
        if (its == m_watcher.get()) seen(report); // else it was ended meanwhile
    };
    co_await watcher->watch(told, stop);
}

void LiveConnection::takeOwnClients(OwnRecord::Identity identity, std::function<Nanos(const QByteArray& lock)> leaseOf,
                                    QByteArrayList locks) {
    m_ownLocks = std::move(locks);
    if (m_ownRecord) return;
    m_ownRecord = std::make_unique<OwnRecord>(m_shared.recorder, m_feed, std::move(identity));
    m_ownRecord->setNode(m_node);
    m_ownRecord->setLeases(std::move(leaseOf));
}

void LiveConnection::connectionChanged() {
    if (!isOpen()) return;
    const bool connected = m_watcher->status().state == inspect::WatchStatus::State::Connected;
    if (connected && !m_everConnected) m_shared.recorder.emit(EventKind::NodeStarted, m_node);
    m_everConnected = m_everConnected || connected;
    judgeHealth();
}

void LiveConnection::judgeHealth() {
    using State = inspect::WatchStatus::State;
    using Level = session::Health::Level;
    const session::Health before = m_health;
    if (!isOpen()) {
        m_health = {Level::Bad, LiveSession::tr("ended: not observed any more"), {}};
    } else {
        const inspect::WatchStatus status = m_watcher->status();
        const bool connected = status.state == State::Connected && m_observed;
        const bool working = status.state == State::Connecting || status.state == State::Idle;
        const Level reached = status.partial ? Level::Partial : Level::Good;
        m_health = {connected ? reached : working ? Level::Working : Level::Bad, status.text, {}};
        // A person knows it by its name; troubles keep the address, which says where to look. Several addresses would
        // leave no room for the trouble, which names the servers that are away.
        const QString address = m_watcher->where() + QStringLiteral(" · ");
        const bool shortened = m_health.level != Level::Bad || m_plan.url.endpoints.size() > 1;
        if (shortened && m_health.text.startsWith(address))
            m_health.text.replace(0, address.size(), m_plan.name + QStringLiteral(" · "));
        const bool lost = status.state == State::Retrying || status.state == State::Failed;
        if (lost && m_everConnected) {
            m_health.brief = LiveSession::tr("%1 · lost").arg(m_plan.name);
        } else if (lost) {
            // Nothing can be lost that was never there.
            m_health.brief = LiveSession::tr("%1 · not reached").arg(m_plan.name);
            m_health.text = LiveSession::tr("not reached: %1").arg(status.trouble);
        }
        // A connected socket does not prove that the server is alive: it may be stopped. The sentence names it.
        if (status.state == State::Connected && !m_observed) {
            m_health.text = LiveSession::tr("not observed: %1").arg(m_trouble);
            m_health.brief = LiveSession::tr("%1 · not observed").arg(m_plan.name);
        }
        if (connected && !m_progress.isEmpty()) m_health.text += QStringLiteral(" · ") + m_progress;
    }
    if (m_health.text != before.text || m_health.level != before.level) m_shared.changed();
}

QString LiveConnection::kind() const {
    using Role = inspect::ServerIdentity::Role;
    QString text = recipes::backendName(m_plan.url.scheme);
    if (!m_server.version.isEmpty()) text += u' ' + QString::fromUtf8(m_server.version);
    QStringList parts{text};
    if (m_plan.url.endpoints.size() > 1 && m_masters == 0)
        parts << LiveSession::tr("%n address(es)", nullptr, int(m_plan.url.endpoints.size()));
    if (m_masters > 1) parts << LiveSession::tr("%n master(s)", nullptr, m_masters);
    if (m_server.role == Role::Master) parts << LiveSession::tr("master");
    if (m_server.role == Role::Replica) parts << LiveSession::tr("replica");
    return parts.join(QStringLiteral(" · "));
}

QString LiveConnection::watchingText(const inspect::LockReport& report) const {
    using Kind = inspect::WatchNote::Kind;
    const QString every = spanText(report.period);
    switch (m_plan.url.service) {
    case Service::Redis:
    case Service::RedisSentinel:
    case Service::RedisCluster:
    case Service::Redlock: {
        const bool told = std::ranges::any_of(report.notes, [](const inspect::WatchNote& note) {
            return note.kind == Kind::ChangesTold || note.kind == Kind::ChangesBounded ||
                   note.kind == Kind::ChangesForgotten;
        });
        //: How a Redis is watched: by its command SCAN, and by messages.
        return told ? LiveSession::tr("SCAN + told of changes") : LiveSession::tr("SCAN, asks every %1").arg(every);
    }
    case Service::ZooKeeper:
        return LiveSession::tr("a watch for each node");
    case Service::Etcd:
        return LiveSession::tr("one watch stream");
    case Service::MySql:
    case Service::PostgreSql:
    case Service::Sqlite:
    case Service::Memcached:
        break;
    }
    return LiveSession::tr("asks every %1").arg(every);
}

session::ConnectionFacts LiveConnection::facts() const {
    session::ConnectionFacts facts;
    facts.id = m_id;
    facts.name = m_plan.name;
    facts.url = m_plan.url.display();
    facts.kind = kind();
    facts.health = m_health;
    facts.servers = m_servers;
    facts.topology = m_topology;
    facts.watching = isOpen() ? m_watching : QString();
    facts.failedOverAt = m_failedOverAt;
    facts.backAt = m_backAt;
    facts.open = isOpen();
    facts.changesAllowed = changesAllowed();
    // The share is of the last seconds: as long as these reach into the first look, its own bound applies.
    const bool first = !m_sawAllAt || (!m_spent.empty() && m_spent.front().at < *m_sawAllAt);
    facts.budget = first ? std::max(m_options.share, m_options.firstShare) : m_options.share;
    facts.locks = m_locks;
    facts.held = m_held;
    facts.waiting = m_waiting;
    facts.lookedAt = m_lookedAt;
    facts.lookedAtBefore = m_lookedAtBefore;
    facts.period = m_period;
    if (m_spent.size() < 2) return facts;
    const double seconds = std::chrono::duration<double>(m_spent.back().at - m_spent.front().at).count();
    if (seconds < 0.5) return facts;
    facts.commandsPerSecond = double(m_spent.back().requests - m_spent.front().requests) / seconds;
    facts.share =
        std::chrono::duration<double>(m_spent.back().serverTime - m_spent.front().serverTime).count() / seconds;
    return facts;
}

void LiveConnection::tick() {
    // A watcher outlives its coroutine.
    std::erase_if(m_retired, [](const std::shared_ptr<inspect::Watcher>& one) { return one.use_count() == 1; });
    if (!isOpen()) return;
    const inspect::WatchLoad load = m_watcher->load();
    // A server that stands still ends no look for a time-out, and its locks are not observed meanwhile.
    const auto unanswered = m_watcher->unansweredSince();
    m_alerts.setUnanswered(unanswered);
    if (m_observed && unanswered && m_shared.runtime.monotonic() - *unanswered > inspect::kSilentFrom) {
        tellTrouble(LiveSession::tr("%1 does not answer").arg(m_watcher->where())); // for how long, the alert says
        judgeHealth();
    }
    const Nanos now = m_shared.recorder.now();
    m_spent.push_back({now, load.requests, load.serverTime});
    while (m_spent.size() > 2 && now - m_spent.front().at > 10s)
        m_spent.pop_front();
}

void LiveConnection::setAlerts(std::vector<inspect::AlertRule> rules, std::vector<inspect::AlertMute> mutes) {
    m_alerts.setRules(std::move(rules));
    m_mutes = std::move(mutes);
    m_alertsDue = {};
    m_alertsTold = 1; // what stands may be less now, and is told even if it is nothing
}

void LiveConnection::checkAlerts(inspect::AlertWatch::Rings rings) {
    constexpr Nanos kOften = 250ms;
    constexpr int kShare = 20; // checking takes a twentieth of the thread at most
    const Nanos now = m_shared.runtime.monotonic();
    if (!isOpen() || now < m_alertsDue) return;
    AlertNews news{m_id, m_alerts.check(now, rings), {}, now, m_shared.runtime.wallMs()};
    news.board = m_alerts.board(now, news.wallMs, m_mutes, session::AlertDesk::kMostEntries);
    m_alertsDue = now + std::max(kOften, (m_shared.runtime.monotonic() - now) * kShare);
    const std::size_t standing = m_alerts.raised();
    if (news.changes.empty() && standing == 0 && m_alertsTold == 0) return;
    m_alertsTold = standing;
    // Nobody reads each of thousands that begin at once: the board counts them. Every end is told.
    const auto begun = std::ranges::stable_partition(news.changes, [](const inspect::Alert& alert) {
        return alert.state == inspect::Alert::State::Over ||
               inspect::severityOf(alert.rule.kind) == inspect::AlertSeverity::Critical;
    });
    if (begun.size() > session::AlertDesk::kMostSpans)
        news.changes.erase(begun.begin() + std::ptrdiff_t(session::AlertDesk::kMostSpans), news.changes.end());
    m_shared.alerts(news);
}

void LiveConnection::tellTrouble(const QString& message) {
    if (m_observed) {
        m_shared.recorder.emit(EventKind::ConnectionLost, m_shared.observer, m_node,
                               m_alerts.silentFor(m_shared.runtime.monotonic()).count(),
                               m_shared.recorder.trace().text(message.toUtf8()));
        m_feed.unobserved();
    }
    m_observed = false;
    m_sawAll = false;
    m_trouble = message;
}

void LiveConnection::seen(const inspect::LockReport& report) {
    // Before what this look has changed: a lease may have ended because of it.
    for (const inspect::LateRenewal& late : m_alerts.observe(report))
        m_feed.renewalLate(late, report.at);
    m_members.write(report); // before the locks: each is decided by one of them
    if (report.trouble) {
        m_copies.write(report);
        tellTrouble(report.trouble->message);
        judgeHealth();
        return;
    }
    if (!m_observed) {
        m_observed = true;
        if (m_lookedAt >= Nanos(0)) m_backAt = m_shared.recorder.now(); // else it was never there before
        m_shared.recorder.emit(EventKind::ConnectionRestored, m_shared.observer, m_node);
        m_feed.observed();
    }
    m_period = report.period;
    m_locks = int(report.locks.size());
    m_held = int(std::ranges::count(report.locks, inspect::LockRow::State::Held, &inspect::LockRow::state));
    m_waiting = 0;
    for (const inspect::LockRow& row : report.locks)
        m_waiting += int(row.waiterCount.value_or(0));
    m_progress = progressText(report);
    for (const inspect::WatchNote& note : report.notes) {
        using Kind = inspect::WatchNote::Kind;
        if (note.kind == Kind::LeftAlone) continue;              // progressText() has it
        if (countsKeys(note.kind) && !report.complete) continue; // still counted
        m_progress += (m_progress.isEmpty() ? QString() : QStringLiteral(" · ")) + textOf(note);
    }
    m_teller.write(report);
    m_teller.writeEvents(report, m_shared.observer);
    tellRole(report);
    if (report.server) m_server = *report.server;
    m_servers.clear();
    for (const inspect::WatchedServerState& server : report.servers)
        m_servers.push_back(inspect::lineOf(server));
    m_masters = int(std::ranges::count_if(report.servers, [](const inspect::WatchedServerState& server) {
        return server.identity && server.identity->role == inspect::ServerIdentity::Role::Master;
    }));
    if (report.servers.empty() && report.server)
        m_servers.push_back(inspect::lineOf({m_watcher->where().toUtf8(), report.server}));
    const bool single = report.servers.empty() && report.server.has_value();
    m_topology = single ? inspect::topologyText({{m_watcher->where().toUtf8(), report.server}}, false)
                        : inspect::topologyText(report.servers, report.together);
    m_watching = watchingText(report);
    for (const inspect::ServerEvent event : report.events) {
        if (event == inspect::ServerEvent::FailedOver) m_failedOverAt = m_shared.recorder.now();
        if (event == inspect::ServerEvent::Restarted) m_backAt = m_shared.recorder.now();
    }
    judgeHealth();
    tellLocks(report);
    m_copies.write(report);
    noteLooks(report);
}

void LiveConnection::noteLooks(const inspect::LockReport& report) {
    constexpr Nanos kMuch = 1s; // servers are looked at in turns
    m_lookedAt = report.began < Nanos(0) ? report.at : report.began;
    Nanos newest{-1}, oldest = kNever;
    for (const inspect::WatchedServerState& server : report.servers) {
        if (server.lookedAt < Nanos(0)) continue;
        newest = std::max(newest, server.lookedAt);
        oldest = std::min(oldest, server.lookedAt);
    }
    if (newest >= Nanos(0)) m_lookedAt = newest;
    m_lookedAtBefore.reset();
    if (newest < Nanos(0) || newest - oldest <= kMuch) return;
    std::map<trace::EntityId, Nanos> before;
    for (const inspect::LockRow& row : report.locks)
        if (const Nanos at = report.knownUntil(row); newest - at > kMuch)
            before.emplace(m_feed.lockEntity(row.name), at);
    if (!before.empty()) m_lookedAtBefore = std::make_shared<const decltype(before)>(std::move(before));
}

void LiveConnection::tellLocks(const inspect::LockReport& report) {
    const auto knownBetter = [&](const QByteArray& name) {
        return m_ownRecord && m_ownRecord->knowsBetter(name, report.at);
    };
    const auto fromBeforeItsRelease = [&](const inspect::LockRow& row) {
        const auto freed = m_freedAt.find(row.name);
        return freed != m_freedAt.end() && report.knownUntil(row) < freed->second;
    };
    enum class Why { LookedAt, OwesContent };
    const auto tell = [&](const inspect::LockRow& row, Why why = Why::LookedAt) {
        if (fromBeforeItsRelease(row)) return;
        m_freedAt.erase(row.name);
        // If the server has other data than before, a new holder got the lock from no client.
        inspect::Sight sight;
        if (report.concerns(row)) sight.freedBy = trace::FreedBy::NodeLoss;
        sight.failedOver = why == Why::LookedAt && report.failedOver(row);
        sight.sawAllBefore = m_sawAll && !report.concerns(row);
        m_feed.update(row.name, inspect::withPlaces(row), sight);
        m_members.writeDecider(row);
        if (m_feed.owesContent(row.name))
            m_contentOwed.insert(row.name);
        else
            m_contentOwed.erase(row.name);
    };
    if (report.lookedAgain && !m_ownRecord) {
        for (const QByteArray& name : *report.lookedAgain) {
            if (const inspect::LockRow* const row = inspect::rowNamed(report.locks, name)) {
                m_known.insert(name);
                tell(*row);
            } else if (m_known.erase(name) > 0) {
                m_feed.update(name, std::nullopt);
            }
        }
        // Contents that had to wait come with later looks, whichever locks these are at.
        for (int told = 0, refused = 0; told < kMostOwed && refused < kMostRefused && !m_contentOwed.empty(); ++told) {
            auto owed = m_contentOwed.upper_bound(m_owedFrom);
            if (owed == m_contentOwed.end()) owed = m_contentOwed.begin();
            m_owedFrom = *owed;
            if (const inspect::LockRow* const row = inspect::rowNamed(report.locks, m_owedFrom))
                tell(*row, Why::OwesContent);
            else
                m_contentOwed.erase(owed);
            refused += int(m_contentOwed.contains(m_owedFrom));
        }
        noteWhole(report.complete);
        return;
    }
    std::set<QByteArray> now;
    for (const inspect::LockRow& row : report.locks) {
        now.insert(now.end(), row.name); // they are sorted
        if (knownBetter(row.name)) continue;
        tell(row);
        if (m_ownRecord)
            m_ownRecord->seen(row.name,
                              row.holders.empty() ? trace::kNoEntity : m_shared.threadOf(row.holders.front(), m_id));
    }
    for (const QByteArray& name : m_known) {
        if (now.contains(name) || knownBetter(name)) continue;
        const inspect::LockRow* const was = m_watcher->lastSeen(name); // this look is not the last one yet
        if (was ? report.concerns(*was) : !report.events.empty())
            m_feed.lost(name); // with the server's data: nobody released it
        else if (was && inspect::seenByItsWaiters(*was))
            m_feed.noLongerShown(name);
        else
            m_feed.update(name, std::nullopt);
        if (m_ownRecord) m_ownRecord->seen(name, trace::kNoEntity);
    }
    // A lock of our own workload may have come and gone between two looks.
    now.insert(m_ownLocks.begin(), m_ownLocks.end());
    m_known = std::move(now);
    noteWhole(report.complete);
}

/// A server that took over, or was emptied, is searched through again.
void LiveConnection::noteWhole(bool sawAll) {
    m_sawAll = sawAll;
    if (!sawAll)
        m_sawAllAt.reset();
    else if (!m_sawAllAt)
        m_sawAllAt = m_shared.recorder.now();
}

void LiveConnection::tellRole(const inspect::LockReport& report) {
    using Role = inspect::ServerIdentity::Role;
    const Role role = report.server ? report.server->role : Role::Unknown;
    if (role == Role::Unknown || role == m_server.role) return;
    m_shared.recorder.emit(EventKind::NodeRole, m_node, trace::kNoEntity, 0,
                           m_shared.recorder.trace().text(nameOf(role)));
}

} // namespace lockscope::live
