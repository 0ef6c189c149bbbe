// SPDX-License-Identifier: Apache-2.0
#include "live/live_worker.h"

#include "inspect/text.h"
#include "live/live_session.h"
#include "recipes/no_such_recipe.h"
#include "recipes/recipe_info.h"
#include "session/bounds.h"
#include "trace/connection.h"
#include "trace/excerpt.h"
#include "trace/server_told.h"

#include <QDateTime>

namespace lockscope::live {

using scenario::Action;
using trace::EntityKind;
using trace::EventKind;

namespace {
QStringList idsOnRedis() {
    QStringList ids;
    for (const recipes::RecipeInfo& info : recipes::allRecipes()) {
        if (info.backend == "redis") ids += QString::fromLatin1(info.id);
    }
    return ids;
}
} // namespace

LiveWorker::LiveWorker(scenario::Scenario settings, std::shared_ptr<trace::Trace> trace, Listener listener)
    : m_listener(std::move(listener)),
      m_settings(std::move(settings)),
      m_trace(std::move(trace)),
      m_recorder(m_trace, [this] { return Nanos(std::chrono::steady_clock::now() - m_origin); }),
      m_judge(std::make_unique<verdict::Judge>(m_trace, session::boundsFor(m_settings))),
      m_runtime(m_origin),
      m_shared{m_runtime,
               m_recorder,
               m_trace->intern(EntityKind::Client, "lockscope"),
               [this](const inspect::Party& party, trace::EntityId connection) { return threadOf(party, connection); },
               [this] { m_connectionsDiffer = true; },
               [this](const AlertNews& news) { m_listener.alerts(news); },
               [this](const QString& why) { m_listener.refused(why); },
               [this](trace::EntityId lock, const QByteArrayList& commands) { m_listener.planned(lock, commands); }},
      m_resources(m_recorder, m_settings, [this](const QByteArray& lock) {
          Q_ASSERT(m_ground);
          return m_ground->feed().lockEntity(lock);
      }) {
    m_settings.workload.clients = 0;
    m_trace->setOriginWallMs(QDateTime::currentMSecsSinceEpoch());
    QObject::connect(&m_tick, &QTimer::timeout, &m_tick, [this] { tick(); });
    m_tick.start(33);
}

LiveWorker::~LiveWorker() {
    m_clients.clear();
    m_runtime.kill(); // ends the watches before their watchers go
}

void LiveWorker::add(ConnectionPlan plan) {
    const auto same = std::ranges::find_if(m_connections, [&](const auto& one) {
        return one->name() == plan.name && one->url().display() == plan.url.display();
    });
    const ConnectionUrl url = plan.url;
    const bool changesAllowed = plan.changesAllowed;
    if (same != m_connections.end()) {
        (*same)->open(url, changesAllowed);
    } else {
        m_connections.push_back(std::make_unique<LiveConnection>(m_shared, std::move(plan)));
        m_connections.back()->open(url, changesAllowed);
    }
    tellConnections();
}

void LiveWorker::end(trace::EntityId connection) {
    LiveConnection* const its = find(connection);
    if (!its || !its->isOpen()) return;
    allowChanges(connection, false);
    its->close();
    tellConnections();
}

void LiveWorker::reconnect(trace::EntityId connection) {
    LiveConnection* const its = find(connection);
    if (!its) return;
    its->open(its->url(), its->changesAllowed());
    tellConnections();
}

void LiveWorker::allowChanges(trace::EntityId connection, bool allowed) {
    LiveConnection* const its = find(connection);
    if (!its) return;
    if (!allowed && its == m_ground && m_settings.workload.clients > 0) {
        const int before = std::exchange(m_settings.workload.clients, 0);
        emitFault(EventKind::SettingChanged, trace::kNoEntity, m_trace->text("clients=0"));
        setClients(0, before);
    }
    its->allowChanges(allowed);
    tellConnections();
}

void LiveWorker::setAlerts(trace::EntityId connection, std::vector<inspect::AlertRule> rules,
                           std::vector<inspect::AlertMute> mutes) {
    if (LiveConnection* const its = find(connection)) its->setAlerts(std::move(rules), std::move(mutes));
}

void LiveWorker::setUsual(trace::EntityId connection, inspect::UsualTimes byLock) {
    if (LiveConnection* const its = find(connection)) its->alerts().setUsual(std::move(byLock));
}

void LiveWorker::planRelease(trace::EntityId lock) {
    if (LiveConnection* const its = connectionOfLock(lock)) its->planRelease(m_trace->entity(lock).name);
}

void LiveWorker::forceRelease(trace::EntityId lock) {
    if (LiveConnection* const its = connectionOfLock(lock)) its->forceRelease(m_trace->entity(lock).name);
}

LiveConnection* LiveWorker::find(trace::EntityId connection) const {
    const auto found = std::ranges::find_if(m_connections, [&](const auto& one) { return one->id() == connection; });
    return found == m_connections.end() ? nullptr : found->get();
}

LiveConnection* LiveWorker::connectionOfLock(trace::EntityId lock) const {
    LiveConnection* const its = find(trace::connectionOf(*m_trace, lock));
    if (!its) m_listener.refused(LiveSession::tr("There is no such lock on a server of this session."));
    return its;
}

LiveConnection* LiveWorker::forOwnClients() const {
    const auto fit = [](const LiveConnection& one) {
        return one.changesAllowed() && one.url().service == Service::Redis;
    };
    if (m_ground) return fit(*m_ground) ? m_ground : nullptr; // their locks and resources are there
    const auto found = std::ranges::find_if(m_connections, [&](const auto& one) { return fit(*one); });
    return found == m_connections.end() ? nullptr : found->get();
}

trace::EntityId LiveWorker::threadOf(const inspect::Party& party, trace::EntityId connection) {
    if (const auto own = m_threads.find(party.client); own != m_threads.end()) return own->second;
    const inspect::SameClient same = inspect::sameClient(party, m_clientRules);
    const QByteArray thread = party.thread.value_or(QByteArray());
    const trace::EntityId parent = same.everywhere ? trace::kNoEntity : connection;
    if (same.rule.isEmpty())
        return m_trace->intern(EntityKind::Thread, thread, m_trace->intern(EntityKind::Client, same.client, parent));
    // Joined out of several names: each of them is told as a thread of the one client.
    const trace::EntityId client =
        m_trace->intern(EntityKind::Client, same.client, parent, m_trace->text(same.rule.toUtf8()));
    return m_trace->intern(EntityKind::Thread, thread.isEmpty() ? party.client : party.client + ':' + thread, client);
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

void LiveWorker::tellConnections() {
    constexpr Nanos kOften = 250ms;
    m_connectionsDiffer = false;
    m_connectionsDue = m_recorder.now() + kOften;
    std::vector<session::ConnectionFacts> all;
    all.reserve(m_connections.size());
    for (const auto& one : m_connections)
        all.push_back(one->facts());
    m_listener.connections(std::move(all));
}

inspect::AlertWatch::Rings LiveWorker::findRings() {
    constexpr Nanos kOften = 250ms;
    constexpr int kShare = 20; // of the thread's time, at most
    std::vector<inspect::AlertWatch*> open;
    bool due = false;
    for (const auto& one : m_connections) {
        if (!one->isOpen()) continue;
        open.push_back(&one->alerts());
        due = due || one->alerts().ringsAreDue();
    }
    const bool together = open.size() > 1;
    for (const auto& one : m_connections) {
        const QByteArray server = QByteArray::number(one->id());
        one->alerts().joinClients(
            [this, server](const inspect::Party& party) { return inspect::clientKey(party, m_clientRules, server); },
            together ? one->name() : QString());
    }
    if (!together) return inspect::AlertWatch::Rings::Own;
    const Nanos now = m_runtime.monotonic();
    if (due && now >= m_ringsDue) {
        inspect::AlertWatch::findRings(open);
        m_ringsDue = now + std::max(kOften, (m_runtime.monotonic() - now) * kShare);
    }
    return inspect::AlertWatch::Rings::Given;
}

void LiveWorker::boundTrace() {
    // Rows of what happens to our own clients are heard by others as they are written.
    if (m_trace->size() < m_mostRows || m_ground) return;
    const Nanos from(m_trace->timeAt(m_trace->size() / 2));
    const trace::EntityId why = m_trace->text(trace::kLeftOut.toByteArray());
    trace::Excerpt end(m_trace, from, {m_shared.observer, why});
    m_trace = end.takeTrace();
    m_recorder = trace::Recorder(m_trace, [this] { return Nanos(std::chrono::steady_clock::now() - m_origin); });
    m_judge = std::make_unique<verdict::Judge>(m_trace, session::boundsFor(m_settings));
    m_judgedRows = 0;
    m_listener.replaced(m_trace, m_trace->size());
}

void LiveWorker::tick() {
    boundTrace();
    m_trace->reach(m_recorder.now());
    m_listener.grown();
    std::uint64_t sent = m_clientsCommands.sum();
    const auto rings = findRings();
    for (const auto& one : m_connections) {
        one->tick();
        one->checkAlerts(rings);
        sent += one->requests();
    }
    if (m_trace->size() != m_judgedRows) {
        m_judgedRows = m_trace->size();
        m_judge->consume();
        m_listener.judged(std::make_shared<verdict::Verdict>(m_judge->verdict()));
    }
    const Nanos now = m_recorder.now();
    m_sent.emplace_back(now, sent);
    while (m_sent.size() > 2 && now - m_sent.front().first > 10s)
        m_sent.pop_front();
    const double seconds = std::chrono::duration<double>(now - m_sent.front().first).count();
    if (seconds > 0.5) m_listener.load(static_cast<double>(sent - m_sent.front().second) / seconds);
    if (m_connectionsDiffer || now >= m_connectionsDue) tellConnections();
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
        m_ground = forOwnClients();
        Q_ASSERT(m_ground);
        m_ground->takeOwnClients(
            [this](trace::EntityId thread) { return partyOf(thread); },
            [this](const QByteArray& lock) { return workload::lockPlan(m_settings, lock).settings.lease; },
            workload::lockNames(m_settings));
        for (const QByteArray& lock : workload::lockNames(m_settings))
            m_resources.of(lock);
    }
    while (static_cast<int>(m_clients.size()) < count) {
        auto world = std::make_unique<LiveClientWorld>(LiveClientWorld::Session{
            m_origin, m_recorder, m_ground->node(), m_ground->url(), m_resources, m_clientsCommands,
            [ground = m_ground](const QByteArray& name) { return ground->feed().lockEntity(name); },
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
    if (changed.workload.clients > 0 && !forOwnClients()) {
        m_listener.refused(LiveSession::tr("Clients of our own run on Redis only so far, and only where changes are "
                                           "allowed."));
        return;
    }
    const recipes::RecipeInfo* const recipe = recipes::findRecipe(changed.recipe.toUtf8());
    if (!recipe || recipe->backend != "redis") {
        m_listener.refused(recipes::noSuchRecipe(changed.recipe, idsOnRedis()));
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
