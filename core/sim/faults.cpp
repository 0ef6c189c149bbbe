// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_info.h"
#include "scenario/settings.h"
#include "sim/world.h"

#include <QCoreApplication>

namespace lockscope::sim {

using scenario::Action;
using scenario::Fault;
using trace::EventKind;

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Faults", text);
}

std::optional<Action> undoing(Action action) {
    switch (action) {
    case Action::PauseClient:
        return Action::ResumeClient;
    case Action::KillClient:
        return Action::RestartClient;
    case Action::PauseNode:
        return Action::ResumeNode;
    case Action::KillNode:
        return Action::RestartNode;
    case Action::CutLink:
        return Action::MendLink;
    case Action::DelayLink:
        return Action::DelayLink;
    case Action::JumpClock:
        return Action::JumpClock;
    default:
        return std::nullopt;
    }
}

/// Further than this nobody looks; sums of such durations stay far from overflowing.
constexpr Nanos kLongest = std::chrono::hours(24 * 365 * 10);

/// "A-redis-1" names the link of client A.
QString clientOfTarget(const QString& target, const QByteArray& node) {
    const QString suffix = QLatin1Char('-') + QString::fromUtf8(node);
    return target.endsWith(suffix) ? target.chopped(suffix.size()) : target;
}

} // namespace

void World::pauseClient(Client& client, std::uint8_t flags) {
    if (client.life() != Runtime::Life::Running) return;
    client.pause();
    emit(EventKind::ClientPaused, flags, client.entity());
}

void World::resumeClient(Client& client, std::uint8_t flags) {
    if (client.life() != Runtime::Life::Paused) return;
    emit(EventKind::ClientResumed, flags, client.entity());
    client.resume();
}

void World::killClient(Client& client, std::uint8_t flags) {
    if (client.life() == Runtime::Life::Dead) return;
    emit(EventKind::ClientKilled, flags, client.entity());
    client.kill();
}

void World::delayLink(Client& client, Nanos extra, std::uint8_t flags) {
    client.link().extraLatency = std::clamp(extra, Nanos(0), kLongest);
    emit(EventKind::LinkDelayed, flags, client.entity(), client.link().entity, client.link().extraLatency.count());
}

void World::jumpClock(Client* client, Nanos offset, std::uint8_t flags) {
    offset = std::clamp(offset, -kLongest, kLongest);
    // The jump first: what it does to leases follows it in the trace.
    emit(EventKind::ClockJumped, flags, client ? client->entity() : m_node.entity(), trace::kNoEntity, offset.count());
    client ? client->setClockOffset(offset) : m_node.setClockOffset(offset);
}

std::uint8_t World::flagsOf(const Fault& fault) {
    return static_cast<std::uint8_t>(trace::kFault | (fault.byHand ? trace::kByHand : 0));
}

std::expected<void, QString> World::act(const Fault& fault) {
    const std::uint8_t flags = flagsOf(fault);
    if (fault.action == Action::HealAll) {
        healAll(flags);
        return {};
    }
    if (fault.action == Action::Set) return set(fault.setting, fault.text, flags);

    const bool onNode = fault.action == Action::PauseNode || fault.action == Action::ResumeNode ||
                        fault.action == Action::KillNode || fault.action == Action::RestartNode;
    const bool nodeClock = fault.action == Action::JumpClock && fault.target.toUtf8() == m_node.id();
    Client* client = nullptr;
    if (!onNode && !nodeClock) {
        client = findClient(clientOfTarget(fault.target, m_node.id()));
        if (!client) return std::unexpected(tr("There is no client “%1” to do this to now.").arg(fault.target));
    } else if (fault.target.toUtf8() != m_node.id()) {
        return std::unexpected(
            tr("There is no node “%1”; the node here is “%2”.").arg(fault.target, QString::fromUtf8(m_node.id())));
    }

    const bool wasDead = client ? client->life() == Runtime::Life::Dead : m_node.life() == Node::Life::Dead;
    switch (fault.action) {
    case Action::PauseClient:
        pauseClient(*client, flags);
        break;
    case Action::ResumeClient:
        resumeClient(*client, flags);
        break;
    case Action::KillClient:
        killClient(*client, flags);
        break;
    case Action::RestartClient:
        killClient(*client, flags);
        client->restart();
        break;
    case Action::PauseNode:
        if (m_node.life() == Node::Life::Running) emit(EventKind::NodePaused, flags, m_node.entity());
        m_node.pause();
        break;
    case Action::ResumeNode:
        if (m_node.life() == Node::Life::Paused) emit(EventKind::NodeResumed, flags, m_node.entity());
        m_node.resume();
        break;
    case Action::KillNode:
        if (m_node.life() != Node::Life::Dead) emit(EventKind::NodeKilled, flags, m_node.entity());
        m_node.kill();
        break;
    case Action::RestartNode:
        if (m_node.life() != Node::Life::Dead) emit(EventKind::NodeKilled, flags, m_node.entity());
        m_node.kill();
        m_node.start();
        emit(EventKind::NodeStarted, flags, m_node.entity());
        break;
    case Action::CutLink:
        if (!client->link().cut) emit(EventKind::LinkCut, flags, client->entity(), client->link().entity);
        client->link().cut = true;
        break;
    case Action::MendLink:
        if (client->link().cut) emit(EventKind::LinkMended, flags, client->entity(), client->link().entity);
        client->link().cut = false;
        break;
    case Action::DelayLink:
        delayLink(*client, fault.value, flags);
        break;
    case Action::JumpClock:
        jumpClock(client, fault.value, flags);
        break;
    case Action::StopWatchdog:
        client->stopWatchdog(true);
        emit(EventKind::WatchdogStopped, flags, client->entity());
        break;
    case Action::LoseReply:
        client->link().loseNextReply = true;
        emit(EventKind::ReplyLossArmed, flags, client->entity(), client->link().entity);
        break;
    case Action::HealAll:
    case Action::Set:
        break;
    }
    const bool onLink = aspectOf(fault.action) == Aspect::Cut || aspectOf(fault.action) == Aspect::Delay;
    const trace::EntityId struck = !client ? m_node.entity() : onLink ? client->link().entity : client->entity();
    const QString target = client ? QString::fromUtf8(client->name()) : fault.target;
    switch (fault.action) {
    case Action::PauseClient:
    case Action::ResumeClient:
    case Action::PauseNode:
    case Action::ResumeNode:
        if (wasDead) return {}; // nobody was there to be struck
        break;
    case Action::KillClient:
    case Action::KillNode:
        if (!wasDead) m_lasting.erase({Aspect::Life, struck}); // what was done to the living is over
        break;
    default:
        break;
    }
    noteStruck(fault, target, struck);
    return {};
}

World::Aspect World::aspectOf(Action action) {
    switch (action) {
    case Action::CutLink:
    case Action::MendLink:
        return Aspect::Cut;
    case Action::DelayLink:
        return Aspect::Delay;
    case Action::JumpClock:
        return Aspect::Clock;
    default:
        return Aspect::Life;
    }
}

void World::noteStruck(const Fault& fault, const QString& target, trace::EntityId entity) {
    const auto undo = undoing(fault.action);
    if (fault.action == Action::StopWatchdog || fault.action == Action::LoseReply) return;
    const Struck struck(aspectOf(fault.action), entity);
    std::vector<Lasting>& lasting = m_lasting[struck];
    const bool sets = fault.action == Action::DelayLink || fault.action == Action::JumpClock;
    // An undoing ends all that was done, a lasting value all values before it.
    if (!undo || (sets && !fault.duration)) lasting.clear();
    if (!undo) return;
    const std::uint64_t number = ++m_lastFault;
    lasting.push_back({number, fault.value});
    if (!fault.duration) return;
    Fault later;
    later.at = now() + std::clamp(*fault.duration, Nanos(0), kLongest);
    later.action = *undo;
    later.target = target; // whoever it struck, not whoever holds by then
    later.byHand = fault.byHand;
    m_scheduler.at(
        *later.at, [this, struck, number, later] { endFault(struck, number, later); }, VirtualScheduler::Rank::Late);
}

void World::endFault(const Struck& struck, std::uint64_t number, const Fault& undo) {
    std::vector<Lasting>& lasting = m_lasting[struck];
    const auto own = std::ranges::find(lasting, number, &Lasting::number);
    if (own == lasting.end()) return;
    const bool newest = own + 1 == lasting.end();
    lasting.erase(own);
    const bool sets = undo.action == Action::DelayLink || undo.action == Action::JumpClock;
    if (lasting.empty()) {
        if (stillLasts(undo)) strike(undo);
    } else if (sets && newest) {
        // Not by strike(): the fault that lasts on is no new one, and has its own end.
        Client* const client = undo.target.toUtf8() == m_node.id() ? nullptr : findClient(undo.target);
        const Nanos value = lasting.back().value;
        if (undo.action == Action::JumpClock)
            jumpClock(client, value, flagsOf(undo));
        else if (client)
            delayLink(*client, value, flagsOf(undo));
    }
}

bool World::stillLasts(const Fault& undo) {
    // Somebody may have restarted it meanwhile, or taken it out of the workload: a restart now would be a new fault.
    if (undo.action == Action::RestartNode) return m_node.life() == Node::Life::Dead;
    if (undo.action != Action::RestartClient) return true;
    for (int i = 0; i < m_settings.workload.clients && i < static_cast<int>(m_clients.size()); ++i) {
        const Client& client = *m_clients[static_cast<std::size_t>(i)];
        if (client.name() == undo.target.toUtf8()) return client.life() == Runtime::Life::Dead;
    }
    return false;
}

void World::healAll(std::uint8_t flags) {
    m_lasting.clear(); // what would end later ends now
    for (const auto& client : m_clients) {
        client->link().cut = false;
        client->link().extraLatency = Nanos(0);
        client->link().loseNextReply = false;
        client->stopWatchdog(false);
        client->setClockOffset(Nanos(0));
    }
    emit(EventKind::Healed, flags, trace::kNoEntity);
    m_node.setClockOffset(Nanos(0));
    if (m_node.life() == Node::Life::Paused) emit(EventKind::NodeResumed, flags, m_node.entity());
    m_node.resume();
    if (m_node.life() == Node::Life::Dead) {
        m_node.start();
        emit(EventKind::NodeStarted, flags, m_node.entity());
    }
    const int wanted = m_settings.workload.clients;
    for (int i = 0; i < wanted && i < static_cast<int>(m_clients.size()); ++i) {
        Client& client = *m_clients[static_cast<std::size_t>(i)];
        resumeClient(client, flags);
        if (client.life() == Runtime::Life::Dead) client.restart();
    }
}

std::expected<void, QString> World::set(const QString& setting, const QString& text, std::uint8_t flags) {
    scenario::Scenario changed = m_settings;
    if (auto done = scenario::changeSetting(changed, setting, text); !done) return done;
    if (!recipes::findSimulatedRecipe(changed.recipe.toUtf8())) {
        return std::unexpected(tr("There is no recipe “%1”.").arg(changed.recipe));
    }
    const int before = m_settings.workload.clients;
    m_settings = changed;
    m_resource->setTokenCheck(m_settings.resource.tokenCheck);
    watchLock();
    emit(EventKind::SettingChanged, flags, trace::kNoEntity, trace::kNoEntity, 0,
         m_recorder.trace().text((setting + QLatin1Char('=') + text).toUtf8()));
    // Clients that somebody killed stay dead when something else is set, or when others join.
    if (m_settings.workload.clients != before) setClients(m_settings.workload.clients, before);
    return {};
}

} // namespace lockscope::sim
