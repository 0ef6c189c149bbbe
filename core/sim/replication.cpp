// SPDX-License-Identifier: Apache-2.0
// The code that both sides of replication share, and the master's side. (The replica's side is in
// replication_replica.cpp.)
#include "sim/replication.h"

#include "sim/probe.h"
#include "sim/redis_server.h"

#include <algorithm>

namespace lockscope::sim {

namespace {
constexpr Nanos kLagPeriod = 250ms; ///< how often a replica that is behind is looked at
}

Replication::Replication(RedisServer& self, Grounds grounds, ReplicationSettings settings, std::uint64_t seed)
    : m_self(self),
      m_grounds(grounds),
      m_settings(settings),
      m_random(seed),
      m_id(newId()),
      m_lag(grounds, self.entity()) {
}

QByteArray Replication::newId() {
    QByteArray id;
    while (id.size() < 40)
        id += QByteArray::number(qulonglong(m_random()), 16).rightJustified(16, '0');
    return id.left(40);
}

void Replication::feed(Effects effects) {
    if (m_following) return;
    const Block block{std::move(effects), m_grounds.scheduler.now()};
    m_offset += std::int64_t(block.effects.size());
    for (Follower& follower : m_followers) {
        if (!follower.online) continue;
        follower.stream->write(
            [replica = follower.server, link = follower.link, block] { replica->replication().take(link, block); },
            m_settings.lag, "replicate");
    }
    keep(block);
    armLag();
}

void Replication::keep(const Block& block) {
    m_backlog.push_back(block);
    while (m_backlog.size() > 1 && m_offset - m_backlogFrom > std::int64_t(m_settings.backlog)) {
        m_backlogFrom += std::int64_t(m_backlog.front().effects.size());
        m_backlog.pop_front();
    }
}

// --- how far replicas are behind: nobody asks for it, it is only told ---

bool Replication::measureLag() const {
    bool behind = false;
    for (const Follower& follower : m_followers) {
        const Replication& there = follower.server->replication();
        if (!follower.online || there.m_link != follower.link || !there.m_linkUp) continue;
        std::int64_t position = m_offset;
        auto oldest = m_backlog.rend();
        for (auto block = m_backlog.rbegin(); block != m_backlog.rend() && position > there.m_offset; ++block) {
            position -= std::int64_t(block->effects.size());
            oldest = block;
        }
        if (oldest == m_backlog.rend()) continue;
        behind = true;
        follower.server->replication().m_lag.waits(m_self.entity(), m_grounds.scheduler.now() - oldest->at);
    }
    return behind;
}

void Replication::armLag() {
    if (m_lagArmed || m_followers.empty()) return;
    m_lagArmed = true;
    m_self.later(kLagPeriod, [this] {
        m_lagArmed = false;
        if (!m_following && measureLag()) armLag();
    });
}

int Replication::acknowledged(std::int64_t offset) const {
    return int(std::ranges::count_if(
        m_followers, [offset](const Follower& follower) { return follower.online && follower.acked >= offset; }));
}

void Replication::requestAcks() {
    for (Follower& follower : m_followers) {
        if (!follower.online) continue;
        follower.stream->write(
            [replica = follower.server, link = follower.link] {
                if (replica->replication().m_link == link) replica->replication().sendAck();
            },
            m_settings.lag);
    }
}

// --- replicas come and go ---

bool Replication::canGoOn(const Position& at) const {
    const bool known = at.id == m_id || (at.id == m_secondId && at.offset <= m_secondOffset);
    return known && at.offset >= m_backlogFrom && at.offset <= m_offset;
}

Replication::Follower* Replication::follower(const RedisServer& replica, std::uint64_t link) {
    const auto found = std::ranges::find_if(
        m_followers, [&](const Follower& known) { return known.server == &replica && known.link == link; });
    return found == m_followers.end() ? nullptr : &*found;
}

void Replication::accept(RedisServer& replica, std::uint64_t link, const Position& at) {
    std::erase_if(m_followers, [&replica](const Follower& known) { return known.server == &replica; });
    const auto back = std::make_shared<Stream>(m_grounds, m_self, replica);
    if (m_following) { // a replica's replica is not simulated: it tries again
        back->write([&replica, link] { replica.replication().lost(link); });
        return;
    }
    m_followers.push_back({&replica, link, back, false, at.offset, m_grounds.scheduler.now()});
    back->write([&replica, link] {
        Replication& there = replica.replication();
        if (there.m_link != link) return;
        there.m_heard = there.m_grounds.scheduler.now();
        there.m_syncing = true;
    });
    if (!canGoOn(at)) {
        if (at.id == m_id && at.offset < m_backlogFrom) reached(Probe::BacklogTooShort);
        m_self.later(m_settings.fullSync, [this, replica = &replica, link] { sendCopy(replica, link); });
        return;
    }
    Follower& known = m_followers.back();
    known.online = true;
    if (at.offset < m_offset) reached(Probe::PartialResync);
    back->write([&replica, link, id = m_id] { replica.replication().goOn(link, id); });
    std::int64_t position = m_backlogFrom;
    for (const Block& block : m_backlog) {
        const bool missed = position >= at.offset;
        position += std::int64_t(block.effects.size());
        if (missed) back->write([&replica, link, block] { replica.replication().take(link, block); });
    }
    countGood();
}

void Replication::sendCopy(RedisServer* replica, std::uint64_t link) {
    Follower* const known = follower(*replica, link);
    if (!known || m_following) return;
    reached(Probe::FullCopy);
    known->online = true;
    known->stream->write([replica, link, data = m_self.engine().snapshot(), at = Position{m_id, m_offset}] {
        replica->replication().takeCopy(link, data, at);
    });
    countGood();
}

void Replication::acked(RedisServer& replica, std::uint64_t link, std::int64_t offset) {
    Follower* const known = follower(replica, link);
    if (!known) { // a process before this one accepted it
        Stream back(m_grounds, m_self, replica);
        back.write([&replica, link] { replica.replication().lost(link); });
        return;
    }
    known->acked = std::max(known->acked, offset);
    known->ackedAt = m_grounds.scheduler.now();
    if (onAck) onAck();
}

void Replication::forget(RedisServer& replica, std::uint64_t link) {
    std::erase_if(m_followers, [&](const Follower& known) { return known.server == &replica && known.link == link; });
    countGood();
}

void Replication::dropFollowers() {
    for (const Follower& follower : std::exchange(m_followers, {})) {
        follower.stream->write(
            [replica = follower.server, link = follower.link] { replica->replication().lost(link); });
    }
    m_good = 0;
}

void Replication::countGood() {
    const Nanos now = m_grounds.scheduler.now();
    m_good = int(std::ranges::count_if(m_followers, [&](const Follower& follower) {
        return follower.online && now - follower.ackedAt <= m_settings.minReplicasLag;
    }));
}

// --- roles ---

void Replication::lead() {
    if (!m_following) return;
    m_secondId = m_id;
    m_secondOffset = m_offset;
    m_id = newId();
    ++m_link;
    if (m_toMaster) {
        m_toMaster->write(
            [master = m_master, self = &m_self, link = m_link - 1] { master->replication().forget(*self, link); });
        m_toMaster.reset();
    }
    m_following = m_linkUp = m_syncing = false;
    m_master = nullptr;
    m_lag.forget();
    m_self.engine().setRole(RedisEngine::Role::Master);
    const auto ends = m_self.engine().nextExpiryUs();
    if (ends && *ends < m_self.clockUs()) reached(Probe::ExpiredOnReplica);
}

void Replication::tick() {
    const Nanos now = m_grounds.scheduler.now();
    if (m_following) {
        if (m_syncing && now - m_heard > m_settings.silenceLimit)
            lost(m_link);
        else if (m_linkUp)
            sendAck();
        return;
    }
    for (const Follower& follower : std::vector<Follower>(m_followers))
        if (follower.online && now - follower.ackedAt > m_settings.silenceLimit)
            forget(*follower.server, follower.link);
    for (const Follower& follower : m_followers) {
        // A PING, so that the replica hears of a master without writes. Redis sends one every ten seconds.
        follower.stream->write([replica = follower.server, link = follower.link] {
            Replication& there = replica->replication();
            if (there.m_link == link) there.m_heard = there.m_grounds.scheduler.now();
        });
    }
    countGood();
}

void Replication::died(bool machineToo) {
    if (!m_following) measureLag(); // what they have not got by now they never get
    m_lagArmed = false;
    ++m_link;
    if (m_toMaster && !machineToo)
        m_toMaster->write(
            [master = m_master, self = &m_self, link = m_link - 1] { master->replication().forget(*self, link); });
    m_toMaster.reset();
    if (!machineToo) dropFollowers();
    m_followers.clear();
    m_backlog.clear();
    m_linkUp = m_syncing = false;
    m_lag.forget();
    m_good = 0;
}

void Replication::booted(RedisServer* master, bool hasCopy) {
    m_id = hasCopy ? m_copyAt.id : newId();
    m_offset = hasCopy ? m_copyAt.offset : 0;
    m_backlogFrom = m_offset;
    m_secondId.clear();
    m_following = false;
    m_master = nullptr;
    m_linkDownSince = m_grounds.scheduler.now();
    if (master) follow(*master);
}

// --- what is told of it ---

redis::Reply Replication::role() const {
    using redis::Reply;
    std::vector<Reply> items;
    if (m_following) {
        const char* const state = m_linkUp ? "connected" : m_syncing ? "handshake" : "connect";
        items.push_back(Reply::bulk("slave"));
        items.push_back(Reply::bulk(m_master->id()));
        items.push_back(Reply::number(RedisServer::kPort));
        items.push_back(Reply::bulk(state));
        items.push_back(Reply::number(m_linkUp ? m_offset : -1));
        return Reply::array(std::move(items));
    }
    std::vector<Reply> replicas;
    for (const Follower& follower : m_followers) {
        if (!follower.online) continue;
        std::vector<Reply> one;
        one.push_back(Reply::bulk(follower.server->id()));
        one.push_back(Reply::bulk(QByteArray::number(RedisServer::kPort)));
        one.push_back(Reply::bulk(QByteArray::number(qlonglong(follower.acked))));
        replicas.push_back(Reply::array(std::move(one)));
    }
    items.push_back(Reply::bulk("master"));
    items.push_back(Reply::number(m_offset));
    items.push_back(Reply::array(std::move(replicas)));
    return Reply::array(std::move(items));
}

QByteArray Replication::info() const {
    const auto seconds = [this](Nanos since) {
        return QByteArray::number(qlonglong((m_grounds.scheduler.now() - since) / 1s));
    };
    QByteArray text = "# Replication\r\nrole:" + QByteArray(m_following ? "slave" : "master") + "\r\n";
    if (m_following) {
        text += "master_host:" + m_master->id() + "\r\nmaster_port:" + QByteArray::number(RedisServer::kPort) +
                "\r\nmaster_link_status:" + (m_linkUp ? "up" : "down") + "\r\n";
        if (!m_linkUp) text += "master_link_down_since_seconds:" + seconds(m_linkDownSince) + "\r\n";
        text += "slave_repl_offset:" + QByteArray::number(qlonglong(m_offset)) +
                "\r\nslave_priority:" + QByteArray::number(m_settings.priority) + "\r\nslave_read_only:1\r\n";
    }
    text += "connected_slaves:" + QByteArray::number(qulonglong(m_followers.size())) + "\r\n";
    int number = 0;
    for (const Follower& follower : m_followers) {
        text += "slave" + QByteArray::number(number++) + ":ip=" + follower.server->id() +
                ",port=" + QByteArray::number(RedisServer::kPort) +
                ",state=" + (follower.online ? "online" : "wait_bgsave") +
                ",offset=" + QByteArray::number(qlonglong(follower.acked)) + ",lag=" + seconds(follower.ackedAt) +
                "\r\n";
    }
    text += "master_replid:" + m_id + "\r\nmaster_repl_offset:" + QByteArray::number(qlonglong(m_offset)) + "\r\n";
    return text;
}

} // namespace lockscope::sim
