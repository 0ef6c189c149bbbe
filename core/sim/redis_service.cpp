// SPDX-License-Identifier: Apache-2.0
#include "sim/redis_service.h"

#include "sim/seeds.h"

namespace lockscope::sim {

namespace {
constexpr std::uint64_t kSentinelStream = 500;
}

RedisService::RedisService(Grounds grounds, const Settings& settings, std::uint64_t seed,
                           inspect::TraceFeed::Resolver owner)
    : m_settings(settings), m_recorder(grounds.recorder) {
    const bool alone = settings.shape == RedisShape::Single;
    const bool clustered = settings.shape == RedisShape::Cluster;
    const bool replicated = settings.shape == RedisShape::Sentinel || clustered;
    for (std::size_t i = 0; i < settings.ids.size(); ++i) {
        RedisServer::Settings each;
        each.persistence = settings.persistence;
        if (replicated) each.replication = settings.replication;
        if (clustered) each.cluster = settings.cluster;
        const std::uint64_t own = alone ? seed : mixSeed(seed, i);
        m_redis.push_back(std::make_unique<RedisServer>(
            grounds, settings.ids[i], own, each,
            [this](const QByteArray& host, int port) { return port == RedisServer::kPort ? byId(host) : nullptr; }));
    }
    // A lock of several servers is one lock, which belongs to none of them.
    m_record = std::make_unique<RedisRecord>(grounds.scheduler, grounds.recorder,
                                             alone ? m_redis.front()->entity() : trace::kNoEntity, owner);
    for (std::size_t i = 0; !alone && i < m_redis.size(); ++i) {
        m_copies.push_back(
            std::make_unique<RedisRecord>(grounds.scheduler, grounds.recorder, m_redis[i]->entity(), owner));
        m_copies.back()->copies(*m_record);
        m_copies.back()->decidedBy({m_redis[i].get()});
    }
    if (settings.shape == RedisShape::Masters) {
        std::vector<RedisServer*> all;
        for (const auto& server : m_redis)
            all.push_back(server.get());
        m_record->valuesNameNobody();
        m_record->decidedBy(all, all.size() / 2 + 1);
        for (const auto& copy : m_copies)
            copy->valuesNameNobody();
        return;
    }
    if (settings.shape == RedisShape::Engines) {
        decides(m_redis.front()->id());
        return;
    }
    m_reigns[m_redis.front().get()] = ++m_lastReign;
    m_decider = m_redis.front().get();
    for (const auto& server : m_redis)
        m_group.push_back(server.get());
    m_record->decidedBy({m_decider});
    if (!replicated) return;
    if (clustered) {
        makeCluster();
        return;
    }
    for (std::size_t i = 1; i < m_redis.size(); ++i) {
        m_redis[i]->replication().beginWith(m_redis.front()->replication());
        m_redis[i]->configure(m_redis.front().get());
    }
    followRoles();
    for (std::size_t i = 0; i < settings.sentinelIds.size(); ++i) {
        m_sentinels.push_back(std::make_unique<SentinelServer>(grounds, settings.sentinelIds[i],
                                                               mixSeed(seed, kSentinelStream + i), settings.sentinel));
    }
    std::vector<RedisServer*> group;
    for (const auto& server : m_redis)
        group.push_back(server.get());
    std::vector<SentinelServer*> sentinels;
    for (const auto& sentinel : m_sentinels)
        sentinels.push_back(sentinel.get());
    for (SentinelServer* const sentinel : sentinels)
        sentinel->watch(group, sentinels);
    tellRoles();
    for (const SentinelServer* const sentinel : sentinels)
        m_recorder.emit(trace::EventKind::NodeRole, sentinel->entity(), trace::kNoEntity, 0,
                        m_recorder.trace().text("sentinel"));
}

void RedisService::followRoles() {
    for (const auto& server : m_redis) {
        server->onRole = [this](RedisServer& changed) {
            if (!changed.isReplica() && !m_reigns.contains(&changed)) m_reigns[&changed] = ++m_lastReign;
            if (changed.isReplica()) m_reigns.erase(&changed);
            chooseDecider();
            tellRole(changed);
        };
    }
}

void RedisService::tellRoles() {
    for (const auto& server : m_redis)
        tellRole(*server);
}

void RedisService::makeCluster() {
    std::vector<RedisServer*> all;
    for (const auto& server : m_redis)
        all.push_back(server.get());
    for (RedisServer* const server : all)
        server->cluster().meet(all, clusterMasters());
    for (std::size_t i = 1; i < clusterMasters(); ++i)
        m_reigns[all[i]] = ++m_lastReign;
    followRoles();
    tellRoles();
}

void RedisService::decideBySlotOf(const QByteArray& key) {
    const std::size_t masters = clusterMasters();
    const auto first = std::size_t(m_redis.front()->cluster().ownerOf(redis::keySlot(key)));
    m_group.clear();
    for (std::size_t i = first; i < m_redis.size(); i = i < masters ? masters + first : i + masters)
        m_group.push_back(m_redis[i].get());
    chooseDecider();
}

RedisService::~RedisService() = default;

RedisService::Settings RedisService::Settings::of(const scenario::Scenario& scenario) {
    Settings settings;
    settings.ids.clear();
    for (const scenario::NodeSpec& node : scenario.nodes) {
        auto& ids = node.kind == QLatin1String("sentinel") ? settings.sentinelIds : settings.ids;
        ids.push_back(node.id.toUtf8());
    }
    if (!scenario.service) return settings;
    const scenario::ServiceSpec& service = *scenario.service;
    settings.shape = scenario.manager ? RedisShape::Engines : RedisShape(service.shape);
    settings.persistence = Persistence(service.persistence);
    settings.replication.lag = service.lag;
    settings.replication.fullSync = service.fullSync;
    settings.sentinel.downAfter = service.downAfter;
    settings.sentinel.failoverTimeout = service.failoverTimeout;
    settings.sentinel.quorum = service.sentinels / 2 + 1;
    return settings;
}

RedisServer* RedisService::byId(const QByteArray& id) const {
    for (const auto& server : m_redis)
        if (server->id() == id) return server.get();
    return nullptr;
}

RedisServer* RedisService::master() const {
    RedisServer* latest = nullptr;
    for (const auto& server : m_redis) {
        const auto reign = m_reigns.find(server.get());
        if (reign == m_reigns.end() || server->life() == Server::Life::Dead) continue;
        if (std::ranges::find(m_group, server.get()) == m_group.end()) continue;
        if (!latest || reign->second > m_reigns.at(latest)) latest = server.get();
    }
    return latest;
}

void RedisService::tellRole(const RedisServer& server) {
    if (server.life() == Server::Life::Dead) return;
    const QByteArray role = server.isReplica() ? "replica" : "master";
    if (std::exchange(m_roles[&server], role) == role) return;
    m_recorder.emit(trace::EventKind::NodeRole, server.entity(), trace::kNoEntity, 0, m_recorder.trace().text(role));
}

void RedisService::decides(const QByteArray& id) {
    RedisServer* const server = byId(id);
    if (!server || server == m_decider) return;
    m_decider = server;
    m_record->decidedBy({server});
}

QString RedisService::urlOf(const QString& id) const {
    return QStringLiteral("redis://%1:%2").arg(id).arg(RedisServer::kPort);
}

void RedisService::chooseDecider() {
    RedisServer* const now = master();
    if (now == m_decider) return;
    m_decider = now;
    m_record->decidedBy(now ? std::vector{now} : std::vector<RedisServer*>());
}

std::vector<Server*> RedisService::servers() const {
    std::vector<Server*> all;
    for (const auto& server : m_redis)
        all.push_back(server.get());
    for (const auto& sentinel : m_sentinels)
        all.push_back(sentinel.get());
    return all;
}

Server* RedisService::find(const QString& target) const {
    for (Server* server : servers())
        if (target.toUtf8() == server->id()) return server;
    if (target == QLatin1String("master")) return m_decider ? m_decider : m_redis.front().get();
    int number = 0;
    for (const auto& server : m_redis)
        if (server->isReplica() && target == QStringLiteral("replica[%1]").arg(number++)) return server.get();
    for (std::size_t i = 0; i < m_sentinels.size(); ++i)
        if (target == QStringLiteral("sentinel[%1]").arg(i)) return m_sentinels[i].get();
    return nullptr;
}

QString RedisService::url() const {
    QStringList addresses;
    for (const auto& server : m_redis)
        addresses += QStringLiteral("%1:%2").arg(QString::fromUtf8(server->id())).arg(RedisServer::kPort);
    switch (m_settings.shape) {
    case RedisShape::Masters:
        return QStringLiteral("redlock://") + addresses.join(u',');
    case RedisShape::Sentinel:
        addresses.clear();
        for (const auto& sentinel : m_sentinels)
            addresses += QStringLiteral("%1:%2").arg(QString::fromUtf8(sentinel->id())).arg(SentinelServer::kPort);
        return QStringLiteral("redis+sentinel://") + addresses.join(u',') + u'/' +
               QString::fromUtf8(m_settings.sentinel.masterName);
    case RedisShape::Cluster:
        return QStringLiteral("redis+cluster://") + addresses.join(u',');
    case RedisShape::Single:
    case RedisShape::Engines:
        break;
    }
    return QStringLiteral("redis://") + addresses.front();
}

void RedisService::watch(const QByteArray& lockName, std::vector<QByteArray> keys, Strings strings) {
    // Locks in slots of several masters would need a record each; the first one's master decides.
    if (m_settings.shape == RedisShape::Cluster && m_watched++ == 0) decideBySlotOf(keys.front());
    for (const auto& copy : m_copies)
        copy->watch(lockName, keys, strings);
    m_record->watch(lockName, std::move(keys), strings);
}

void RedisService::forceRelease(const QByteArray& lockName) {
    for (const QByteArray& key : m_record->keysOf(lockName)) {
        for (const auto& server : m_redis)
            if (!server->isReplica()) server->command({"DEL", key});
    }
}

std::uint64_t RedisService::steps() const {
    std::uint64_t steps = 0;
    for (const auto& server : m_redis)
        steps += server->steps();
    for (const auto& sentinel : m_sentinels)
        steps += sentinel->steps();
    return steps;
}

RespServer* RedisService::at(const Endpoint& endpoint) const {
    if (endpoint.port == RedisServer::kPort) return byId(endpoint.host.toUtf8());
    for (const auto& sentinel : m_sentinels)
        if (endpoint == Endpoint{QString::fromUtf8(sentinel->id()), SentinelServer::kPort}) return sentinel.get();
    return nullptr;
}

} // namespace lockscope::sim
