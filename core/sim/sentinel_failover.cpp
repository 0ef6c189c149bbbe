// SPDX-License-Identifier: Apache-2.0
// A Sentinel's acting half: votes, the steps of a failover, and the configuration that follows. Names as in sentinel.c.
#include "sim/probe.h"
#include "sim/sentinel_server.h"

#include <algorithm>

namespace lockscope::sim {

namespace {
constexpr Nanos kAskPeriod = 1s, kElectionLimit = 10s, kReconfLimit = 10s, kInfoFresh = 5s, kMaxDesync = 1s;
constexpr Nanos kSaneInfo = 20s;
} // namespace

void SentinelServer::askPeers(bool atOnce) {
    const Nanos time = now();
    for (const InstancePtr& peer : m_peers) {
        const bool old = !peer->saidAt || time - *peer->saidAt > 5 * kAskPeriod;
        if (old) {
            peer->saysDown = false;
            peer->leader.clear();
        }
        if (!m_master->down || !peer->link) continue;
        if (!atOnce && peer->saidAt && time - *peer->saidAt < kAskPeriod) continue;
        const QByteArray port = QByteArray::number(RedisServer::kPort);
        send(peer,
             {"SENTINEL", "is-master-down-by-addr", m_master->server->id(), port,
              QByteArray::number(qlonglong(m_epoch)), failingOver() ? m_runId : QByteArray("*")},
             [this, weak = std::weak_ptr(peer)](const redis::Reply& reply) {
                 const InstancePtr alive = weak.lock();
                 if (!alive || reply.items.size() != 3) return;
                 alive->saidAt = now();
                 alive->saysDown = reply.items[0].integer == 1;
                 if (reply.items[1].text == "*") return;
                 alive->leader = reply.items[1].text;
                 alive->leaderEpoch = reply.items[2].integer;
             });
    }
}

std::pair<QByteArray, std::int64_t> SentinelServer::vote(std::int64_t epoch, const QByteArray& runId) {
    if (epoch > m_epoch) {
        m_epoch = epoch;
        tell("+new-epoch", QByteArray::number(qlonglong(epoch)));
    }
    if (m_votedEpoch == epoch && m_votedFor != runId) reached(Probe::TwoCandidates);
    if (m_votedEpoch < epoch && m_epoch <= epoch) {
        m_votedFor = runId;
        m_votedEpoch = m_epoch;
        tell("+vote-for-leader", runId + ' ' + QByteArray::number(qlonglong(m_votedEpoch)));
        writeVote();
        // A Sentinel that voted for another one leaves that one the time for its failover.
        if (runId != m_runId) m_failoverStart = now() + randomUpTo(kMaxDesync);
    }
    return {m_votedFor, m_votedEpoch};
}

QByteArray SentinelServer::leader(std::int64_t epoch) {
    std::map<QByteArray, int> votes;
    for (const InstancePtr& peer : m_peers)
        if (!peer->leader.isEmpty() && peer->leaderEpoch == m_epoch) ++votes[peer->leader];
    const auto most = [&votes] {
        QByteArray winner;
        int count = 0;
        for (const auto& [runId, own] : votes) {
            if (own <= count) continue;
            winner = runId;
            count = own;
        }
        return std::pair(winner, count);
    };
    const QByteArray first = most().first;
    const auto [mine, mineEpoch] = vote(epoch, first.isEmpty() ? m_runId : first);
    if (!mine.isEmpty() && mineEpoch == epoch) ++votes[mine];
    const auto [winner, count] = most();
    const int voters = int(m_peers.size()) + 1;
    return count >= voters / 2 + 1 && count >= m_settings.quorum ? winner : QByteArray();
}

bool SentinelServer::startIfNeeded() {
    if (!m_master->agreedDown || failingOver()) return false;
    if (now() - m_failoverStart < 2 * m_settings.failoverTimeout) return false;
    beginFailover();
    return true;
}

void SentinelServer::beginFailover() {
    m_failoverEpoch = ++m_epoch;
    tell("+new-epoch", QByteArray::number(qlonglong(m_epoch)));
    tell("+try-failover", *m_master);
    m_failoverStart = now() + randomUpTo(kMaxDesync);
    setState(State::WaitStart);
}

void SentinelServer::setState(State state) {
    m_state = state;
    m_stateSince = now();
}

void SentinelServer::abort(const char* event) {
    tell(event, *m_master);
    m_state = State::None;
    m_forced = false;
    if (m_promoted) m_promoted.reset();
    for (const InstancePtr& replica : m_replicas)
        replica->reconf = Reconf::None;
}

void SentinelServer::step() {
    switch (m_state) {
    case State::None:
    case State::UpdateConfig:
        return;
    case State::WaitStart: {
        const bool elected = leader(m_failoverEpoch) == m_runId;
        if (!elected && !m_forced) {
            if (now() - m_failoverStart > std::min(kElectionLimit, m_settings.failoverTimeout)) {
                reached(Probe::NotElected);
                abort("-failover-abort-not-elected");
            }
            return;
        }
        tell("+elected-leader", *m_master);
        setState(State::SelectSlave);
        tell("+failover-state-select-slave", *m_master);
        return;
    }
    case State::SelectSlave:
        if (InstancePtr chosen = selectReplica()) {
            m_promoted = std::move(chosen);
            tell("+selected-slave", *m_promoted);
            setState(State::SendSlaveofNoone);
            tell("+failover-state-send-slaveof-noone", *m_promoted);
        } else {
            reached(Probe::NoGoodReplica);
            abort("-failover-abort-no-good-slave");
        }
        return;
    case State::SendSlaveofNoone:
        if (!m_promoted->link) {
            if (now() - m_stateSince > m_settings.failoverTimeout) abort("-failover-abort-slave-timeout");
            return;
        }
        if (!m_master->down && !m_forced) reached(Probe::AnswersAgain);
        sendSlaveOf(m_promoted, nullptr);
        setState(State::WaitPromotion);
        tell("+failover-state-wait-promotion", *m_promoted);
        return;
    case State::WaitPromotion:
        if (now() - m_stateSince > m_settings.failoverTimeout) abort("-failover-abort-slave-timeout");
        return;
    case State::ReconfSlaves:
        reconfNext();
        detectEnd();
        return;
    }
}

SentinelServer::InstancePtr SentinelServer::selectReplica() const {
    Nanos longest = 10 * m_settings.downAfter;
    if (m_master->down && m_master->downSince) longest += now() - *m_master->downSince;
    InstancePtr best;
    const auto key = [](const Instance& instance) {
        return std::tuple(instance.priority, -instance.offset, redisOf(instance).runId());
    };
    for (const InstancePtr& replica : m_replicas) {
        const bool usable = !replica->down && replica->link && now() - replica->availableAt <= 5 * kAskPeriod &&
                            replica->priority != 0 && replica->infoAt && now() - *replica->infoAt <= kInfoFresh &&
                            replica->role == Role::Replica && replica->linkDownFor <= longest;
        if (usable && (!best || key(*replica) < key(*best))) best = replica;
    }
    return best;
}

void SentinelServer::sendSlaveOf(const InstancePtr& instance, RedisServer* master) {
    // In one transaction, and all its clients are cut off: they must look for the master anew.
    const auto ignore = [](const redis::Reply&) {};
    send(instance, {"MULTI"}, ignore);
    if (master)
        send(instance, {"SLAVEOF", master->id(), QByteArray::number(RedisServer::kPort)}, ignore);
    else
        send(instance, {"SLAVEOF", "NO", "ONE"}, ignore);
    send(instance, {"CONFIG", "REWRITE"}, ignore);
    send(instance, {"CLIENT", "KILL", "TYPE", "normal"}, ignore);
    send(instance, {"CLIENT", "KILL", "TYPE", "pubsub"}, ignore);
    send(instance, {"EXEC"}, ignore);
}

void SentinelServer::reconfNext() {
    int running = int(std::ranges::count_if(m_replicas, [](const InstancePtr& replica) {
        return replica->reconf == Reconf::Sent || replica->reconf == Reconf::InProgress;
    }));
    for (const InstancePtr& replica : m_replicas) {
        if (replica == m_promoted || replica->reconf == Reconf::Done) continue;
        if (replica->reconf == Reconf::Sent && now() - replica->reconfSentAt > kReconfLimit) {
            tell("-slave-reconf-sent-timeout", *replica);
            replica->reconf = Reconf::None;
            --running;
        }
        if (replica->reconf != Reconf::None || running >= m_settings.parallelSyncs || !replica->link) continue;
        sendSlaveOf(replica, &redisOf(*m_promoted));
        replica->reconf = Reconf::Sent;
        replica->reconfSentAt = now();
        tell("+slave-reconf-sent", *replica);
        ++running;
    }
}

void SentinelServer::detectEnd() {
    if (m_promoted->down) return;
    const auto open = [this](const InstancePtr& replica) {
        return replica != m_promoted && replica->reconf != Reconf::Done;
    };
    const auto waitedFor = [&open](const InstancePtr& replica) { return open(replica) && !replica->down; };
    const bool timeout = now() - m_stateSince > m_settings.failoverTimeout;
    if (!timeout && std::ranges::any_of(m_replicas, waitedFor)) return;
    if (timeout) tell("+failover-end-for-timeout", *m_master);
    tell("+failover-end", *m_master);
    m_state = State::UpdateConfig;
    if (!timeout) return;
    for (const InstancePtr& replica : m_replicas)
        if (open(replica) && replica->reconf != Reconf::Sent) sendSlaveOf(replica, &redisOf(*m_promoted));
}

void SentinelServer::switchTo(RedisServer& master) {
    RedisServer& former = redisOf(*m_master);
    tell("+switch-master", m_settings.masterName + ' ' + addressOf(former, RedisServer::kPort) + ' ' +
                               addressOf(master, RedisServer::kPort));
    writeStep(trace::FailoverPhase::Announced, master);
    writeNoDoubts();
    // All that was known of the group is forgotten, but not who belongs to it; and the master is connected to no sooner
    // than the time between two tries allows, as Sentinel does it.
    std::vector<RedisServer*> others;
    for (const InstancePtr& replica : m_replicas)
        if (replica->server != &master) others.push_back(&redisOf(*replica));
    others.push_back(&former);
    const Nanos tried = m_master->triedAt;
    m_master = make(master, false);
    m_master->triedAt = tried;
    m_replicas.clear();
    for (RedisServer* const other : others) {
        m_replicas.push_back(make(*other, false));
        m_replicas.back()->role = Role::Replica;
        tell("+slave", *m_replicas.back());
    }
    m_state = State::None;
    m_forced = false;
    m_promoted.reset();
    m_failoverStart = -2 * m_settings.failoverTimeout;
    m_votedFor.clear();
    for (const InstancePtr& peer : m_peers) {
        peer->saysDown = false;
        peer->leader.clear();
    }
}

bool SentinelServer::masterLooksSane() const {
    return m_master->role == Role::Master && !m_master->down && !m_master->agreedDown && m_master->infoAt &&
           now() - *m_master->infoAt < kSaneInfo;
}

bool SentinelServer::notDownFor(const Instance& instance, Nanos time) const {
    return !instance.downSince || now() - *instance.downSince > time;
}

} // namespace lockscope::sim
