// SPDX-License-Identifier: Apache-2.0
// Messages among cluster nodes: which node is down, which is elected, which owns which slots.
#include "sim/cluster_node.h"
#include "sim/peer_message.h"
#include "sim/probe.h"
#include "sim/redis_server.h"

#include <algorithm>

namespace lockscope::sim {

namespace {
constexpr Nanos kBeat = 100ms;
constexpr Nanos kRejoinLeast = 500ms, kRejoinMost = 5s;
} // namespace

void ClusterNode::send(int to, std::function<void(ClusterNode&)> work, const char* what) {
    RedisServer& other = *m_peers[std::size_t(to)].server;
    Network::Link& link = m_grounds.network.between(m_self.entity(), other.entity());
    const auto arrival = m_grounds.network.carry(link, link.wayFrom(m_self.entity()));
    if (what) tellMessage(m_grounds, m_self.entity(), other.entity(), arrival, what);
    if (!arrival) return;
    m_grounds.scheduler.at(
        *arrival, [&other, work = std::move(work)] { other.arrive([&other, work] { work(other.cluster()); }); });
}

int ClusterNode::votingMasters() const {
    int count = 0;
    for (std::size_t i = 0; i < m_peers.size(); ++i)
        count += isMaster(int(i)) && ownsSlots(int(i)) ? 1 : 0;
    return count;
}

ClusterNode::News ClusterNode::news() const {
    News news;
    news.from = m_me;
    news.epoch = m_epoch;
    const Peer& me = m_peers[std::size_t(m_me)];
    news.master = me.master;
    news.configEpoch = me.configEpoch;
    bool mine = false;
    for (int slot = 0; slot <= redis::kClusterSlots; ++slot) {
        const bool own = slot < redis::kClusterSlots && m_owners[std::size_t(slot)] == m_me;
        if (own != mine) news.slotsFrom.push_back(slot);
        mine = own;
    }
    for (std::size_t i = 0; i < m_peers.size(); ++i) {
        if (m_peers[i].down)
            news.down.push_back(int(i));
        else if (m_peers[i].mayBeDown)
            news.suspects.push_back(int(i));
    }
    return news;
}

void ClusterNode::tick() {
    m_self.later(kBeat, [this] { tick(); });
    const Nanos now = m_grounds.scheduler.now();
    const Nanos period = std::min<Nanos>(m_settings.nodeTimeout / 2, 1s);
    const News mine = news();
    for (std::size_t i = 0; i < m_peers.size(); ++i) {
        Peer& peer = m_peers[i];
        if (int(i) == m_me || (peer.pingedAt && now - *peer.pingedAt < period) ||
            (!peer.pingedAt && now - peer.pongAt < period))
            continue;
        if (!peer.pingedAt) peer.pingedAt = now;
        send(int(i), [mine, from = m_me](ClusterNode& there) {
            there.hear(mine);
            there.send(from, [answer = there.news()](ClusterNode& back) {
                back.hear(answer);
                back.pong(answer.from);
            });
        });
    }
    suspect();
    standForElection();
    updateState();
}

void ClusterNode::pong(int from) {
    Peer& peer = m_peers[std::size_t(from)];
    peer.pongAt = m_grounds.scheduler.now();
    peer.pingedAt.reset();
    if (peer.mayBeDown || peer.down) writeDoubt(from, trace::Doubt::None);
    peer.mayBeDown = false;
    // Alive again: a replica or a master without slots at once, a master whose slots nobody took, too.
    peer.down = false;
}

void ClusterNode::hear(const News& news) {
    m_epoch = std::max(m_epoch, news.epoch);
    Peer& peer = m_peers[std::size_t(news.from)];
    peer.configEpoch = news.configEpoch;
    peer.master = news.master;
    const Nanos now = m_grounds.scheduler.now();
    bool lostMine = false;
    for (std::size_t i = 0; i + 1 < news.slotsFrom.size(); i += 2) {
        for (int slot = news.slotsFrom[i]; slot < news.slotsFrom[i + 1]; ++slot) {
            std::int8_t& owner = m_owners[std::size_t(slot)];
            if (owner == news.from || m_importing.contains(slot)) continue;
            if (owner != kNobody && m_peers[std::size_t(owner)].configEpoch >= news.configEpoch) continue;
            const int myMaster = m_peers[std::size_t(m_me)].master;
            lostMine = lostMine || owner == m_me || (myMaster != kNobody && owner == myMaster);
            owner = std::int8_t(news.from);
            m_migrating.erase(slot);
        }
    }
    // A node follows the node that took its last slot, or its master's last slot.
    const int mine = m_peers[std::size_t(m_me)].master == kNobody ? m_me : m_peers[std::size_t(m_me)].master;
    if (lostMine && !ownsSlots(mine)) {
        if (isMaster(m_me)) reached(Probe::OldMasterFollows);
        setMaster(news.from);
    }
    if (lostMine) mapChanged();
    for (const int suspected : news.suspects)
        if (isMaster(news.from)) m_peers[std::size_t(suspected)].reports[news.from] = now;
    for (Peer& known : m_peers) {
        const int index = int(&known - m_peers.data());
        const bool still = std::ranges::find(news.suspects, index) != news.suspects.end();
        const bool failed = std::ranges::find(news.down, index) != news.down.end();
        if (!still && !failed) known.reports.erase(news.from);
        if (failed && known.mayBeDown) markDown(index, false);
    }
}

void ClusterNode::suspect() {
    const Nanos now = m_grounds.scheduler.now();
    for (std::size_t i = 0; i < m_peers.size(); ++i) {
        Peer& peer = m_peers[i];
        if (int(i) == m_me) continue;
        if (peer.pingedAt && now - *peer.pingedAt > m_settings.nodeTimeout && !peer.mayBeDown) {
            peer.mayBeDown = true;
            writeDoubt(int(i), trace::Doubt::Alone);
        }
        if (!peer.mayBeDown || peer.down) continue;
        std::erase_if(peer.reports,
                      [&](const auto& report) { return now - report.second > 2 * m_settings.nodeTimeout; });
        const int agree = int(peer.reports.size()) + (isMaster(m_me) ? 1 : 0);
        if (agree > votingMasters() / 2) markDown(int(i), true);
    }
}

void ClusterNode::markDown(int node, bool tellOthers) {
    Peer& peer = m_peers[std::size_t(node)];
    if (peer.down || node == m_me) return;
    peer.mayBeDown = peer.down = true;
    writeDoubt(node, trace::Doubt::Agreed, int(peer.reports.size()) + (isMaster(m_me) ? 1 : 0));
    if (!tellOthers) return;
    for (std::size_t i = 0; i < m_peers.size(); ++i) {
        if (int(i) == m_me || int(i) == node) continue;
        send(int(i), [node](ClusterNode& there) {
            there.markDown(node, false);
            there.updateState();
        });
    }
}

void ClusterNode::writeDoubt(int node, trace::Doubt doubt, int agree) const {
    m_grounds.recorder.emit(trace::EventKind::NodeDoubted, m_self.entity(), m_peers[std::size_t(node)].server->entity(),
                            std::int64_t(doubt), std::uint32_t(agree));
}

void ClusterNode::updateState() {
    const Nanos now = m_grounds.scheduler.now();
    bool ok = true;
    int reachable = 0;
    for (std::size_t i = 0; i < m_peers.size(); ++i) {
        const Peer& peer = m_peers[i];
        if (!isMaster(int(i)) || !ownsSlots(int(i))) continue;
        if (peer.down) ok = false; // full coverage is required
        reachable += peer.mayBeDown || peer.down ? 0 : 1;
    }
    ok = ok && reachable > votingMasters() / 2 && std::ranges::find(m_owners, std::int8_t(kNobody)) == m_owners.end();
    if (!ok) {
        const bool isolated = reachable <= votingMasters() / 2;
        if (isolated && m_ok && isMaster(m_me)) reached(Probe::MinorityRefuses);
        m_ok = false;
        // A master that was alone waits, so that the majority's news come first.
        if (isolated && isMaster(m_me))
            m_okFrom = now + std::clamp<Nanos>(m_settings.nodeTimeout, kRejoinLeast, kRejoinMost);
        return;
    }
    if (m_okFrom && now < *m_okFrom) return;
    m_okFrom.reset();
    m_ok = true;
}

// --- elections ---

void ClusterNode::standForElection() {
    const int master = m_peers[std::size_t(m_me)].master;
    if (master == kNobody || !m_peers[std::size_t(master)].down || !ownsSlots(master)) {
        m_electionAt.reset();
        return;
    }
    const Nanos now = m_grounds.scheduler.now();
    const Nanos away = now - m_self.replication().linkDownSince();
    if (!m_self.replication().linkUp() && away > 10 * m_settings.nodeTimeout + 10s) return; // its data are too old
    if (!m_electionAt) {
        int rank = 0;
        for (const Peer& peer : m_peers)
            rank += peer.master == master && !peer.down &&
                    peer.server->replication().offset() > m_self.replication().offset();
        const Nanos random(std::int64_t(m_random() % 500'000'000));
        m_electionAt = now + 500ms + random + rank * Nanos(1s);
        m_electionEpoch = 0;
        return;
    }
    if (now < *m_electionAt) return;
    if (m_electionEpoch != 0) {
        if (now - *m_electionAt > 4 * m_settings.nodeTimeout) m_electionAt.reset(); // not elected: once more
        return;
    }
    askForVotes();
}

void ClusterNode::askForVotes() {
    m_electionEpoch = ++m_epoch;
    m_votes = 0;
    const Peer& failed = m_peers[std::size_t(m_peers[std::size_t(m_me)].master)];
    m_grounds.recorder.emit(trace::EventKind::FailoverStep, m_self.entity(), failed.server->entity(),
                            std::int64_t(trace::FailoverPhase::Begun));
    const std::int64_t config = m_peers[std::size_t(m_peers[std::size_t(m_me)].master)].configEpoch;
    for (std::size_t i = 0; i < m_peers.size(); ++i) {
        if (int(i) == m_me) continue;
        send(
            int(i),
            [me = m_me, epoch = m_electionEpoch, config](ClusterNode& there) { there.onVoteAsked(me, epoch, config); },
            "vote?");
    }
}

void ClusterNode::onVoteAsked(int candidate, std::int64_t epoch, std::int64_t configEpoch) {
    const bool mayVote = isMaster(m_me) && ownsSlots(m_me) && epoch > m_votedEpoch && epoch >= m_epoch;
    m_epoch = std::max(m_epoch, epoch);
    const int master = m_peers[std::size_t(candidate)].master;
    if (!mayVote || master == kNobody || !m_peers[std::size_t(master)].down ||
        m_peers[std::size_t(master)].configEpoch > configEpoch)
        return;
    m_votedEpoch = epoch;
    m_grounds.recorder.emit(trace::EventKind::VoteCast, m_self.entity(),
                            m_peers[std::size_t(candidate)].server->entity(), epoch);
    send(
        candidate, [epoch](ClusterNode& there) { there.onVote(epoch); }, "vote");
}

void ClusterNode::onVote(std::int64_t epoch) {
    if (epoch != m_electionEpoch || !m_electionAt) return;
    if (++m_votes > votingMasters() / 2) takeOver();
}

void ClusterNode::takeOver() {
    reached(Probe::ClusterPromotion);
    const int master = m_peers[std::size_t(m_me)].master;
    for (std::int8_t& owner : m_owners)
        if (owner == master) owner = std::int8_t(m_me);
    Peer& me = m_peers[std::size_t(m_me)];
    me.master = kNobody;
    me.configEpoch = m_electionEpoch;
    m_electionAt.reset();
    m_electionEpoch = 0;
    m_grounds.recorder.emit(trace::EventKind::FailoverStep, m_self.entity(), m_self.entity(),
                            std::int64_t(trace::FailoverPhase::Promoted));
    m_self.configure(nullptr);
    mapChanged();
    const News mine = news();
    for (std::size_t i = 0; i < m_peers.size(); ++i) {
        if (int(i) == m_me) continue;
        send(int(i), [mine](ClusterNode& there) {
            there.hear(mine);
            there.updateState();
        });
    }
    updateState();
}

void ClusterNode::setMaster(int master) {
    m_peers[std::size_t(m_me)].master = master;
    m_self.configure(m_peers[std::size_t(master)].server);
}

void ClusterNode::spread(const redis::Args& publish) {
    for (std::size_t i = 0; i < m_peers.size(); ++i) {
        if (int(i) == m_me) continue;
        RedisServer* const other = m_peers[i].server;
        send(int(i), [other, publish](ClusterNode&) { other->engine().apply({{0, publish}}); });
    }
}

} // namespace lockscope::sim
