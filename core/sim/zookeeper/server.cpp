// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/server.h"

#include "sim/seeds.h"

namespace lockscope::sim {

namespace {
/// How often a leader that was paused for too long notices at once that its followers have left, in a hundred.
constexpr std::uint64_t kNoticesAtOnce = 40;
} // namespace

ZkServer::ZkServer(Grounds grounds, const QByteArray& id, int number, std::uint64_t seed, const ZkSettings& settings)
    : Server(grounds, id),
      m_number(number),
      m_settings(settings),
      m_random(seed),
      m_clockPhase(draw(Nanos(0), settings.tick)),
      m_preparer(settings.extendedTypes),
      m_expiry(settings.tick) {
}

ZkServer::~ZkServer() = default;

Nanos ZkServer::draw(Nanos low, Nanos high) {
    return low + Nanos(std::int64_t(m_random() % (std::uint64_t((high - low).count()) + 1)));
}

void ZkServer::inThisRole(Nanos delay, Work work) {
    after(delay, [this, reign = m_reign, work = std::move(work)] {
        if (reign == m_reign) work();
    });
}

void ZkServer::meet(const std::vector<ZkServer*>& all) {
    m_all = all;
    m_election = std::make_unique<ZkElection>(m_number, quorum());
}

void ZkServer::leadFromTheStart() {
    const ZkVote vote{0, 0, m_number};
    for (ZkServer* const server : m_all) {
        server->m_epoch = server->m_acceptedEpoch = 1;
        server->m_election->settle(1, vote);
        if (server != this) server->become(ZkRole::Following);
    }
    become(ZkRole::Leading);
    m_accepts = true;
    m_acceptedEpoch = 0; // beginEpoch() raises it
    m_epoch = 0;
    for (ZkServer* const server : m_all) {
        if (server == this) continue;
        server->m_leaderNumber = m_number;
        server->m_leader = std::make_shared<Peering>(grounds(), *this, *server);
        m_followers[server->m_number] = {server->m_leader, now(), 0, true, true};
    }
    beginEpoch();
    startServing();
    for (ZkServer* const server : m_all) {
        if (server == this) continue;
        server->m_state = m_state;
        server->m_heardLeader = now();
        server->watchLeader();
        server->serve(true);
    }
}

void ZkServer::become(ZkRole role) {
    ++m_reign;
    m_role = role;
    m_finalising = false;
    m_followers.clear();
    m_accepts = m_begun = false;
    m_checksQuorum = true;
    m_owners.clear();
    m_syncs.clear();
    m_leader.reset();
    m_touched.clear();
    serve(false);
}

void ZkServer::serve(bool serves) {
    const bool changed = std::exchange(m_serves, serves) != serves;
    if (!serves && life() != Life::Dead) dropAll(ZkSocket::Farewell::Told);
    if (changed && onRole) onRole(*this);
}

void ZkServer::resumed() {
    if (onStanding) onStanding(*this);
    if (m_role == ZkRole::Following && now() - m_heardLeader >= m_settings.silence()) {
        part(); // the connection to the leader has ended meanwhile, which it sees first
        return;
    }
    if (m_role != ZkRole::Leading || m_all.size() == 1) return;
    // A race of its threads: it may answer what lies in its sockets until it looks for its followers half a tick later.
    m_checksQuorum = false;
    std::size_t there = 1;
    for (const auto& [number, follower] : m_followers)
        there += now() - follower.heard < m_settings.silence() ? 1 : 0;
    if (there < quorum() && m_random() % 100 < kNoticesAtOnce) lookForLeader();
}

void ZkServer::died(Death death) {
    const bool told = death == Death::Killed;
    dropAll(told ? ZkSocket::Farewell::Told : ZkSocket::Farewell::Silent);
    if (told && m_leader) m_leader->up.write([peer = m_leader] { peer->leader.lost(peer); });
    for (const auto& [number, follower] : m_followers) {
        if (!told) break;
        follower.peer->down.write([peer = follower.peer] {
            peer->follower.heardLeader(peer, [&follower = peer->follower] { follower.part(); });
        });
    }
    become(ZkRole::Looking);
    if (onRole) onRole(*this);
}

void ZkServer::booted(Disk disk) {
    if (disk == Disk::Empty) {
        m_state = ZkState();
        m_log.clear();
        m_epoch = m_acceptedEpoch = 0;
        if (onReplaced) onReplaced(*this);
    }
    lookForLeader();
    if (onRole) onRole(*this);
}

void ZkServer::finish(ZkTxn txn) {
    ++m_steps;
    m_state.apply(txn, [this](const ZkEvent& event, ZkTree::Concerns watches, const ZkAcl& acl) {
        tellWatchers(event, watches, acl);
    });
    answerTo(txn);
    if (txn.kind == ZkTxn::Kind::EndSession) {
        if (const auto own = m_bySession.find(txn.session); own != m_bySession.end()) drop(own->second);
        if (m_role == ZkRole::Leading) m_expiry.remove(txn.session);
        m_owners.erase(txn.session);
    }
    if (onTransaction) onTransaction(*this, txn);
}

void ZkServer::presetCreations(const QByteArray& path, std::int32_t count) {
    Q_ASSERT(m_all.size() == 1);
    m_state.tree.setCreations(path, count);
    m_preparer.begin(m_state);
}

bool ZkServer::command(const ZkRequest& request) {
    if (m_role != ZkRole::Leading || !m_serves || life() == Life::Dead) return false;
    arrive([this, request] {
        if (m_role != ZkRole::Leading || !m_serves) return;
        // An operator's own session is not worth one here; access lists do not stop a superuser.
        ZkTxn txn = m_preparer.command(request, ++m_zxid, wallMs());
        propose(std::move(txn));
    });
    return true;
}

} // namespace lockscope::sim
