// SPDX-License-Identifier: Apache-2.0
// The replica's side of replication.
#include "sim/probe.h"
#include "sim/redis_server.h"
#include "sim/replication.h"

namespace lockscope::sim {

namespace {
constexpr Nanos kRetry = 1s;
}

void Replication::follow(RedisServer& master) {
    if (m_following && m_master == &master) return;
    if (m_following) {
        if (m_toMaster)
            m_toMaster->write(
                [former = m_master, self = &m_self, link = m_link] { former->replication().forget(*self, link); });
    } else {
        dropFollowers();
    }
    m_toMaster.reset();
    m_following = true;
    m_master = &master;
    m_linkUp = m_syncing = false;
    m_lag.forget();
    m_linkDownSince = m_grounds.scheduler.now();
    m_self.engine().setRole(RedisEngine::Role::Replica);
    connect();
}

void Replication::connect() {
    const std::uint64_t link = ++m_link;
    m_syncing = false;
    m_heard = m_grounds.scheduler.now();
    m_toMaster = std::make_shared<Stream>(m_grounds, m_self, *m_master);
    m_toMaster->write([master = m_master, self = &m_self, link, at = Position{m_id, m_offset}] {
        master->replication().accept(*self, link, at);
    });
    // Nothing comes from a machine that is away: one that refuses is tried again a second later, as is one that does
    // not answer.
    m_self.later(kRetry, [this, link] {
        if (m_following && m_link == link && !m_syncing && !m_linkUp && m_heard + kRetry <= m_grounds.scheduler.now()) {
            m_toMaster->drop();
            connect();
        }
    });
}

void Replication::connectLater() {
    const std::uint64_t link = ++m_link;
    m_self.later(kRetry, [this, link] {
        if (m_following && m_link == link) connect();
    });
}

void Replication::lost(std::uint64_t link) {
    if (!m_following || link != m_link) return;
    const bool wasUp = m_linkUp;
    setLinkUp(false);
    if (wasUp) m_linkDownSince = m_grounds.scheduler.now();
    m_syncing = false;
    if (wasUp)
        connect(); // at once; later tries come a second apart
    else
        connectLater();
}

void Replication::goOn(std::uint64_t link, const QByteArray& id) {
    if (!m_following || link != m_link) return;
    m_heard = m_grounds.scheduler.now();
    m_id = id;
    m_syncing = true;
    setLinkUp(true);
    sendAck();
}

void Replication::takeCopy(std::uint64_t link, const RedisEngine::Data& data, const Position& at) {
    if (!m_following || link != m_link) return;
    m_heard = m_grounds.scheduler.now();
    // The replica's own writes, and those that it got from another master, are gone. Their common part ends where
    // the master's history left the one before it.
    const Replication& master = m_master->replication();
    const std::int64_t common = m_id == master.m_secondId ? master.m_secondOffset : at.offset;
    if (m_id != at.id && m_offset > common) reached(Probe::WritesDiscarded);
    m_self.engine().load(data);
    m_copy = data;
    m_copyAt = at;
    m_id = at.id;
    m_offset = at.offset;
    m_backlog.clear();
    m_backlogFrom = m_offset;
    m_syncing = true;
    setLinkUp(true);
    m_self.dataReplaced();
    sendAck();
}

void Replication::take(std::uint64_t link, const Block& block) {
    if (!m_following || link != m_link) return;
    m_heard = m_grounds.scheduler.now();
    m_self.engine().apply(block.effects);
    m_offset += std::int64_t(block.effects.size());
    keep(block); // as the master keeps it: this server may be the next one
    m_lag.arrived(m_master->entity(), m_heard - block.at);
    m_self.applied();
}

void Replication::setLinkUp(bool up) {
    if (m_linkUp == up) return;
    m_linkUp = up;
    m_lag.forget();
    if (onLink) onLink();
}

void Replication::sendAck() {
    if (!m_toMaster) return;
    const bool news = std::exchange(m_toldOffset, m_offset) != m_offset; // else it is a heartbeat
    m_toMaster->write([master = m_master, self = &m_self, link = m_link,
                       offset = m_offset] { master->replication().acked(*self, link, offset); },
                      Nanos(0), news ? "ack" : nullptr);
}

} // namespace lockscope::sim
