// SPDX-License-Identifier: Apache-2.0
#include "sim/memcached/service.h"

#include "scenario/failover_refusal.h"
#include "sim/memcached/wire.h"
#include "sim/seeds.h"

#include <algorithm>

namespace lockscope::sim {

namespace {
Endpoint endpointOf(const MemcachedServer& server) {
    return {QString::fromUtf8(server.id()), MemcachedServer::kPort};
}
} // namespace

MemcachedService::Settings MemcachedService::Settings::of(const ServicePlan& plan) {
    Settings settings;
    settings.engine = plan.scenario.manager.has_value();
    settings.ids.clear();
    for (const scenario::NodeSpec& node : plan.nodes)
        settings.ids.push_back(node.id.toUtf8());
    return settings;
}

Nanos MemcachedService::Settings::longestHold(const scenario::ServiceSpec&, Nanos lease) {
    constexpr Nanos kTick = 1s;
    return std::chrono::ceil<std::chrono::seconds>(lease) + kTick;
}

MemcachedService::MemcachedService(Grounds grounds, const Settings& settings, std::uint64_t seed,
                                   const inspect::TraceFeed::Resolver& owner)
    : m_grounds(grounds) {
    std::vector<Endpoint> endpoints;
    for (std::size_t i = 0; i < settings.ids.size(); ++i) {
        m_servers.push_back(
            std::make_unique<MemcachedServer>(grounds, settings.ids[i], mixSeed(seed, i), settings.store));
        m_records.push_back(std::make_unique<MemcachedRecord>(
            grounds, settings.engine ? trace::kNoEntity : m_servers.back()->entity(), *m_servers.back(), owner));
        endpoints.push_back(endpointOf(*m_servers.back()));
    }
    m_ring = std::make_unique<memcached::KeyRing>(endpoints);
}

MemcachedService::~MemcachedService() = default;

std::vector<Server*> MemcachedService::servers() const {
    std::vector<Server*> all;
    for (const auto& server : m_servers)
        all.push_back(server.get());
    return all;
}

Server* MemcachedService::find(const QString& target) const {
    const auto found = std::ranges::find(m_servers, target.toUtf8(), [](const auto& server) { return server->id(); });
    return found == m_servers.end() ? nullptr : found->get();
}

QString MemcachedService::url() const {
    QStringList addresses;
    for (const auto& server : m_servers)
        addresses += endpointOf(*server).display();
    return QStringLiteral("memcached://") + addresses.join(u',');
}

MemcachedServer& MemcachedService::serverOf(const QByteArray& key) const {
    return *m_servers[m_ring->serverOf(key)];
}

MemcachedServer* MemcachedService::at(const Endpoint& endpoint) const {
    for (const auto& server : m_servers)
        if (endpoint == endpointOf(*server)) return server.get();
    return nullptr;
}

trace::EntityId MemcachedService::lockEntity(const QByteArray& lockName) {
    return m_records[m_ring->serverOf(lockName)]->lockEntity(lockName);
}

void MemcachedService::watch(const QByteArray& lockName, const QByteArray&) {
    m_records[m_ring->serverOf(lockName)]->watch(lockName);
}

void MemcachedService::setDecides(bool decides) {
    for (const auto& record : m_records)
        record->setDecides(decides);
}

std::expected<void, QString> MemcachedService::failOver(const Server& master) {
    return std::unexpected(
        scenario::failoverRefusal({.kind = QStringLiteral("memcached")}, QString::fromUtf8(master.id())));
}

std::expected<void, QString> MemcachedService::canDrop(const Server&) const {
    return {};
}

void MemcachedService::evict(Server& server, const QByteArray& lockName) {
    static_cast<MemcachedServer&>(server).evict(lockName);
}

void MemcachedService::flush(Server& server) {
    static_cast<MemcachedServer&>(server).command({.kind = MemcachedCommand::Kind::Flush});
}

void MemcachedService::forceRelease(const QByteArray& lockName) {
    serverOf(lockName).command({.kind = MemcachedCommand::Kind::Remove, .key = lockName});
}

std::uint64_t MemcachedService::steps() const {
    std::uint64_t steps = 0;
    for (const auto& server : m_servers)
        steps += server->steps();
    return steps;
}

Diallers MemcachedService::diallers(const ClientEnd& end) const {
    Diallers diallers;
    diallers.memcached = [this, client = end.client](Runtime& runtime, const ConnectionUrl& url) {
        return std::make_unique<MemcachedWire>(m_grounds, at(url.endpoints.front()), runtime, client, url);
    };
    return diallers;
}

} // namespace lockscope::sim
