// SPDX-License-Identifier: Apache-2.0
#include "sim/etcd/service.h"

#include "inspect/etcd/seen_keys.h"
#include "scenario/failover_refusal.h"
#include "sim/etcd/wire.h"
#include "sim/seeds.h"

#include <QCoreApplication>

namespace lockscope::sim {

namespace {
Endpoint endpointOf(const EtcdServer& server) {
    return {QString::fromUtf8(server.id()), EtcdServer::kPort};
}
} // namespace

EtcdService::Settings EtcdService::Settings::of(const ServicePlan& plan) {
    Settings settings;
    settings.ids.clear();
    for (const scenario::NodeSpec& node : plan.nodes)
        settings.ids.push_back(node.id.toUtf8());
    settings.engine = plan.scenario.manager.has_value();
    return settings;
}

Nanos EtcdService::Settings::longestHold(const scenario::ServiceSpec& spec, Nanos lease) {
    const EtcdSettings cluster;
    const auto wanted = std::chrono::ceil<std::chrono::seconds>(lease);
    const Nanos granted = std::max(wanted, std::chrono::seconds(EtcdStore::kLeastSeconds));
    const Nanos anew = granted + cluster.election() + cluster.leaseLook;
    if (spec.nodes == 1) return anew;
    const Nanos untilMissed = 2 * cluster.election();
    return granted + untilMissed + anew; // the leader was lost when the lease was nearly over
}

EtcdService::EtcdService(Grounds grounds, const Settings& settings, std::uint64_t seed,
                         inspect::TraceFeed::Resolver owner)
    : m_grounds(grounds), m_owner(std::move(owner)) {
    std::vector<EtcdServer*> all;
    const int members = int(settings.ids.size());
    for (int i = 0; i < members; ++i) {
        m_servers.push_back(std::make_unique<EtcdServer>(grounds, settings.ids[std::size_t(i)], i + 1, members,
                                                         mixSeed(seed, std::uint64_t(i)), settings.cluster));
        all.push_back(m_servers.back().get());
    }
    const auto ownerOfLease = [this](const inspect::Party& party) { return ownerOf(party); };
    const auto leading = [this] { return leader(); };
    // A lock of several members is one lock, which belongs to none of them.
    const bool alone = members == 1;
    m_record = std::make_unique<EtcdRecord>(
        grounds, alone && !settings.engine ? all.front()->entity() : trace::kNoEntity, ownerOfLease, leading);
    if (!alone && !settings.engine) m_record->quorumDecides();
    for (EtcdServer* const server : all) {
        server->meet(all);
        server->onRole = [this](EtcdServer& changed) {
            tellRole(changed);
            tellWhatIsKnown(changed);
        };
        server->onApplied = [this](EtcdServer& where, const EtcdEntry& entry) { carriedOut(where, entry); };
        server->onKept = [this](EtcdServer& where, std::int64_t lease) {
            if (leader() != &where) return; // an old one: the lease ends when the new one says
            m_record->kept(lease);
            for (std::size_t i = 0; i < m_copies.size(); ++i)
                if (leaderOf(*m_servers[i]) == &where) m_copies[i]->kept(lease); // others hear nothing of it
        };
        server->onGrant = [this](std::int64_t lease, trace::EntityId client) {
            m_threads[inspect::leaseInHex(lease)] =
                m_grounds.recorder.trace().intern(trace::EntityKind::Thread, "1", client);
        };
        if (alone) {
            server->onReplaced = [this](EtcdServer& where) { readFrom(where); };
            continue;
        }
        m_copies.push_back(std::make_unique<EtcdRecord>(grounds, server->entity(), ownerOfLease,
                                                        [this, server] { return leaderOf(*server); }));
        m_copies.back()->copies(*m_record);
        server->onReplaced = [this, copy = m_copies.back().get()](EtcdServer& where) {
            copy->replaced(where.store());
            if (m_record->isReadFrom(where.store())) readFrom(furthest());
        };
    }
    if (settings.formed) all.back()->campaign();
}

EtcdService::~EtcdService() = default;

trace::EntityId EtcdService::ownerOf(const inspect::Party& party) {
    const auto known = m_threads.find(party.client);
    if (known != m_threads.end()) return known->second;
    return m_owner(party);
}

void EtcdService::tellRole(const EtcdServer& server) {
    if (server.life() == Server::Life::Dead) {
        m_roles.erase(&server);
        return;
    }
    const QByteArray role = server.leads() ? "leader" : server.raft().leader() == 0 ? "looking" : "follower";
    if (std::exchange(m_roles[&server], role) == role) return;
    m_grounds.recorder.emit(trace::EventKind::NodeRole, server.entity(), trace::kNoEntity, 0,
                            m_grounds.recorder.trace().text(role));
}

void EtcdService::tellWhatIsKnown(const EtcdServer& server) {
    if (!m_copies.empty()) m_copies[std::size_t(server.number() - 1)]->setKnown(server.life() != Server::Life::Dead);
    // Without a leader that most members follow, no lease ends and none is renewed; the next leader gives each its
    // whole time again. Before the first one there is nothing to tell.
    const bool decided = isDecided();
    m_everDecided = m_everDecided || decided;
    // Only where too many have lost their memory does a leader lack what was agreed: it writes another history.
    const EtcdServer* const leading = decided ? leader() : nullptr;
    if (leading && leading->raft().termAt(m_recorded) != m_recordedTerm) readFrom(*leading);
    if (m_everDecided) m_record->setKnown(decided);
}

const EtcdServer& EtcdService::furthest() const {
    return **std::ranges::max_element(m_servers, {}, [](const auto& member) { return member->applied(); });
}

void EtcdService::readFrom(const EtcdServer& member) {
    m_recorded = member.applied();
    m_recordedTerm = member.raft().termAt(m_recorded);
    m_record->replaced(member.store());
}

bool EtcdService::isDecided() const {
    const EtcdServer* const leading = leader();
    if (!leading) return false;
    const auto followers = std::ranges::count_if(m_servers, [leading](const auto& member) {
        return member->life() != Server::Life::Dead && member->raft().leader() == leading->number() &&
               member->raft().term() == leading->raft().term();
    });
    return 2 * std::size_t(followers) > m_servers.size();
}

void EtcdService::carriedOut(const EtcdServer& server, const EtcdEntry& entry) {
    // An entry that any member has carried out is in most members' logs, so every later leader's history has it.
    if (server.applied() > m_recorded) {
        m_recorded = server.applied();
        m_recordedTerm = entry.term;
        m_record->carriedOut(server.store(), entry);
        if (entry.request) tellSession(entry);
    }
    if (!m_copies.empty()) m_copies[std::size_t(server.number() - 1)]->carriedOut(server.store(), entry);
}

void EtcdService::tellSession(const EtcdEntry& entry) {
    const EtcdRequest& request = *entry.request;
    trace::EntityId client = trace::kNoEntity;
    trace::SessionPhase phase = trace::SessionPhase::Connected;
    if (request.kind == EtcdRequest::Kind::Grant) {
        const auto asked = m_threads.find(inspect::leaseInHex(request.lease));
        if (asked == m_threads.end()) return; // an operator's
        client = m_clients[request.lease] = m_grounds.recorder.trace().clientOf(asked->second);
    } else if (request.kind == EtcdRequest::Kind::Revoke) {
        const auto ended = m_clients.extract(request.lease);
        const bool byCluster = entry.origin.member == 0;
        if (ended.empty() || !byCluster) return;
        client = ended.mapped();
        phase = trace::SessionPhase::Expired;
    } else {
        return;
    }
    const auto [told, isNew] = m_sessions.try_emplace(client, phase);
    if (!isNew && std::exchange(told->second, phase) == phase) return;
    m_grounds.recorder.emit(trace::EventKind::SessionChanged, client, trace::kNoEntity, std::int64_t(phase));
}

std::vector<Server*> EtcdService::servers() const {
    std::vector<Server*> all;
    for (const auto& server : m_servers)
        all.push_back(server.get());
    return all;
}

EtcdServer* EtcdService::leader() const {
    EtcdServer* newest = nullptr;
    for (const auto& server : m_servers) {
        if (server->leads() && (!newest || server->raft().term() > newest->raft().term())) newest = server.get();
    }
    return newest;
}

const EtcdServer* EtcdService::leaderOf(const EtcdServer& member) const {
    const int number = member.raft().leader();
    if (member.life() == Server::Life::Dead || number == 0) return nullptr;
    const EtcdServer* const leading = m_servers[std::size_t(number - 1)].get();
    return leading->leads() && leading->raft().term() == member.raft().term() ? leading : nullptr;
}

Server* EtcdService::find(const QString& target) const {
    int number = 0;
    EtcdServer* const leading = leader();
    for (const auto& server : m_servers) {
        if (target.toUtf8() == server->id()) return server.get();
        const bool follows = server->life() != Server::Life::Dead && !server->leads() && server->raft().leader() != 0;
        if (follows && target == QStringLiteral("follower[%1]").arg(number++)) return server.get();
    }
    return target == QLatin1String("leader") ? leading : nullptr;
}

QString EtcdService::url() const {
    QStringList addresses;
    for (const auto& server : m_servers)
        addresses += endpointOf(*server).display();
    return QStringLiteral("etcd://") + addresses.join(u',');
}

EtcdServer* EtcdService::at(const Endpoint& endpoint) const {
    for (const auto& server : m_servers)
        if (endpoint == endpointOf(*server)) return server.get();
    return nullptr;
}

void EtcdService::watch(const QByteArray& lockName, const QByteArray&) {
    for (const auto& copy : m_copies)
        copy->watch(lockName);
    m_record->watch(lockName);
}

void EtcdService::setDecides(bool decides) {
    m_record->setDecides(decides);
}

std::expected<void, QString> EtcdService::failOver(const Server& master) {
    scenario::ServiceSpec service{.kind = QStringLiteral("etcd")};
    service.nodes = int(m_servers.size());
    const QString refusal = scenario::failoverRefusal(service, QString::fromUtf8(master.id()));
    if (!refusal.isEmpty()) return std::unexpected(refusal);
    EtcdServer* const leading = leader();
    if (leading == &master && leading->handOver()) return {};
    return std::unexpected(
        QCoreApplication::translate("Faults", "%1 does not lead an etcd cluster: it has nothing to hand over.")
            .arg(QString::fromUtf8(master.id())));
}

void EtcdService::forceRelease(const QByteArray& lockName) {
    EtcdServer* const leading = leader();
    if (!leading) return;
    EtcdRequest request;
    request.kind = EtcdRequest::Kind::DeleteRange;
    request.range.key = lockName + '/';
    request.range.end = etcd::endOfPrefix(request.range.key);
    leading->command(request);
}

std::uint64_t EtcdService::steps() const {
    std::uint64_t steps = 0;
    for (const auto& server : m_servers)
        steps += server->steps();
    return steps;
}

Diallers EtcdService::diallers(const ClientEnd& end) const {
    Diallers diallers;
    diallers.etcd = [this, client = end.client](Runtime& runtime, const ConnectionUrl& url) {
        return std::make_unique<EtcdWire>(
            m_grounds, [this](const Endpoint& endpoint) { return at(endpoint); }, runtime, client, url);
    };
    return diallers;
}

} // namespace lockscope::sim
