// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/service.h"

#include "scenario/failover_refusal.h"
#include "sim/seeds.h"
#include "sim/zookeeper/wire.h"

namespace lockscope::sim {

ZkService::Settings ZkService::Settings::of(const ServicePlan& plan) {
    Settings settings;
    settings.ids.clear();
    for (const scenario::NodeSpec& node : plan.nodes)
        settings.ids.push_back(node.id.toUtf8());
    settings.ensemble.tick = plan.spec.tick;
    settings.session = sessionOf(plan.spec, plan.scenario.lock.lease);
    settings.engine = plan.scenario.manager.has_value();
    return settings;
}

Nanos ZkService::Settings::sessionOf(const scenario::ServiceSpec& spec, Nanos lease) {
    const ZkSettings ensemble;
    const Nanos wanted = spec.session > Nanos(0) ? spec.session : lease;
    return std::clamp(wanted, ensemble.shortest * spec.tick, ensemble.longest * spec.tick);
}

Nanos ZkService::Settings::longestHold(const scenario::ServiceSpec& spec, Nanos lease) {
    constexpr Nanos kElection = 2s;
    constexpr int kBuckets = 2; // a session ends at the end of its bucket, and followers tell of touches later
    ZkSettings ensemble;
    ensemble.tick = spec.tick;
    const Nanos untilMissed = spec.nodes > 1 ? ensemble.silence() + kElection : Nanos(0);
    return sessionOf(spec, lease) + kBuckets * spec.tick + untilMissed;
}

ZkService::ZkService(Grounds grounds, const Settings& settings, std::uint64_t seed, inspect::TraceFeed::Resolver owner)
    : m_grounds(grounds), m_session(settings.session) {
    std::vector<ZkServer*> all;
    for (std::size_t i = 0; i < settings.ids.size(); ++i) {
        m_servers.push_back(
            std::make_unique<ZkServer>(grounds, settings.ids[i], int(i) + 1, mixSeed(seed, i), settings.ensemble));
        all.push_back(m_servers.back().get());
    }
    const auto threadOf = [this](ZkSessionId session) {
        const auto known = m_threads.find(session);
        return known == m_threads.end() ? trace::kNoEntity : known->second;
    };
    // A lock of several servers is one lock, which belongs to none of them.
    const bool alone = all.size() == 1;
    const trace::EntityId parent = alone && !settings.engine ? all.front()->entity() : trace::kNoEntity;
    m_record = std::make_unique<ZkRecord>(grounds.scheduler, grounds.recorder, parent, owner, threadOf);
    if (!alone && !settings.engine) m_record->quorumDecides();
    for (ZkServer* const server : all) {
        server->meet(all);
        server->onRole = [this](ZkServer& changed) {
            // Most servers have lost what was carried out, and count anew.
            if (changed.role() == ZkRole::Leading) m_recorded = std::min(m_recorded, changed.newest());
            tellRole(changed);
            tellWhatIsKnown(changed);
        };
        server->onStanding = [this](const ZkServer&) { tellWhetherItAnswers(); };
        server->onTransaction = [this](ZkServer& where, const ZkTxn& txn) { carriedOut(where, txn); };
        server->onWelcome = [this](ZkSessionId session, trace::EntityId client) {
            m_threads[session] = m_grounds.recorder.trace().intern(trace::EntityKind::Thread, "1", client);
        };
        if (alone) {
            server->onReplaced = [this](ZkServer& where) { m_record->replaced(where.state()); };
            continue;
        }
        m_copies.push_back(
            std::make_unique<ZkRecord>(grounds.scheduler, grounds.recorder, server->entity(), owner, threadOf));
        m_copies.back()->copies(*m_record);
        server->onReplaced = [this](ZkServer& where) { copyOf(where)->replaced(where.state()); };
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
    if (server.life() == Server::Life::Dead) {
        m_roles.erase(&server);
        return;
    }
    const QByteArray role = !server.serves() ? "looking" : server.role() == ZkRole::Leading ? "leader" : "follower";
    if (std::exchange(m_roles[&server], role) == role) return;
    m_grounds.recorder.emit(trace::EventKind::NodeRole, server.entity(), trace::kNoEntity, 0,
                            m_grounds.recorder.trace().text(role));
}

void ZkService::tellWhatIsKnown(const ZkServer& server) {
    if (ZkRecord* const copy = copyOf(server))
        copy->setKnown(server.life() != Server::Life::Dead ? &server.state() : nullptr);
    // Without a leader that most servers follow, no session ends and no node is made or removed: a follower that still
    // answers reads tells of its own copy only. Before the first leader there is nothing to tell.
    const ZkServer* const deciding = decidingLeader();
    m_everDecided = m_everDecided || deciding;
    if (m_everDecided) m_record->setKnown(deciding ? &deciding->state() : nullptr);
    tellWhetherItAnswers();
}

void ZkService::tellWhetherItAnswers() {
    const ZkServer* const deciding = decidingLeader();
    if (!deciding) return;
    const auto running = std::ranges::count_if(m_servers, [deciding](const auto& server) {
        const bool follows = server->role() == ZkRole::Following && server->leaderNumber() == deciding->number();
        return server->life() == Server::Life::Running && server->serves() && (server.get() == deciding || follows);
    });
    m_record->setAnswers(deciding->life() == Server::Life::Running && 2 * std::size_t(running) > m_servers.size());
}

const ZkServer* ZkService::decidingLeader() const {
    const ZkServer* const leading = leader();
    if (!leading) return nullptr;
    const auto together = std::ranges::count_if(m_servers, [leading](const auto& server) {
        return server.get() == leading ||
               (server->role() == ZkRole::Following && server->serves() && server->leaderNumber() == leading->number());
    });
    return 2 * std::size_t(together) > m_servers.size() ? leading : nullptr;
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
    const QString all = QStringLiteral("zookeeper://") + addresses.join(u',');
    return m_session == Nanos(0) ? all : all + QStringLiteral("?session=") + formatDuration(m_session);
}

ZkRecord* ZkService::copyOf(const ZkServer& server) const {
    return m_copies.empty() ? nullptr : m_copies[std::size_t(server.number() - 1)].get();
}

void ZkService::carriedOut(const ZkServer& server, const ZkTxn& txn) {
    // A transaction that a leader has carried out is in most servers' logs, so every later leader's history has it.
    if (server.role() == ZkRole::Leading && txn.zxid > m_recorded) {
        m_recorded = txn.zxid;
        m_record->carriedOut(server.state(), txn);
    }
    if (ZkRecord* const copy = copyOf(server)) copy->carriedOut(server.state(), txn);
}

void ZkService::watch(const QByteArray& lockName, const QByteArray&) {
    for (const auto& copy : m_copies)
        copy->watch(lockName);
    m_record->watch(lockName);
}

/// All ephemeral nodes at and below that path: what a holder or waiter has there.
void ZkService::remove(ZkServer& leading, const QByteArray& path) {
    const ZkNode* const node = leading.state().tree.find(path);
    if (!node) return;
    const std::set<QByteArray> children = node->children;
    const bool ephemeral = node->kind == ZkNodeKind::Ephemeral;
    for (const QByteArray& child : children)
        remove(leading, zookeeper::childOf(path, child));
    if (!ephemeral) return;
    ZkRequest request;
    request.kind = ZkRequest::Kind::Remove;
    request.ops.emplace_back();
    request.ops.front().kind = zookeeper::Op::Kind::Remove;
    request.ops.front().path = path;
    leading.command(request);
}

void ZkService::setDecides(bool decides) {
    m_record->setDecides(decides);
}

std::expected<void, QString> ZkService::failOver(const Server& master) {
    return std::unexpected(
        scenario::failoverRefusal({.kind = QStringLiteral("zookeeper")}, QString::fromUtf8(master.id())));
}

void ZkService::forceRelease(const QByteArray& lockName) {
    ZkServer* const leading = leader();
    if (leading) remove(*leading, '/' + lockName);
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

Diallers ZkService::diallers(const ClientEnd& end) const {
    Diallers diallers;
    diallers.zookeeper = [this, client = end.client](Runtime& runtime, const ConnectionUrl& url,
                                                     const zookeeper::DriverOptions& options) {
        return std::make_unique<ZkWire>(
            m_grounds, [this](const Endpoint& endpoint) { return at(endpoint); }, runtime, client, url, options);
    };
    return diallers;
}

} // namespace lockscope::sim
