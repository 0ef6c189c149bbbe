// SPDX-License-Identifier: Apache-2.0
#include "sim/redis_service.h"

#include "ports/redis/cluster_keys.h"
#include "recipes/redis/redis_recipe.h"
#include "scenario/failover_refusal.h"
#include "sim/redis_wire.h"
#include "sim/seeds.h"

#include <QCoreApplication>

namespace lockscope::sim {

namespace {

constexpr std::uint64_t kSentinelStream = 500;

RedisShape shapeOf(const ServicePlan& plan) {
    using Shape = scenario::ServiceSpec::Shape;
    const bool apart = plan.spec.shape == Shape::Masters || plan.spec.shape == Shape::Single;
    if (plan.scenario.manager && apart) return RedisShape::Engines;
    switch (plan.spec.shape) {
    case Shape::Sentinel:
        return RedisShape::Sentinel;
    case Shape::Masters:
        return RedisShape::Masters;
    case Shape::Cluster:
        return RedisShape::Cluster;
    default:
        return RedisShape::Single;
    }
}

} // namespace

RedisService::RedisService(Grounds grounds, const Settings& settings, std::uint64_t seed,
                           inspect::TraceFeed::Resolver owner)
    : m_grounds(grounds), m_owner(owner), m_settings(settings), m_recorder(grounds.recorder) {
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
    for (const auto& server : m_redis) {
        server->onRole = [this](RedisServer& changed) { roleChanged(changed); };
    }
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

void RedisService::tellRoles() {
    for (const auto& server : m_redis)
        tellRole(*server);
}

void RedisService::makeCluster() {
    // Several masters, each for its slots: a lock has a record of its own, which its slot's owner decides.
    m_record->decidedBy({});
    std::vector<RedisServer*> all;
    for (const auto& server : m_redis)
        all.push_back(server.get());
    for (RedisServer* const server : all)
        server->cluster().meet(all, (all.size() + 1) / 2);
    for (RedisServer* const server : all) {
        server->onRole = [this](RedisServer& changed) { roleChanged(changed); };
        server->cluster().onMap = [this] { chooseOwners(); };
        tellRole(*server);
    }
}

void RedisService::roleChanged(RedisServer& server) {
    if (m_settings.shape == RedisShape::Cluster) {
        chooseOwners();
    } else {
        if (!server.isReplica() && !m_reigns.contains(&server)) m_reigns[&server] = ++m_lastReign;
        if (server.isReplica()) m_reigns.erase(&server);
        chooseDecider();
    }
    tellRole(server);
}

void RedisService::chooseOwners() {
    for (auto& [name, lock] : m_slotRecords) {
        RedisServer* owner = nullptr;
        for (const auto& server : m_redis) {
            if (!server->cluster().owns(lock.slot)) continue;
            if (!owner || server->cluster().configEpoch() > owner->cluster().configEpoch()) owner = server.get();
        }
        // While it is dead, nobody decides: not the one before it either, which may not have heard of it yet.
        if (owner && owner->life() == Server::Life::Dead) owner = nullptr;
        if (owner == lock.decider) continue;
        lock.decider = owner;
        watchCopies(name, lock);
        lock.record->decidedBy(owner ? std::vector{owner} : std::vector<RedisServer*>());
    }
    if (!m_slotRecords.empty()) m_decider = m_slotRecords.begin()->second.decider;
}

void RedisService::watchCopies(const QByteArray& lockName, const SlotRecord& lock) {
    // Servers of other slots never have the lock.
    for (std::size_t i = 0; i < m_redis.size() && lock.decider && !lock.keys.empty(); ++i) {
        RedisServer& server = *m_redis[i];
        const bool concerned =
            &server == lock.decider || (server.isReplica() && server.replication().master() == lock.decider);
        if (concerned) m_copies[i]->watch(lockName, lock.keys, lock.strings);
    }
}

RedisRecord& RedisService::recordOf(const QByteArray& lockName, const std::vector<QByteArray>& keys) {
    if (m_settings.shape != RedisShape::Cluster) return *m_record;
    SlotRecord& lock = m_slotRecords[lockName];
    if (!lock.record) {
        lock.record = std::make_unique<RedisRecord>(m_grounds.scheduler, m_grounds.recorder, trace::kNoEntity, m_owner);
        lock.slot = redis::keySlot(keys.front());
        chooseOwners();
    }
    return *lock.record;
}

RedisService::~RedisService() = default;

RedisService::Settings RedisService::Settings::of(const ServicePlan& plan) {
    Settings settings;
    settings.ids.clear();
    for (const scenario::NodeSpec& node : plan.nodes) {
        auto& ids = node.kind == QLatin1String("sentinel") ? settings.sentinelIds : settings.ids;
        ids.push_back(node.id.toUtf8());
    }
    const scenario::ServiceSpec& service = plan.spec;
    settings.shape = shapeOf(plan);
    settings.persistence = service.persistence;
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
        if (reign == m_reigns.end()) continue;
        if (!latest || reign->second > m_reigns.at(latest)) latest = server.get();
    }
    // Clients are told of the one that was promoted last. While it is dead, an older one that has not heard of its
    // successor yet still calls itself a master, but is named to nobody.
    return latest && latest->life() != Server::Life::Dead ? latest : nullptr;
}

void RedisService::tellRole(RedisServer& server) {
    if (server.life() == Server::Life::Dead) return;
    const bool replica = server.isReplica();
    // From the beginning on replicas have their master's data: the first link is as good as there.
    const bool begins = !m_roles.contains(&server);
    const bool copies = replica && (begins || server.replication().linkUp());
    const std::pair<QByteArray, trace::EntityId> role(
        replica ? "replica" : "master", copies ? server.replication().master()->entity() : trace::kNoEntity);
    if (!begins && m_roles[&server] == role) return;
    m_roles[&server] = role;
    m_recorder.emit(trace::EventKind::NodeRole, server.entity(), role.second, 0, m_recorder.trace().text(role.first),
                    copies ? 0 : trace::kCopiesNobody);
}

void RedisService::setDecides(bool decides) {
    m_record->setDecides(decides);
    for (auto& [name, lock] : m_slotRecords)
        lock.record->setDecides(decides);
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

void RedisService::watch(const QByteArray& lockName, const QByteArray& recipe) {
    const std::vector<QByteArray> keys = recipes::lockKeys(recipe, lockName);
    const recipes::RecipeInfo* const info = recipes::findRecipe(recipe);
    const Strings strings = info && info->permits ? Strings::CountPermits : Strings::AreLocks;
    if (m_settings.shape == RedisShape::Cluster) {
        recordOf(lockName, keys);
        SlotRecord& lock = m_slotRecords.at(lockName);
        lock.keys = keys;
        lock.strings = strings;
        watchCopies(lockName, lock);
    } else {
        for (const auto& copy : m_copies)
            copy->watch(lockName, keys, strings);
    }
    recordOf(lockName, keys).watch(lockName, keys, strings);
}

std::vector<QByteArray> RedisService::keysOf(const QByteArray& lockName) const {
    const auto clustered = m_slotRecords.find(lockName);
    const RedisRecord& record = clustered == m_slotRecords.end() ? *m_record : *clustered->second.record;
    return record.keysOf(lockName);
}

std::expected<void, QString> RedisService::canDrop(const Server& server) const {
    const auto no = [&server](const char* why) {
        return std::unexpected(QCoreApplication::translate("Faults", why).arg(QString::fromUtf8(server.id())));
    };
    const RedisServer* const redis = byId(server.id());
    if (!redis) return no(QT_TRANSLATE_NOOP("Faults", "%1 is a Sentinel: it keeps no locks."));
    if (redis->isReplica())
        return no(QT_TRANSLATE_NOOP("Faults", "%1 is a replica: it drops only the data that its master drops."));
    return {};
}

void RedisService::evict(Server& server, const QByteArray& lockName) {
    for (const QByteArray& key : keysOf(lockName))
        byId(server.id())->evict(key);
}

void RedisService::flush(Server& server) {
    byId(server.id())->command({"FLUSHALL"});
}

void RedisService::forceRelease(const QByteArray& lockName) {
    for (const QByteArray& key : keysOf(lockName)) {
        for (const auto& server : m_redis)
            if (!server->isReplica()) server->command({"DEL", key});
    }
}

std::expected<void, QString> RedisService::failOver(const Server& master) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("Faults", text); };
    using Shape = scenario::ServiceSpec::Shape;
    scenario::ServiceSpec service;
    service.shape = m_settings.shape == RedisShape::Cluster ? Shape::Cluster : Shape::Single;
    service.sentinels = int(m_sentinels.size());
    const QString refusal = scenario::failoverRefusal(service, QString::fromUtf8(master.id()));
    if (!refusal.isEmpty()) return std::unexpected(refusal);
    if (&master != m_decider)
        return std::unexpected(
            tr(QT_TRANSLATE_NOOP("Faults", "%1 is not the master.")).arg(QString::fromUtf8(master.id())));
    for (const auto& sentinel : m_sentinels) {
        const std::optional<redis::Reply> reply = sentinel->failOver();
        if (!reply) continue;
        if (reply->type != redis::Reply::Type::Error) return {};
        return std::unexpected(tr(QT_TRANSLATE_NOOP("Faults", "%1 refuses: %2"))
                                   .arg(QString::fromUtf8(sentinel->id()), QString::fromUtf8(reply->text)));
    }
    return std::unexpected(tr(QT_TRANSLATE_NOOP("Faults", "No Sentinel runs.")));
}

std::uint64_t RedisService::steps() const {
    std::uint64_t steps = 0;
    for (const auto& server : m_redis)
        steps += server->steps();
    for (const auto& sentinel : m_sentinels)
        steps += sentinel->steps();
    return steps;
}

Diallers RedisService::diallers(const ClientEnd& client) const {
    Diallers diallers;
    diallers.redis = [this, client](Runtime& runtime, const ConnectionUrl& url, const redis::DriverOptions& options) {
        Q_ASSERT(!url.endpoints.empty());
        const Endpoint& address = url.endpoints.front();
        // One server alone is reached by a wire without heartbeats, whose requests give up after a second.
        const bool alone = m_settings.shape == RedisShape::Single;
        const RedisWire::Settings settings =
            alone ? RedisWire::Settings() : RedisWire::settingsOf(redis::optionsOf(url, options));
        return std::make_unique<RedisWire>(m_grounds, at(address), runtime, client, address.display(), settings);
    };
    return diallers;
}

RespServer* RedisService::at(const Endpoint& endpoint) const {
    if (endpoint.port == RedisServer::kPort) return byId(endpoint.host.toUtf8());
    for (const auto& sentinel : m_sentinels)
        if (endpoint == Endpoint{QString::fromUtf8(sentinel->id()), SentinelServer::kPort}) return sentinel.get();
    return nullptr;
}

} // namespace lockscope::sim
