// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/server.h"

#include "sim/probe.h"

namespace lockscope::sim {

void ZkServer::lead() {
    become(ZkRole::Leading);
    inThisRole(draw(m_settings.leadsAfter, m_settings.atMost), [this] { m_accepts = true; });
    inThisRole(m_settings.tick * m_settings.initLimit, [this] {
        if (!m_serves) lookForLeader();
    });
}

ZkServer::Follower* ZkServer::followerOf(const Peer& peer) {
    const auto follower = m_followers.find(peer->follower.m_number);
    return follower != m_followers.end() && follower->second.peer == peer ? &follower->second : nullptr;
}

void ZkServer::joined(const Peer& peer, std::int64_t acceptedEpoch) {
    if (m_role != ZkRole::Leading || !m_accepts) {
        peer->down.write([peer] { peer->follower.heardLeader(peer, [&f = peer->follower] { f.join(); }); });
        return;
    }
    Follower& follower = m_followers[peer->follower.m_number];
    follower = {peer, now(), acceptedEpoch, false, false};
    if (m_begun)
        bringUpToDate(follower);
    else if (m_followers.size() + 1 >= quorum())
        beginEpoch();
}

void ZkServer::beginEpoch() {
    m_begun = true;
    std::int64_t greatest = m_acceptedEpoch;
    for (const auto& [number, follower] : m_followers)
        greatest = std::max(greatest, follower.acceptedEpoch);
    m_epoch = m_acceptedEpoch = greatest + 1;
    // A server alone goes on counting.
    m_zxid = m_all.size() == 1 ? newest() : m_epoch << 32;
    for (auto& [number, follower] : m_followers)
        if (!follower.synced) bringUpToDate(follower);
}

void ZkServer::bringUpToDate(Follower& follower) {
    follower.told = true;
    const Peer peer = follower.peer;
    peer->down.write([peer, state = m_state, log = m_log, epoch = m_epoch] {
        peer->follower.heardLeader(peer, [&] { peer->follower.synchronise(peer, state, log, epoch); });
    });
}

void ZkServer::acknowledged(const Peer& peer, ZkTransaction zxid) {
    Follower* const follower = followerOf(peer);
    if (!follower) return;
    follower->heard = now();
    if (zxid == 0) { // it has our state
        follower->synced = true;
        std::size_t synced = 1;
        for (const auto& [number, each] : m_followers)
            synced += each.synced ? 1 : 0;
        if (m_serves)
            letServe(peer);
        else if (synced >= quorum())
            startServing();
        return;
    }
    logged(zxid, peer->follower.m_number);
}

void ZkServer::logged(ZkTransaction zxid, int server) {
    for (Logged& one : m_log)
        if (one.txn.zxid == zxid) one.acks.insert(server);
    commit();
}

void ZkServer::letServe(const Peer& peer) {
    peer->down.write(
        [peer, zxid = m_epoch << 32] { peer->follower.heardLeader(peer, [&] { peer->follower.upToDate(zxid); }); });
}

void ZkServer::startServing() {
    // Most servers now have everything that this one had logged: it may have been acknowledged, and is carried out.
    for (Logged& logged : m_log)
        for (const ZkServer* const server : m_all)
            logged.acks.insert(server->m_number);
    commit();
    m_state.zxid = m_zxid;
    m_preparer.begin(m_state);
    for (const auto& [number, follower] : m_followers)
        if (follower.synced) letServe(follower.peer);
    // Every session gets its whole time-out anew.
    if (!m_state.sessions.empty()) reached(Probe::ZkSessionsAnew);
    m_expiry.begin(m_state.sessions, monotonic());
    serve(true);
    const Nanos first = m_expiry.nextTick(monotonic()) - monotonic();
    inThisRole(first, [this] { endSessions(); });
    inThisRole(m_settings.containerCheck, [this] { removeDue(); });
    if (m_all.size() > 1) inThisRole(m_settings.tick / 2, [this] { halfTick(); });
}

void ZkServer::processSession(const ZkOrigin& origin, ZkSessionId session, std::int64_t timeoutMs) {
    if (!m_serves) return;
    m_expiry.add(session, timeoutMs, monotonic());
    m_owners[session] = origin.server;
    ZkTxn txn = m_preparer.newSession(session, timeoutMs, ++m_zxid, wallMs());
    txn.origin = origin;
    propose(std::move(txn));
}

bool ZkServer::revalidate(int server, ZkSessionId session, std::int64_t timeoutMs) {
    if (!m_expiry.touch(session, timeoutMs, monotonic())) return false;
    m_owners[session] = server;
    return true;
}

void ZkServer::process(const ZkOrigin& origin, ZkSessionId session, const ZkRequest& request, const ZkLogins& logins) {
    if (m_role != ZkRole::Leading || !m_serves) return;
    if (request.kind == ZkRequest::Kind::Sync) return processSync(origin);
    const auto owner = m_owners.try_emplace(session, origin.server).first;
    const bool ends = request.kind == ZkRequest::Kind::EndSession;
    const bool moved = !ends && owner->second != origin.server && m_expiry.knows(session);
    if (moved) reached(Probe::ZkSessionMoved);
    ++m_zxid;
    ZkTxn txn = moved ? m_preparer.failed(ZkCode::kSessionMoved, session, m_zxid, wallMs())
                      : m_preparer.prepare(request, session, logins, m_zxid, wallMs());
    txn.origin = origin;
    propose(std::move(txn));
}

/// No question to the others: a leader that is cut off answers it as well.
void ZkServer::processSync(const ZkOrigin& origin) {
    if (m_log.empty())
        reply(origin);
    else
        m_syncs.emplace(m_log.back().txn.zxid, origin);
}

void ZkServer::reply(const ZkOrigin& origin) {
    if (origin.server == m_number) return synced(origin);
    const auto follower = m_followers.find(origin.server);
    if (follower == m_followers.end()) return;
    const Peer peer = follower->second.peer;
    peer->down.write([peer, origin] { peer->follower.heardLeader(peer, [&] { peer->follower.caughtUp(origin); }); });
}

void ZkServer::propose(ZkTxn proposed) {
    const auto txn = std::make_shared<const ZkTxn>(std::move(proposed));
    for (const auto& [number, follower] : m_followers) {
        if (!follower.told) continue;
        const Peer peer = follower.peer;
        peer->down.write(
            [peer, txn] {
                ZkServer& server = peer->follower;
                server.heardLeader(peer, [&] {
                    server.m_log.push_back({*txn, {}});
                    server.onDisk([peer, zxid = txn->zxid] {
                        peer->up.write([peer, zxid] { peer->leader.acknowledged(peer, zxid); }, Nanos(0), "ack");
                    });
                });
            },
            Nanos(0), "propose");
    }
    m_log.push_back({*txn, {}});
    // It goes to the followers and to the own disk at once: enough of them without this one will do.
    onDisk([this, reign = m_reign, zxid = txn->zxid] {
        if (reign != m_reign) return;
        logged(zxid, m_number);
        if (m_all.size() > 1 || looksWait()) return;
        std::vector<ConnectionId> all;
        for (const auto& [id, connection] : m_connections)
            if (!connection.pending.empty()) all.push_back(id);
        for (const ConnectionId id : all)
            answerDue(id);
    });
}

void ZkServer::commit() {
    while (!m_log.empty() && m_log.front().acks.size() >= quorum()) {
        ZkTxn txn = std::move(m_log.front().txn);
        m_log.pop_front();
        const ZkTransaction zxid = txn.zxid;
        for (const auto& [number, follower] : m_followers) {
            if (!follower.told) continue;
            const Peer peer = follower.peer;
            peer->down.write(
                [peer, zxid] { peer->follower.heardLeader(peer, [&] { peer->follower.committed(zxid); }); }, Nanos(0),
                "commit");
        }
        finish(std::move(txn));
        for (auto sync = m_syncs.begin(); sync != m_syncs.end() && sync->first <= zxid; sync = m_syncs.erase(sync))
            reply(sync->second);
    }
}

void ZkServer::halfTick() {
    inThisRole(m_settings.tick / 2, [this] { halfTick(); });
    const bool checks = std::exchange(m_checksQuorum, !m_checksQuorum);
    if (checks) {
        std::erase_if(m_followers,
                      [this](const auto& entry) { return now() - entry.second.heard >= m_settings.silence(); });
        std::size_t there = 1;
        for (const auto& [number, follower] : m_followers)
            there += follower.synced ? 1 : 0;
        if (there < quorum()) {
            reached(Probe::ZkQuorumLost);
            return lookForLeader();
        }
    }
    for (const auto& [number, follower] : m_followers) {
        const Peer peer = follower.peer;
        peer->down.write([peer] {
            peer->follower.heardLeader(peer, [&] {
                // The follower names the sessions heard from since, before its own work for them is done.
                peer->up.write([peer, touched = std::exchange(peer->follower.m_touched, {})] {
                    peer->leader.heardTouches(peer, touched);
                });
            });
        });
    }
}

void ZkServer::heardTouches(const Peer& peer, const std::map<ZkSessionId, std::int64_t>& touched) {
    Follower* const follower = followerOf(peer);
    if (!follower) return;
    follower->heard = now();
    for (const auto& [session, timeoutMs] : touched)
        m_expiry.touch(session, timeoutMs, monotonic());
}

void ZkServer::endSessions() {
    for (const ZkSessionId session : m_expiry.takeOver(monotonic())) {
        m_owners.erase(session);
        reached(Probe::ZkSessionEnded);
        propose(m_preparer.endSession(session, ++m_zxid, wallMs()));
    }
    const Nanos next = m_expiry.nextTick(monotonic()) - monotonic();
    inThisRole(next, [this] { endSessions(); });
}

void ZkServer::removeDue() {
    for (const QByteArray& path : m_state.tree.due(wallMs()))
        propose(m_preparer.removeDue(path, ++m_zxid, wallMs()));
    inThisRole(m_settings.containerCheck, [this] { removeDue(); });
}

void ZkServer::lost(const Peer& peer) {
    if (followerOf(peer)) m_followers.erase(peer->follower.m_number); // its next look says whether enough are left
}

} // namespace lockscope::sim
