// SPDX-License-Identifier: Apache-2.0
#include "sim/world.h"

#include "sim/client_world.h"
#include "sim/fitting_recipes.h"
#include "sim/seeds.h"

namespace lockscope::sim {

using scenario::Fault;
using trace::EntityKind;
using trace::EventKind;

namespace {
enum Stream : std::uint64_t { NetworkStream, NodeStream, FirstClientStream = 1000 };
} // namespace

World::World(const scenario::Scenario& scenario, std::uint64_t seed, std::shared_ptr<trace::Trace> trace)
    : m_settings(onFittingServers(scenario)),
      m_seed(seed),
      m_recorder(std::move(trace), [this] { return m_scheduler.now(); }),
      m_network(m_scheduler, m_recorder.sharedTrace(), m_settings.network, mixSeed(seed, NetworkStream),
                m_settings.services.empty() ? Network::Streams::Shared : Network::Streams::PerLink),
      m_resources(m_recorder, m_settings, [this](const QByteArray& lock) { return m_services->lockEntity(lock); }) {
    const Grounds grounds{m_scheduler, m_recorder, m_network};
    m_services = std::make_unique<Services>(grounds, m_settings, mixSeed(seed, NodeStream), [this](const auto& party) {
        const auto known = m_threads.find(party.client);
        if (known != m_threads.end()) return known->second;
        const auto client = m_recorder.trace().intern(EntityKind::Client, party.client);
        return m_recorder.trace().intern(EntityKind::Thread, party.thread.value_or("?"), client);
    });
    m_services->watchLocks();
    for (const QByteArray& lock : workload::lockNames(m_settings))
        m_resources.of(lock);
    watchConditions();
    setClients(m_settings.workload.clients);
    // They are in the schedule now, and each change of a setting would copy all of them.
    for (const Fault& fault : std::exchange(m_settings.faults, {}))
        schedule(fault);
    if (!m_settings.liveness) return;
    Fault heal;
    heal.at = m_settings.liveness;
    heal.action = scenario::Action::HealAll;
    schedule(heal);
}

World::~World() = default;

void World::setClients(int count, int before) {
    while (static_cast<int>(m_clients.size()) < count) {
        const int index = static_cast<int>(m_clients.size());
        const Grounds grounds{m_scheduler, m_recorder, m_network};
        auto world = std::make_unique<SimulatedClientWorld>(
            grounds, *m_services, m_resources, mixSeed(m_seed, FirstClientStream + static_cast<std::uint64_t>(index)),
            [this](const Client& started) { m_threads[started.uuid()] = started.thread(); });
        auto client = std::make_unique<Client>(std::move(world), m_recorder, m_settings, index);
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
            *fault.at,
            [this, fault] {
                if (fault.when)
                    m_conditions->add(fault);
                else
                    strike(fault);
            },
            rank);
    } else if (fault.when) {
        m_conditions->add(fault);
    }
}

void World::watchConditions() {
    const auto is = [this](trace::EntityId client, const QString& name, const QByteArray& lock) {
        const Client* const now = findClient(name, lock);
        return now && now->entity() == client;
    };
    std::vector<Conditions::Lock> locks;
    for (const QString& lock : m_settings.lockNames())
        locks.push_back({lock.toUtf8(), m_services->lockEntity(lock.toUtf8())});
    m_conditions =
        std::make_unique<Conditions>(Conditions::Surroundings{m_scheduler, m_recorder, m_network, is,
                                                              [this](const Fault& fault) { schedule(fault); }},
                                     locks);
    m_recorder.onEvent([this](const trace::Event& event) {
        followEngine(event);
        m_conditions->see(event);
    });
}

void World::strike(const Fault& fault) {
    // A fault whose target is not there any more (nobody holds, the client is dead) strikes nobody: that is part of the
    // scenario, not an error in it. Targets that can never exist are refused when the file is read.
    const bool heals = fault.action == scenario::Action::HealAll;
    if (m_settings.liveness && now() >= *m_settings.liveness && !fault.byHand && !heals) return;
    if (const auto done = act(fault); !done && fault.byHand && onRefused) onRefused(done.error());
    if (!fault.every || fault.times == 1) return;
    Fault again = fault;
    again.at = laterBy(now(), *fault.every);
    if (again.times > 0) --again.times;
    schedule(again);
}

std::expected<void, QString> World::apply(const Fault& fault) {
    if (fault.when) m_conditions->add(fault);
    const auto done = fault.when ? std::expected<void, QString>() : act(fault);
    runUntil(now()); // what follows at this very instant, exactly as when the fault strikes from a file
    return done;
}

Client* World::findClient(const QString& target, QByteArray lock) {
    Client* best = nullptr;
    if (lock.isEmpty()) lock = m_settings.lock.name.toUtf8();
    const auto alive = [](const Client& client) { return client.life() != Runtime::Life::Dead; };
    for (const auto& client : m_clients) {
        if (target == QLatin1String("holder")) {
            // If several clients believe that they hold the lock, choose the one that was granted last.
            if (alive(*client) && client->holds(lock) && (!best || client->since(lock) > best->since(lock)))
                best = client.get();
        } else if (target == QLatin1String("waiter")) {
            if (alive(*client) && client->waits(lock) && (!best || client->since(lock) < best->since(lock)))
                best = client.get();
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
