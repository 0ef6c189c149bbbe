// SPDX-License-Identifier: Apache-2.0
#include "sim/world.h"

#include "sim/seeds.h"

namespace lockscope::sim {

using scenario::Fault;
using scenario::Trigger;
using trace::EntityKind;
using trace::EventKind;

namespace {
enum Stream : std::uint64_t { NetworkStream, NodeStream, FirstClientStream = 1000 };

EventKind triggering(Trigger::On on) {
    switch (on) {
    case Trigger::On::Granted:
        return EventKind::Granted;
    case Trigger::On::Requested:
        return EventKind::Requested;
    case Trigger::On::Released:
        return EventKind::Released;
    }
    return EventKind::None;
}
} // namespace

World::World(const scenario::Scenario& scenario, std::uint64_t seed, std::shared_ptr<trace::Trace> trace)
    : m_settings(scenario),
      m_seed(seed),
      m_recorder(std::move(trace), [this] { return m_scheduler.now(); }),
      m_network(m_scheduler, m_recorder.sharedTrace(), scenario.network, mixSeed(seed, NetworkStream),
                scenario.service ? Network::Streams::PerLink : Network::Streams::Shared) {
    m_service = std::make_unique<RedisService>(
        Grounds{m_scheduler, m_recorder, m_network}, RedisService::Settings::of(scenario), mixSeed(seed, NodeStream),
        [this](const inspect::Party& party) {
            const auto known = m_threads.find(party.client);
            if (known != m_threads.end()) return known->second;
            const auto client = m_recorder.trace().intern(EntityKind::Client, party.client);
            return m_recorder.trace().intern(EntityKind::Thread, party.thread.value_or("?"), client);
        });
    watchLock();
    const auto lock = m_service->lockEntity(m_settings.lock.name.toUtf8());
    const auto resource = m_recorder.trace().intern(EntityKind::Resource, m_settings.resource.name.toUtf8(), lock);
    m_resource = std::make_unique<GuardedResource>(m_recorder, resource, m_settings.resource.tokenCheck);
    m_recorder.onEvent([this](const trace::Event& event) { watchForTriggers(event); });
    setClients(m_settings.workload.clients);
    for (const Fault& fault : m_settings.faults)
        schedule(fault);
}

World::~World() = default;

void World::watchLock() {
    const QByteArray name = m_settings.lock.name.toUtf8();
    m_service->watch(name, recipes::lockKeys(m_settings.recipe.toUtf8(), name));
}

void World::setClients(int count, int before) {
    while (static_cast<int>(m_clients.size()) < count) {
        const int index = static_cast<int>(m_clients.size());
        auto client = std::make_unique<Client>(
            Client::World{Grounds{m_scheduler, m_recorder, m_network}, *m_service, *m_resource, m_settings},
            scenario::clientName(index).toUtf8(),
            mixSeed(m_seed, FirstClientStream + static_cast<std::uint64_t>(index)));
        m_threads[client->uuid()] = client->thread();
        client->onIdentity = [this](Client& restarted) { m_threads[restarted.uuid()] = restarted.thread(); };
        m_clients.push_back(std::move(client));
    }
    for (int i = 0; i < static_cast<int>(m_clients.size()); ++i) {
        Client& client = *m_clients[static_cast<std::size_t>(i)];
        if (i >= count && client.life() != Runtime::Life::Dead) killClient(client, 0);
        if (i >= before && i < count && client.life() == Runtime::Life::Dead) client.restart();
    }
}

void World::runUntil(Nanos t) {
    m_scheduler.runUntil(t);
    m_recorder.trace().reach(m_scheduler.now());
}

bool World::runNext(Nanos limit) {
    const bool did = m_scheduler.runNext(limit);
    m_recorder.trace().reach(m_scheduler.now());
    return did;
}

void World::schedule(const Fault& fault) {
    if (fault.at) {
        const auto rank = fault.byHand ? VirtualScheduler::Rank::Last : VirtualScheduler::Rank::Late;
        m_scheduler.at(
            *fault.at, [this, fault] { strike(fault); }, rank);
    } else if (fault.when) {
        m_triggered.push_back(fault);
    }
}

void World::watchForTriggers(const trace::Event& event) {
    if (m_triggered.empty()) return;
    const int seen = ++m_seen[event.kind];
    for (auto it = m_triggered.begin(); it != m_triggered.end();) {
        if (triggering(it->when->on) != event.kind || it->when->nth != seen) {
            ++it;
            continue;
        }
        Fault fault = *it;
        fault.at = laterBy(m_scheduler.now(), fault.when->after);
        fault.when.reset();
        it = m_triggered.erase(it);
        schedule(fault);
    }
}

void World::strike(const Fault& fault) {
    // A fault whose target is not there any more (nobody holds, the client is dead) strikes nobody: that is part of the
    // scenario, not an error in it. Targets that can never exist are refused when the file is read.
    (void)act(fault);
}

std::expected<void, QString> World::apply(const Fault& fault) {
    const auto done = act(fault);
    runUntil(now()); // what follows at this very instant, exactly as when the fault strikes from a file
    return done;
}

Client* World::findClient(const QString& target) {
    Client* best = nullptr;
    const auto alive = [](const Client& client) { return client.life() != Runtime::Life::Dead; };
    for (const auto& client : m_clients) {
        if (target == QLatin1String("holder")) {
            // If several clients believe, the one with the latest grant.
            if (alive(*client) && client->holds() && (!best || client->since() > best->since())) best = client.get();
        } else if (target == QLatin1String("waiter")) {
            if (alive(*client) && client->waits() && (!best || client->since() < best->since())) best = client.get();
        } else if (target.toUtf8() == client->name()) {
            return client.get();
        }
    }
    return best;
}

void World::emit(EventKind kind, std::uint8_t flags, trace::EntityId actor, trace::EntityId subject, std::int64_t value,
                 std::uint32_t aux) {
    m_recorder.emit(kind, actor, subject, value, aux, flags);
}

} // namespace lockscope::sim
