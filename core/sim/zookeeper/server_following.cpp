// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/server.h"

namespace lockscope::sim {

namespace {
constexpr Nanos kBetweenTries = 100ms;
/// A leader that does not take it in is given up after so long.
constexpr Nanos kPatience = 5s;
} // namespace

void ZkServer::follow(int leader) {
    become(ZkRole::Following);
    m_leaderNumber = leader;
    inThisRole(kPatience, [this] {
        if (!m_serves) lookForLeader();
    });
    join();
}

void ZkServer::join() {
    ZkServer& leader = *m_all[std::size_t(m_leaderNumber - 1)];
    inThisRole(m_leader ? kBetweenTries : Nanos(0), [this, &leader] {
        m_leader = std::make_shared<Peering>(grounds(), leader, *this);
        m_heardLeader = now();
        m_leader->up.write([peer = m_leader, accepted = m_acceptedEpoch] { peer->leader.joined(peer, accepted); });
    });
}

void ZkServer::synchronise(const Peer& peer, const ZkState& state, const std::deque<Logged>& log, std::int64_t epoch) {
    m_state = state;
    m_log = log;
    m_epoch = m_acceptedEpoch = epoch;
    m_appliesAt = now();
    if (onReplaced) onReplaced(*this);
    watchLeader();
    onDisk([peer] { peer->up.write([peer] { peer->leader.acknowledged(peer, 0); }); });
    for (const Logged& logged : m_log)
        onDisk([peer, zxid = logged.txn.zxid] {
            peer->up.write([peer, zxid] { peer->leader.acknowledged(peer, zxid); });
        });
}

void ZkServer::upToDate(ZkTransaction zxid) {
    if (m_serves) return;
    inThisRole(std::max(m_appliesAt - now(), Nanos(0)), [this, zxid] {
        m_state.zxid = std::max(m_state.zxid, zxid); // the new epoch has begun, though nothing has been done in it
        serve(true);
    });
}

void ZkServer::watchLeader() {
    const Nanos left = m_heardLeader + m_settings.silence() - now();
    if (left <= Nanos(0)) return part();
    inThisRole(left, [this] { watchLeader(); });
}

void ZkServer::committed(ZkTransaction zxid) {
    // In their order, each a little later: a follower lags.
    m_appliesAt = std::max(m_appliesAt, now() + draw(Nanos(0), m_settings.lag));
    inThisRole(m_appliesAt - now(), [this, zxid] {
        if (m_log.empty() || m_log.front().txn.zxid != zxid) return;
        ZkTxn txn = std::move(m_log.front().txn);
        m_log.pop_front();
        finish(std::move(txn));
    });
}

void ZkServer::caughtUp(const ZkOrigin& origin) {
    inThisRole(std::max(m_appliesAt - now(), Nanos(0)), [this, origin] { synced(origin); });
}

void ZkServer::part() {
    if (m_leader) {
        m_leader->down.drop();
        m_leader->up.write([peer = m_leader] { peer->leader.lost(peer); });
    }
    lookForLeader();
}

} // namespace lockscope::sim
