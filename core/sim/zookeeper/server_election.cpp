// SPDX-License-Identifier: Apache-2.0
#include "sim/peer_message.h"
#include "sim/zookeeper/server.h"

namespace lockscope::sim {

namespace {
/// Once most servers agree, a server waits for a better vote for so long.
constexpr Nanos kFinalises = 200ms;
constexpr Nanos kFirstRepeat = 200ms, kLongestRepeat = 1s;
} // namespace

void ZkServer::lookForLeader() {
    become(ZkRole::Looking);
    if (m_all.size() == 1) {
        become(ZkRole::Leading);
        m_accepts = true;
        beginEpoch();
        startServing();
        return;
    }
    m_election->begin({m_epoch, newest(), m_number});
    writeVote();
    broadcast();
    repeatVote(m_reign, kFirstRepeat);
}

void ZkServer::tell(ZkServer& other) {
    Network& network = grounds().network;
    Network::Link& link = network.between(entity(), other.entity());
    // Votes are sent again and again, so that one that is lost does not matter.
    const auto arrival = network.carry(link, link.wayFrom(entity()));
    tellMessage(grounds(), entity(), other.entity(), arrival, "vote");
    if (!arrival) return;
    const ZkNotification notification{m_number, m_election->vote(), m_election->round(), m_role};
    grounds().scheduler.at(
        *arrival, [&other, notification] { other.arrive([&other, notification] { other.hear(notification); }); });
}

void ZkServer::writeVote() {
    const ZkServer& candidate = *m_all[std::size_t(m_election->vote().server - 1)];
    grounds().recorder.emit(trace::EventKind::VoteCast, entity(), candidate.entity(),
                            std::int64_t(m_election->round()));
}

void ZkServer::broadcast() {
    for (ZkServer* const other : m_all)
        if (other != this) tell(*other);
}

void ZkServer::repeatVote(std::uint64_t reign, Nanos pause) {
    after(pause, [this, reign, pause] {
        if (reign != m_reign || m_role != ZkRole::Looking) return;
        broadcast();
        repeatVote(reign, std::min(2 * pause, kLongestRepeat));
    });
}

void ZkServer::hear(const ZkNotification& notification) {
    ZkServer& sender = *m_all[std::size_t(notification.from - 1)];
    if (m_role != ZkRole::Looking) {
        if (notification.role == ZkRole::Looking) tell(sender);
        return;
    }
    const ZkElection::Heard heard = m_election->hear(notification);
    if (heard.answer) tell(sender);
    if (heard.changed) {
        writeVote();
        broadcast();
    }
    if (heard.join) return decide();
    considerVotes();
}

void ZkServer::considerVotes() {
    if (m_finalising || !m_election->agreed()) return;
    m_finalising = true;
    inThisRole(kFinalises, [this, vote = m_election->vote(), round = m_election->round()] {
        m_finalising = false;
        const bool same = vote == m_election->vote() && round == m_election->round();
        if (same && m_election->agreed()) return decide();
        considerVotes();
    });
}

void ZkServer::decide() {
    const int leader = m_election->vote().server;
    if (leader == m_number)
        lead();
    else
        follow(leader);
}

} // namespace lockscope::sim
