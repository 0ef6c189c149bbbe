// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/service.h"

#include "sim/seeds.h"
#include "sim/zookeeper/wire.h"

namespace lockscope::sim {

ZkService::ZkService(Grounds grounds, const Settings& settings, std::uint64_t seed) : m_grounds(grounds) {
    std::vector<ZkServer*> all;
    for (std::size_t i = 0; i < settings.ids.size(); ++i) {
        m_servers.push_back(
            std::make_unique<ZkServer>(grounds, settings.ids[i], int(i) + 1, mixSeed(seed, i), settings.ensemble));
        all.push_back(m_servers.back().get());
    }
    for (ZkServer* const server : all) {
        server->meet(all);
        server->onRole = [this](ZkServer& changed) { tellRole(changed); };
    }
    if (settings.formed) {
        all.back()->leadFromTheStart();
        return;
    }
    for (ZkServer* const server : all) {
        server->kill();
        server->start();
    }
}

ZkService::~ZkService() = default;

void ZkService::tellRole(const ZkServer& server) {
    if (server.life() == Server::Life::Dead) return;
    const QByteArray role = !server.serves() ? "looking" : server.role() == ZkRole::Leading ? "leader" : "follower";
    if (std::exchange(m_roles[&server], role) == role) return;
    m_grounds.recorder.emit(trace::EventKind::NodeRole, server.entity(), trace::kNoEntity, 0,
                            m_grounds.recorder.trace().text(role));
}

std::vector<Server*> ZkService::servers() const {
    std::vector<Server*> all;
    for (const auto& server : m_servers)
        all.push_back(server.get());
    return all;
}

ZkServer* ZkService::leader() const {
    ZkServer* newest = nullptr;
    for (const auto& server : m_servers) {
        const bool leads = server->role() == ZkRole::Leading && server->serves();
        if (leads && (!newest || server->epoch() > newest->epoch())) newest = server.get();
    }
    return newest;
}

Server* ZkService::find(const QString& target) const {
    int number = 0;
    ZkServer* const leading = leader();
    for (const auto& server : m_servers) {
        if (target.toUtf8() == server->id()) return server.get();
        const bool follows = server->role() == ZkRole::Following && server->serves();
        if (follows && target == QStringLiteral("follower[%1]").arg(number++)) return server.get();
    }
    return target == QLatin1String("leader") ? leading : nullptr;
}

QString ZkService::url() const {
    QStringList addresses;
    for (const auto& server : m_servers)
        addresses += QStringLiteral("%1:%2").arg(QString::fromUtf8(server->id())).arg(ZkServer::kPort);
    return QStringLiteral("zookeeper://") + addresses.join(u',');
}

trace::EntityId ZkService::lockEntity(const QByteArray& lockName) {
    // A lock of several servers is one lock, which belongs to none of them.
    const trace::EntityId node = m_servers.size() == 1 ? m_servers.front()->entity() : trace::kNoEntity;
    return m_grounds.recorder.trace().intern(trace::EntityKind::Lock, lockName, node);
}

void ZkService::watch(const QByteArray&, std::vector<QByteArray>) {
}

void ZkService::forceRelease(const QByteArray& lockName) {
    ZkServer* const leading = leader();
    const QByteArray path = '/' + lockName;
    const ZkNode* const node = leading ? leading->state().tree.find(path) : nullptr;
    if (!node) return;
    for (const QByteArray& child : node->children) {
        ZkRequest request;
        request.kind = ZkRequest::Kind::Remove;
        request.ops.emplace_back();
        request.ops.front().kind = zookeeper::Op::Kind::Remove;
        request.ops.front().path = zookeeper::childOf(path, child);
        leading->command(request);
    }
}

std::uint64_t ZkService::steps() const {
    std::uint64_t steps = 0;
    for (const auto& server : m_servers)
        steps += server->steps();
    return steps;
}

ZkServer* ZkService::at(const Endpoint& endpoint) const {
    for (const auto& server : m_servers)
        if (endpoint == Endpoint{QString::fromUtf8(server->id()), ZkServer::kPort}) return server.get();
    return nullptr;
}

Diallers ZkService::diallers(trace::EntityId client) const {
    Diallers diallers;
    diallers.zookeeper = [this, client](Runtime& runtime, const ConnectionUrl& url,
                                        const zookeeper::DriverOptions& options) {
        return std::make_unique<ZkWire>(
            m_grounds, [this](const Endpoint& endpoint) { return at(endpoint); }, runtime, client, url, options);
    };
    return diallers;
}

} // namespace lockscope::sim
