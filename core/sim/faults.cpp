// SPDX-License-Identifier: Apache-2.0
#include "scenario/actions.h"
#include "scenario/disk_refusal.h"
#include "scenario/settings.h"
#include "sim/fitting_recipes.h"
#include "sim/world.h"
#include "trace/cut_ways.h"
#include "trace/death.h"
#include "trace/decider.h"
#include "trace/server_told.h"

#include <QCoreApplication>

namespace lockscope::sim {

using scenario::Action;
using scenario::Fault;
using trace::EventKind;

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Faults", text);
}

/// A clock that is a millionth too fast gains so much in a second.
constexpr Nanos kGainOfOneMillionth = 1us;
constexpr std::int64_t kMostPpm = 999'999;

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

void World::delayLink(Network::Link& link, Action how, Nanos value, std::uint8_t flags) {
    (how == Action::DelayLink ? link.extraLatency : link.jitter) = std::clamp(value, Nanos(0), kLongest);
    if (value == Nanos(0)) link.jitter = Nanos(0); // a link that is good again does not vary
    emit(EventKind::LinkDelayed, flags, link.first, link.entity, laterBy(link.extraLatency, link.jitter).count());
}

void World::jumpClock(Client* client, Server* server, Nanos offset, std::uint8_t flags) {
    offset = std::clamp(offset, -kLongest, kLongest);
    // The jump first: what it does to leases follows it in the trace.
    emit(EventKind::ClockJumped, flags, client ? client->entity() : server->entity(), trace::kNoEntity, offset.count());
    client ? client->setClockOffset(offset) : server->setClock(offset, server->clockPpm());
}

void World::driftClock(Client* client, Server* server, Nanos gain, std::uint8_t flags) {
    const std::int64_t ppm = std::clamp(gain / kGainOfOneMillionth, -kMostPpm, kMostPpm);
    emit(EventKind::SettingChanged, flags, client ? client->entity() : server->entity(), trace::kNoEntity, 0,
         m_recorder.trace().text("drift=" + formatDuration(gain).toUtf8()));
    client ? client->setDrift(ppm) : server->setClock(server->clockOffset(), ppm);
}

std::uint8_t World::flagsOf(const Fault& fault) {
    return static_cast<std::uint8_t>(trace::kFault | (fault.byHand ? trace::kByHand : 0));
}

trace::EntityId World::partyOf(const QString& target) {
    if (const Client* const client = findClient(target)) return client->entity();
    const Server* const server = m_services->find(target);
    return server ? server->entity() : trace::kNoEntity;
}

std::vector<World::StruckLink> World::linksOf(const QString& target) {
    std::vector<StruckLink> links;
    if (const auto sets = scenario::targetSetsIn(target)) {
        using Ways = scenario::TargetSets::Ways;
        const Network::Ways ways = sets->ways == Ways::FromFirst ? Network::Ways::FromFirst
                                   : sets->ways == Ways::ToFirst ? Network::Ways::ToFirst
                                                                 : Network::Ways::Both;
        for (const QString& first : sets->first) {
            for (const QString& second : sets->second) {
                const trace::EntityId a = partyOf(first), b = partyOf(second);
                if (a != trace::kNoEntity && b != trace::kNoEntity && a != b)
                    links.push_back({&m_network.between(a, b), a, ways});
            }
        }
        return links;
    }
    const auto whole = [this](trace::EntityId a, trace::EntityId b) {
        return StruckLink{&m_network.between(a, b), a, Network::Ways::Both};
    };
    // Names of servers contain hyphens: each of them may be the one between the two.
    for (qsizetype at = target.indexOf(u'-'); at > 0; at = target.indexOf(u'-', at + 1)) {
        const trace::EntityId a = partyOf(target.left(at)), b = partyOf(target.mid(at + 1));
        if (a != trace::kNoEntity && b != trace::kNoEntity && a != b) return {whole(a, b)};
    }
    const trace::EntityId one = partyOf(target);
    if (one == trace::kNoEntity) return links;
    for (const Server* server : m_services->servers())
        if (server->entity() != one) links.push_back(whole(one, server->entity()));
    if (findClient(target)) return links;
    for (const auto& client : m_clients)
        links.push_back(whole(client->entity(), one));
    return links;
}

std::expected<void, QString> World::actOnEach(const Fault& fault, QStringList targets) {
    // The servers that have a role are found before the first of them is struck.
    for (QString& target : targets)
        if (const trace::EntityId party = partyOf(target); party != trace::kNoEntity)
            target = QString::fromUtf8(m_recorder.trace().entity(party).name);
    std::expected<void, QString> all;
    for (const QString& target : targets) {
        Fault one = fault;
        one.target = target;
        if (const auto done = act(one); !done && all) all = done;
    }
    return all;
}

std::expected<void, QString> World::act(const Fault& fault) {
    const std::uint8_t flags = flagsOf(fault);
    const QStringList targets = scenario::targetsIn(fault.target);
    if (targets.size() > 1 && !scenario::targetSetsIn(fault.target)) return actOnEach(fault, targets);
    switch (fault.action) {
    case Action::HealAll:
        healAll(flags);
        return {};
    case Action::Set:
        return set(fault.setting, fault.text, flags);
    case Action::SwitchEngine:
        return switchEngine(fault, flags);
    case Action::PauseNode:
    case Action::ResumeNode:
    case Action::KillNode:
    case Action::CrashNode:
    case Action::RestartNode:
    case Action::RestartNodeEmpty:
    case Action::Failover:
    case Action::EvictKey:
    case Action::FlushNode:
    case Action::ExhaustPool:
    case Action::FreePool:
    case Action::StallDisk:
    case Action::FreeDisk: {
        Server* const server = m_services->find(fault.target);
        if (!server) {
            QStringList names;
            for (const Server* known : m_services->servers())
                names += QString::fromUtf8(known->id());
            return std::unexpected(tr("There is no node “%1”; the node here is “%2”.")
                                       .arg(fault.target, names.join(QStringLiteral(", "))));
        }
        if (fault.action == Action::Failover) {
            const auto asked = m_services->having(QString::fromUtf8(server->id()))->failOver(*server);
            if (asked)
                emit(EventKind::FailoverStep, flags, trace::kNoEntity, server->entity(),
                     std::int64_t(trace::FailoverPhase::Asked));
            return asked;
        }
        if (fault.action == Action::EvictKey || fault.action == Action::FlushNode)
            return dropData(fault, *server, flags);
        if (fault.action == Action::ExhaustPool || fault.action == Action::FreePool)
            return changePool(fault, *server, flags);
        if (fault.action == Action::StallDisk || fault.action == Action::FreeDisk)
            return changeDisk(fault, *server, flags);
        actOnServer(fault, *server, flags);
        return {};
    }
    case Action::JumpClock:
    case Action::DriftClock:
        if (Server* const server = m_services->find(fault.target)) {
            if (fault.action == Action::JumpClock)
                jumpClock(nullptr, server, fault.value, flags);
            else
                driftClock(nullptr, server, fault.value, flags);
            noteStruck(fault, QString::fromUtf8(server->id()), server->entity());
            return {};
        }
        return actOnClient(fault, flags);
    case Action::CutLink:
    case Action::MendLink:
    case Action::DelayLink:
    case Action::JitterLink:
    case Action::ResetLink:
    case Action::LoseReply:
    case Action::LosePush:
    case Action::RepeatRequest:
        return actOnLinks(fault, flags);
    default:
        return actOnClient(fault, flags);
    }
}

std::expected<void, QString> World::dropData(const Fault& fault, Server& server, std::uint8_t flags) {
    const QString id = QString::fromUtf8(server.id());
    if (server.life() != Server::Life::Running) return std::unexpected(tr("%1 does not run.").arg(id));
    if (!server.acts()) return std::unexpected(tr("%1 waits for its disk, and does nothing else.").arg(id));
    Service& service = *m_services->having(id);
    if (const auto can = service.canDrop(server); !can) return can;
    const QByteArray lock = (fault.text.isEmpty() ? m_settings.lock.name : fault.text).toUtf8();
    const bool evicts = fault.action == Action::EvictKey;
    // The fault first: what it does to records follows it in the trace.
    emit(EventKind::SettingChanged, flags, server.entity(), trace::kNoEntity, 0,
         m_recorder.trace().text(evicts ? "evict=" + lock : trace::kAllDeleted.toByteArray()));
    evicts ? service.evict(server, lock) : service.flush(server);
    return {};
}

std::expected<void, QString> World::changePool(const Fault& fault, const Server& server, std::uint8_t flags) {
    Service& service = *m_services->having(QString::fromUtf8(server.id()));
    if (service.pool() == Service::Pool::None)
        return std::unexpected(tr("The clients of %1 share no pool: each has connections of its own.")
                                   .arg(QString::fromUtf8(server.id())));
    const bool exhausts = fault.action == Action::ExhaustPool;
    const auto wanted = exhausts ? Service::Pool::Exhausted : Service::Pool::Free;
    // The pool is the service's, so its first server stands for it, whichever was named.
    const Server& first = *service.servers().front();
    // The fault first: clients that wait for a connection go on after it.
    if (service.pool() != wanted)
        emit(EventKind::SettingChanged, flags, first.entity(), trace::kNoEntity, 0,
             m_recorder.trace().text((exhausts ? trace::kPoolTaken : trace::kPoolGivenBack).toByteArray()));
    service.setPool(wanted);
    noteStruck(fault, QString::fromUtf8(first.id()), first.entity());
    return {};
}

std::expected<void, QString> World::changeDisk(const Fault& fault, Server& server, std::uint8_t flags) {
    const QString id = QString::fromUtf8(server.id());
    const QString refusal = scenario::diskRefusal(m_settings.services, m_settings.nodes, id);
    if (!refusal.isEmpty()) return std::unexpected(refusal);
    const bool stalls = fault.action == Action::StallDisk;
    // The fault first: answers that have waited for the disk follow it.
    if (server.diskStalls() != stalls)
        emit(EventKind::SettingChanged, flags, server.entity(), trace::kNoEntity, 0,
             m_recorder.trace().text(stalls ? "disk=stalled" : "disk=free"));
    stalls ? server.stallDisk() : server.freeDisk();
    noteStruck(fault, id, server.entity());
    return {};
}

void World::actOnServer(const Fault& fault, Server& server, std::uint8_t flags) {
    using Life = Server::Life;
    const bool wasDead = server.life() == Life::Dead;
    const auto kill = [&] {
        if (!wasDead) emit(EventKind::NodeKilled, flags, server.entity());
        server.kill();
    };
    switch (fault.action) {
    case Action::PauseNode:
        if (server.life() == Life::Running) emit(EventKind::NodePaused, flags, server.entity());
        server.pause();
        break;
    case Action::ResumeNode:
        if (server.life() == Life::Paused) emit(EventKind::NodeResumed, flags, server.entity());
        server.resume();
        break;
    case Action::KillNode:
        kill();
        break;
    case Action::CrashNode:
        if (!wasDead) emit(EventKind::NodeKilled, flags, server.entity(), trace::kNoEntity, trace::kPowerLost);
        server.crash();
        break;
    default: // RestartNode, RestartNodeEmpty
        kill();
        if (fault.action == Action::RestartNodeEmpty && server.diskStalls()) {
            m_lasting.erase({Aspect::Disk, server.entity()}); // the new one is another disk
            emit(EventKind::SettingChanged, flags, server.entity(), trace::kNoEntity, 0,
                 m_recorder.trace().text("disk=free"));
        }
        if (fault.action == Action::RestartNodeEmpty)
            server.startEmpty();
        else
            server.start();
        emit(EventKind::NodeStarted, flags, server.entity());
        break;
    }
    const bool needsLife = fault.action == Action::PauseNode || fault.action == Action::ResumeNode;
    if (needsLife && wasDead) return; // nobody was there to be struck
    const bool kills = fault.action == Action::KillNode || fault.action == Action::CrashNode;
    if (kills && !wasDead) m_lasting.erase({Aspect::Life, server.entity()}); // what was done to the living is over
    noteStruck(fault, QString::fromUtf8(server.id()), server.entity());
}

std::expected<void, QString> World::actOnClient(const Fault& fault, std::uint8_t flags) {
    Client* const client = findClient(fault.target);
    if (!client) return std::unexpected(tr("There is no client “%1” to do this to now.").arg(fault.target));
    const bool wasDead = client->life() == Runtime::Life::Dead;
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
    case Action::JumpClock:
        jumpClock(client, nullptr, fault.value, flags);
        break;
    case Action::DriftClock:
        driftClock(client, nullptr, fault.value, flags);
        break;
    case Action::HangWork:
        client->hangWork(true);
        emit(EventKind::WorkHung, flags, client->entity());
        break;
    default: // StopWatchdog
        client->stopWatchdog(true);
        emit(EventKind::WatchdogStopped, flags, client->entity());
        break;
    }
    const bool needsLife = fault.action == Action::PauseClient || fault.action == Action::ResumeClient;
    if (needsLife && wasDead) return {};
    if (fault.action == Action::KillClient && !wasDead) m_lasting.erase({Aspect::Life, client->entity()});
    noteStruck(fault, QString::fromUtf8(client->name()), client->entity());
    return {};
}

std::expected<void, QString> World::actOnLinks(const Fault& fault, std::uint8_t flags) {
    std::vector<StruckLink> links = linksOf(fault.target);
    if (links.empty()) return std::unexpected(tr("There is no client “%1” to do this to now.").arg(fault.target));
    if (fault.action == Action::RepeatRequest) {
        std::erase_if(links, [this](const StruckLink& struck) { return !repeats(*struck.link); });
        if (links.empty())
            return std::unexpected(
                tr("TCP brings each request once, and only drivers and proxies of Redis send one again."));
    }
    for (const auto& [link, from, ways] : links) {
        const std::array before = link->cut;
        switch (fault.action) {
        case Action::CutLink:
            m_network.setCut(*link, from, ways, true);
            if (link->cut != before) emitCut(*link, flags);
            break;
        case Action::MendLink:
            m_network.setCut(*link, from, ways, false);
            if (link->cut != before) emitCut(*link, flags);
            break;
        case Action::DelayLink:
        case Action::JitterLink:
            delayLink(*link, fault.action, fault.value, flags);
            break;
        case Action::ResetLink:
            resetLink(*link, flags);
            break;
        case Action::LosePush:
            link->loseNextPush = true;
            emit(EventKind::PushLossArmed, flags, link->first, link->entity);
            break;
        case Action::RepeatRequest:
            link->repeatNextRequest = true;
            emit(EventKind::RepeatArmed, flags, link->first, link->entity);
            break;
        default: // LoseReply
            link->loseNextReply = true;
            emit(EventKind::ReplyLossArmed, flags, link->first, link->entity);
            break;
        }
        // Notes the link by its parties' names: "holder" may mean another client when the fault ends.
        const trace::Trace& trace = m_recorder.trace();
        const QByteArray name = trace.entity(link->first).name + '-' + trace.entity(link->second).name;
        noteStruck(fault, QString::fromUtf8(name), link->entity);
    }
    return {};
}

void World::emitCut(const Network::Link& link, std::uint8_t flags) {
    if (!link.isCut()) return emit(EventKind::LinkMended, flags, link.first, link.entity);
    const auto [forth, back] = link.cut;
    const auto ways = forth && back ? trace::CutWays::Both : forth ? trace::CutWays::Forth : trace::CutWays::Back;
    emit(EventKind::LinkCut, flags, link.first, link.entity, std::int64_t(ways));
}

bool World::repeats(const Network::Link& link) const {
    for (const Party end : {link.first, link.second}) {
        const QString name = QString::fromUtf8(m_recorder.trace().entity(end).name);
        const Service* const service = m_services->having(name);
        const scenario::ServiceKind* const kind =
            service ? scenario::findServiceKind(QString::fromLatin1(service->kind())) : nullptr;
        if (kind && kind->repeats) return true;
    }
    return false;
}

void World::resetLink(const Network::Link& link, std::uint8_t flags) {
    for (Server* const server : m_services->servers()) {
        if (server->entity() != link.first && server->entity() != link.second) continue;
        const trace::EntityId other = server->entity() == link.first ? link.second : link.first;
        if (m_recorder.trace().entity(other).kind != trace::EntityKind::Client) return; // servers connect again at once
        // As if it were cut for an instant: nothing stays but the connections' end.
        emit(EventKind::LinkCut, flags, link.first, link.entity);
        emit(EventKind::LinkMended, flags, link.first, link.entity);
        server->hangUpOn(other);
        return;
    }
}

std::expected<void, QString> World::set(const QString& setting, const QString& text, std::uint8_t flags) {
    scenario::Scenario changed = m_settings;
    if (auto done = scenario::changeSetting(changed, setting, text); !done) return done;
    if (const QString why = whyNotNow(changed, changed.recipe); !why.isEmpty()) return std::unexpected(why);
    const int before = m_settings.workload.clients;
    m_settings = changed;
    m_resources.settingsChanged();
    m_services->watchLocks();
    emit(EventKind::SettingChanged, flags, trace::kNoEntity, trace::kNoEntity, 0,
         m_recorder.trace().text((setting + QLatin1Char('=') + text).toUtf8()));
    // Clients that somebody killed stay dead when something else is set, or when others join.
    if (m_settings.workload.clients != before) setClients(m_settings.workload.clients, before);
    return {};
}

} // namespace lockscope::sim
