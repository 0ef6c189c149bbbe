// SPDX-License-Identifier: Apache-2.0
// How long faults last: their ends by time, by a later fault, or by healing.
#include "scenario/actions.h"
#include "sim/world.h"

namespace lockscope::sim {

using scenario::Action;
using scenario::Fault;
using trace::EventKind;

namespace {

/// Nothing lasts that a later fault could end or replace.
bool isOverAtOnce(Action action) {
    switch (action) {
    case Action::StopWatchdog:
    case Action::HangWork:
    case Action::LoseReply:
    case Action::LosePush:
    case Action::RepeatRequest:
    case Action::ResetLink:
        return true;
    default:
        return false;
    }
}

} // namespace

World::Aspect World::aspectOf(Action action) {
    switch (scenario::undoing(action).value_or(action)) { // a fault is of its end's aspect
    case Action::MendLink:
        return Aspect::Cut;
    case Action::DelayLink:
        return Aspect::Delay;
    case Action::JitterLink:
        return Aspect::Jitter;
    case Action::JumpClock:
        return Aspect::Clock;
    case Action::DriftClock:
        return Aspect::Drift;
    case Action::FreePool:
        return Aspect::Pool;
    case Action::FreeDisk:
        return Aspect::Disk;
    default:
        return Aspect::Life;
    }
}

void World::noteStruck(const Fault& fault, const QString& target, trace::EntityId entity) {
    const auto undo = scenario::undoing(fault.action);
    if (isOverAtOnce(fault.action)) return;
    const Struck struck(aspectOf(fault.action), entity);
    std::vector<Lasting>& lasting = m_lasting[struck];
    const bool sets = scenario::takesValue(fault.action);
    // An undoing ends all that was done, a lasting value all values before it.
    if (!undo || (sets && !fault.duration)) lasting.clear();
    if (!undo) return;
    const std::uint64_t number = ++m_lastFault;
    lasting.push_back({number, fault.value});
    if (!fault.duration) return;
    Fault later;
    later.at = now() + std::clamp(*fault.duration, Nanos(0), kLongest);
    later.action = *undo;
    later.target = target; // the client it struck, not the holder by then
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
    const bool sets = scenario::takesValue(undo.action);
    if (lasting.empty()) {
        if (stillLasts(undo)) strike(undo);
    } else if (sets && newest) {
        // Not by strike(): the fault that lasts on is no new one, and has its own end.
        const Nanos value = lasting.back().value;
        if (undo.action == Action::DelayLink || undo.action == Action::JitterLink) {
            for (const StruckLink& struckLink : linksOf(undo.target))
                delayLink(*struckLink.link, undo.action, value, flagsOf(undo));
        } else {
            Server* const server = m_services->find(undo.target);
            Client* const client = server ? nullptr : findClient(undo.target);
            if ((server || client) && undo.action == Action::JumpClock)
                jumpClock(client, server, value, flagsOf(undo));
            else if (server || client)
                driftClock(client, server, value, flagsOf(undo));
        }
    }
}

bool World::stillLasts(const Fault& undo) {
    // Somebody may have restarted it meanwhile, or taken it out of the workload: a restart now would be a new fault.
    if (undo.action == Action::RestartNode) {
        const Server* const server = m_services->find(undo.target);
        return server && server->life() == Server::Life::Dead;
    }
    if (undo.action != Action::RestartClient) return true;
    for (int i = 0; i < m_settings.workload.clients && i < static_cast<int>(m_clients.size()); ++i) {
        const Client& client = *m_clients[static_cast<std::size_t>(i)];
        if (client.name() == undo.target.toUtf8()) return client.life() == Runtime::Life::Dead;
    }
    return false;
}

void World::healAll(std::uint8_t flags) {
    m_lasting.clear(); // what would end later ends now
    m_network.healAll();
    for (const auto& client : m_clients) {
        client->stopWatchdog(false);
        client->hangWork(false);
        client->setClockOffset(Nanos(0));
        if (client->drift() != 0) client->setDrift(0);
    }
    emit(EventKind::Healed, flags, trace::kNoEntity);
    for (Server* const server : m_services->servers()) {
        server->setClock(Nanos(0));
        server->freeDisk();
        if (server->life() == Server::Life::Paused) emit(EventKind::NodeResumed, flags, server->entity());
        server->resume();
        if (server->life() == Server::Life::Dead) {
            server->start();
            emit(EventKind::NodeStarted, flags, server->entity());
        }
    }
    for (std::size_t i = 0; i < m_services->size(); ++i)
        if (m_services->at(i).pool() == Service::Pool::Exhausted) m_services->at(i).setPool(Service::Pool::Free);
    const int wanted = m_settings.workload.clients;
    for (int i = 0; i < wanted && i < static_cast<int>(m_clients.size()); ++i) {
        Client& client = *m_clients[static_cast<std::size_t>(i)];
        resumeClient(client, flags);
        if (client.life() == Runtime::Life::Dead) client.restart();
    }
}

} // namespace lockscope::sim
