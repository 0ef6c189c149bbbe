// SPDX-License-Identifier: Apache-2.0
#include "live/live_worker.h"

#include "drivers/dial.h"
#include "inspect/make_watcher.h"
#include "live/live_session.h"
#include "recipes/recipe_info.h"
#include "session/alert_desk.h"
#include "session/bounds.h"

#include <QDateTime>
#include <QLocale>

namespace lockscope::live {

using scenario::Action;
using trace::EntityKind;
using trace::EventKind;

namespace {
/// A server's address; a file's name where there is no server.
QByteArray nodeNameOf(const ConnectionUrl& url) {
    return (url.endpoints.empty() ? url.path : url.endpoints.front().display()).toUtf8();
}

/// Tells how much a look has left out: an empty table of locks means nothing as long as that is much.
QString progressText(const inspect::LockReport& report) {
    const QLocale locale;
    if (!report.complete) {
        if (report.keysThere < 0) return LiveSession::tr("looking through its keys");
        return LiveSession::tr("%1 of %2 keys looked at")
            .arg(locale.toString(qint64(report.keysPassed)), locale.toString(qint64(report.keysThere)));
    }
    if (report.keysLeftAlone == 0) return {};
    return LiveSession::tr("%1 keys not looked at: this server would keep them for longer")
        .arg(locale.toString(qint64(report.keysLeftAlone)));
}
} // namespace

LiveWorker::LiveWorker(ConnectionUrl url, scenario::Scenario settings, std::shared_ptr<trace::Trace> trace,
                       Listener listener)
    : m_listener(std::move(listener)),
      m_url(std::move(url)),
      m_settings(std::move(settings)),
      m_trace(std::move(trace)),
      m_recorder(m_trace, [this] { return Nanos(std::chrono::steady_clock::now() - m_origin); }),
      m_node(m_trace->intern(EntityKind::Node, nodeNameOf(m_url))),
      m_observer(m_trace->intern(EntityKind::Client, "lockscope")),
      m_feed(
          m_recorder, m_node, [this](const inspect::Party& party) { return threadOf(party); }, 30ms),
      m_ownRecord(m_recorder, m_feed, [this](trace::EntityId thread) { return partyOf(thread); }),
      m_resources(m_recorder, m_settings, [this](const QByteArray& lock) { return m_feed.lockEntity(lock); }),
      m_judge(m_trace, session::boundsFor(m_settings)),
      m_runtime(m_origin) {
    inspect::WatchOptions options;
    options.names = inspect::nameFilterFrom(m_url.option("match"), m_url.option("ignore"));
    auto watcher = inspect::makeWatcher(m_runtime, m_url, realDiallers(), std::move(options));
    Q_ASSERT(watcher);
    m_watcher = std::move(*watcher);
    m_settings.workload.clients = 0;
    m_ownRecord.setLeases(
        [this](const QByteArray& lock) { return workload::lockPlan(m_settings, lock).settings.lease; });
    m_trace->setOriginWallMs(QDateTime::currentMSecsSinceEpoch());
}

LiveWorker::~LiveWorker() {
    m_clients.clear();
    m_runtime.kill(); // ends the watch before its watcher goes
}

void LiveWorker::start() {
    m_watcher->onStatus([this] { connectionChanged(); });
    tellHealth();
    m_runtime.spawn([this] { return m_watcher->watch([this](const inspect::LockReport& report) { seen(report); }); });
    QObject::connect(&m_tick, &QTimer::timeout, &m_tick, [this] { tick(); });
    m_tick.start(33);
}

void LiveWorker::connectionChanged() {
    const bool connected = m_watcher->status().state == inspect::WatchStatus::State::Connected;
    if (connected && !m_everConnected) m_recorder.emit(EventKind::NodeStarted, m_node);
    m_everConnected = m_everConnected || connected;
    tellHealth();
}

void LiveWorker::tellHealth() {
    using State = inspect::WatchStatus::State;
    const inspect::WatchStatus status = m_watcher->status();
    const bool connected = status.state == State::Connected && m_observed;
    const bool working = status.state == State::Connecting || status.state == State::Idle;
    const auto level = connected ? session::Health::Level::Good
                       : working ? session::Health::Level::Working
                                 : session::Health::Level::Bad;
    QString text = status.text, brief;
    const bool lost = status.state == State::Retrying || status.state == State::Failed;
    if (lost && m_everConnected) {
        brief = LiveSession::tr("%1 · lost").arg(m_watcher->where());
    } else if (lost) {
        // Nothing can be lost that was never there.
        brief = LiveSession::tr("%1 · not reached").arg(m_watcher->where());
        text = LiveSession::tr("not reached: %1").arg(status.trouble);
    }
    // A connection alone is nothing to be glad of: its server may be stopped. The sentence names it.
    if (status.state == State::Connected && !m_observed) {
        text = LiveSession::tr("not observed: %1").arg(m_trouble);
        brief = LiveSession::tr("%1 · not observed").arg(m_watcher->where());
    }
    if (connected && !m_progress.isEmpty()) text += QStringLiteral(" · ") + m_progress;
    if (text == std::exchange(m_told, text)) return;
    m_listener.health({level, text, brief});
}

void LiveWorker::setAlerts(std::vector<inspect::AlertRule> rules, std::vector<inspect::AlertMute> mutes) {
    m_alerts.setRules(std::move(rules));
    m_mutes = std::move(mutes);
    m_alertsDue = {};
    m_alertsTold = 1; // what stands may be less now, and is told even if it is nothing
}

void LiveWorker::checkAlerts() {
    constexpr Nanos kOften = 250ms;
    constexpr int kShare = 20; // checking takes a twentieth of the thread at most
    const Nanos now = m_runtime.monotonic();
    if (now < m_alertsDue) return;
    AlertNews news{m_alerts.check(now), {}, now, m_runtime.wallMs()};
    news.board = m_alerts.board(now, news.wallMs, m_mutes, session::AlertDesk::kMostEntries);
    m_alertsDue = now + std::max(kOften, (m_runtime.monotonic() - now) * kShare);
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
    m_listener.alerts(news);
}

void LiveWorker::seen(const inspect::LockReport& report) {
    m_alerts.observe(report);
    if (report.trouble) {
        if (m_observed) {
            m_recorder.emit(EventKind::ConnectionLost, m_observer, m_node, 0,
                            m_trace->text(report.trouble->message.toUtf8()));
            m_feed.unobserved();
        }
        m_observed = false;
        m_trouble = report.trouble->message;
        tellHealth();
        return;
    }
    if (!m_observed) {
        m_observed = true;
        m_recorder.emit(EventKind::ConnectionRestored, m_observer, m_node);
        m_feed.observed();
    }
    m_progress = progressText(report);
    for (const inspect::WatchNote& note : report.notes) {
        using Kind = inspect::WatchNote::Kind;
        if (note.kind == Kind::LeftAlone) continue;              // progressText() has it
        if (countsKeys(note.kind) && !report.complete) continue; // still counted
        m_progress += (m_progress.isEmpty() ? QString() : QStringLiteral(" · ")) + textOf(note);
    }
    tellHealth();
    tellServerEvents(report);
    tellRole(report);
    std::set<QByteArray> now;
    for (const inspect::LockRow& row : report.locks) {
        now.insert(row.name);
        if (m_ownRecord.knowsBetter(row.name, report.at)) continue;
        // If the server has other data than before, a new holder got the lock from no client.
        inspect::Sight sight;
        if (!report.events.empty()) sight.freedBy = trace::FreedBy::NodeLoss;
        m_feed.update(row.name, row, sight);
        m_ownRecord.seen(row.name, row.holders.empty() ? trace::kNoEntity : threadOf(row.holders.front()));
    }
    for (const QByteArray& name : m_known) {
        if (now.contains(name) || m_ownRecord.knowsBetter(name, report.at)) continue;
        if (report.events.empty())
            m_feed.update(name, std::nullopt);
        else
            m_feed.lost(name); // with the server's data: nobody released it
        m_ownRecord.seen(name, trace::kNoEntity);
    }
    // A lock of our own workload may have come and gone between two looks.
    for (const QByteArray& name : workload::lockNames(m_settings))
        now.insert(name);
    m_known = std::move(now);
}

void LiveWorker::tellServerEvents(const inspect::LockReport& report) {
    for (const inspect::ServerEvent event : report.events) {
        if (event == inspect::ServerEvent::Restarted) {
            m_recorder.emit(EventKind::NodeKilled, m_node);
            m_recorder.emit(EventKind::NodeStarted, m_node);
        } else { // another server answers, or another content: what was known of it before is over
            m_recorder.emit(EventKind::ConnectionLost, m_observer, m_node, 0, m_trace->text(nameOf(event)));
            m_recorder.emit(EventKind::ConnectionRestored, m_observer, m_node);
        }
    }
}

void LiveWorker::tellRole(const inspect::LockReport& report) {
    using Role = inspect::ServerIdentity::Role;
    const Role role = report.server ? report.server->role : Role::Unknown;
    if (role == Role::Unknown || role == std::exchange(m_role, role)) return;
    m_recorder.emit(EventKind::NodeRole, m_node, trace::kNoEntity, 0,
                    m_trace->text(role == Role::Master ? "master" : "replica"));
}

trace::EntityId LiveWorker::threadOf(const inspect::Party& party) {
    if (const auto own = m_threads.find(party.client); own != m_threads.end()) return own->second;
    const auto client = m_trace->intern(EntityKind::Client, party.client);
    return m_trace->intern(EntityKind::Thread, party.thread.value_or(QByteArray()), client);
}

std::optional<inspect::Party> LiveWorker::partyOf(trace::EntityId thread) const {
    for (const auto& client : m_clients) {
        if (client->thread() != thread) continue;
        inspect::Party party;
        party.client = client->uuid();
        party.thread = "1";
        return party;
    }
    return std::nullopt;
}

void LiveWorker::tick() {
    m_trace->reach(m_recorder.now());
    m_listener.grown();
    checkAlerts();
    if (m_trace->size() != m_judgedRows) {
        m_judgedRows = m_trace->size();
        m_judge.consume();
        m_listener.judged(std::make_shared<verdict::Verdict>(m_judge.verdict()));
    }
    const std::uint64_t sent = m_watcher->load().requests + m_clientsCommands.sum();
    const Nanos now = m_recorder.now();
    m_sent.emplace_back(now, sent);
    while (m_sent.size() > 2 && now - m_sent.front().first > 10s)
        m_sent.pop_front();
    const double seconds = std::chrono::duration<double>(now - m_sent.front().first).count();
    if (seconds > 0.5) m_listener.load(static_cast<double>(sent - m_sent.front().second) / seconds);
}

void LiveWorker::emitFault(EventKind kind, trace::EntityId actor, std::uint32_t aux) {
    m_recorder.emit(kind, actor, trace::kNoEntity, 0, aux, trace::kFault | trace::kByHand);
}

LiveWorker::Client* LiveWorker::findClient(const QString& target) {
    const QByteArray lock = m_settings.lock.name.toUtf8();
    for (const auto& client : m_clients) {
        const bool alive = client->life() != Runtime::Life::Dead;
        if (target == QLatin1String("holder") ? alive && client->holds(lock) : target.toUtf8() == client->name()) {
            return client.get();
        }
    }
    return nullptr;
}

void LiveWorker::setClients(int count, int before) {
    if (count > 0) {
        for (const QByteArray& lock : workload::lockNames(m_settings))
            m_resources.of(lock);
    }
    while (static_cast<int>(m_clients.size()) < count) {
        auto world = std::make_unique<LiveClientWorld>(
            LiveClientWorld::Session{m_origin, m_recorder, m_node, m_url, m_resources, m_clientsCommands,
                                     [this](const QByteArray& name) { return m_feed.lockEntity(name); },
                                     [this](const Client& client) { m_threads[client.uuid()] = client.thread(); }});
        m_clients.push_back(
            std::make_unique<Client>(std::move(world), m_recorder, m_settings, static_cast<int>(m_clients.size())));
    }
    for (std::size_t i = 0; i < m_clients.size(); ++i) {
        Client& client = *m_clients[i];
        const bool wanted = i < static_cast<std::size_t>(count);
        if (!wanted && client.life() != Runtime::Life::Dead) {
            m_recorder.emit(EventKind::ClientKilled, client.entity());
            client.kill();
        }
        if (wanted && static_cast<int>(i) >= before && client.life() == Runtime::Life::Dead) client.restart();
    }
}

void LiveWorker::set(const scenario::Fault& fault) {
    scenario::Scenario changed = m_settings;
    if (const auto done = applyLiveSetting(changed, fault); !done) {
        m_listener.refused(done.error());
        return;
    }
    if (m_url.service != Service::Redis && changed.workload.clients > 0) {
        m_listener.refused(LiveSession::tr("Clients of our own run on Redis only so far."));
        return;
    }
    const recipes::RecipeInfo* const recipe = recipes::findRecipe(changed.recipe.toUtf8());
    if (!recipe || recipe->backend != "redis") {
        m_listener.refused(LiveSession::tr("There is no recipe “%1”.").arg(changed.recipe));
        return;
    }
    if (!workload::canRunPrograms(changed, *recipes::findRecipe(changed.recipe.toUtf8()))) {
        m_listener.refused(
            LiveSession::tr("“%1” cannot do what the clients' programs ask of their locks.").arg(changed.recipe));
        return;
    }
    const int before = m_settings.workload.clients;
    m_settings = changed;
    m_resources.settingsChanged();
    emitFault(EventKind::SettingChanged, trace::kNoEntity,
              m_trace->text((fault.setting + QLatin1Char('=') + fault.text).toUtf8()));
    if (m_settings.workload.clients != before) setClients(m_settings.workload.clients, before);
}

void LiveWorker::act(const scenario::Fault& fault) {
    switch (fault.action) {
    case Action::Set:
        set(fault);
        return;
    case Action::HealAll:
        emitFault(EventKind::Healed, trace::kNoEntity);
        for (int i = 0; i < m_settings.workload.clients && i < static_cast<int>(m_clients.size()); ++i) {
            Client& client = *m_clients[static_cast<std::size_t>(i)];
            if (client.life() == Runtime::Life::Paused) emitFault(EventKind::ClientResumed, client.entity());
            client.heal();
        }
        return;
    case Action::PauseClient:
    case Action::ResumeClient:
    case Action::KillClient:
    case Action::RestartClient:
    case Action::StopWatchdog:
        break;
    default:
        m_listener.refused(
            LiveSession::tr("This is somebody's real server: only clients of our own can be broken here."));
        return;
    }
    Client* client = findClient(fault.target);
    if (!client) {
        m_listener.refused(
            LiveSession::tr("There is no client of ours called “%1” to do this to now.").arg(fault.target));
        return;
    }
    const Runtime::Life life = client->life();
    const bool possible = fault.action == Action::PauseClient    ? life == Runtime::Life::Running
                          : fault.action == Action::ResumeClient ? life == Runtime::Life::Paused
                          : fault.action == Action::KillClient   ? life != Runtime::Life::Dead
                                                                 : true;
    if (!possible) {
        const QString why = life == Runtime::Life::Dead     ? LiveSession::tr("“%1” is dead: nothing was done.")
                            : life == Runtime::Life::Paused ? LiveSession::tr("“%1” is paused: nothing was done.")
                                                            : LiveSession::tr("“%1” is running: nothing was done.");
        m_listener.refused(why.arg(QString::fromUtf8(client->name())));
        return;
    }
    if (fault.action == Action::PauseClient) {
        client->pause();
        emitFault(EventKind::ClientPaused, client->entity());
    } else if (fault.action == Action::ResumeClient) {
        emitFault(EventKind::ClientResumed, client->entity());
        client->resume();
    } else if (fault.action == Action::KillClient) {
        emitFault(EventKind::ClientKilled, client->entity());
        client->kill();
    } else if (fault.action == Action::RestartClient) {
        if (life != Runtime::Life::Dead) emitFault(EventKind::ClientKilled, client->entity());
        client->restart();
    } else if (fault.action == Action::StopWatchdog) {
        client->stopWatchdog(true);
        emitFault(EventKind::WatchdogStopped, client->entity());
    }
}

} // namespace lockscope::live
