// SPDX-License-Identifier: Apache-2.0
#include "sim/sql/replication.h"

#include "sim/probe.h"
#include "sim/sql/server.h"

#include <algorithm>

namespace lockscope::sim {

namespace {
/// A replica asks its primary's machine so often whether it still knows the connection.
constexpr Nanos kBeat = 1s;
/// A replica that is behind is looked at so often.
constexpr Nanos kLagPeriod = 250ms;
} // namespace

SqlReplication::SqlReplication(SqlServer& self, Grounds grounds, SqlReplicationSettings settings)
    : m_self(self),
      m_grounds(grounds),
      m_settings(settings),
      m_synchronous(settings.patience > Nanos(0)),
      m_lag(grounds, self.entity()) {
}

// --- the primary's log ---

bool SqlReplication::log(std::vector<SqlCommit::Change> changes, std::function<void()> replicated) {
    Q_ASSERT(!isReplica());
    m_log.push_back({m_reign, m_grounds.scheduler.now(), std::move(changes)});
    for (const Follower& follower : m_followers)
        if (follower.online) send(follower, m_log.back(), m_settings.lag);
    armLag();
    if (!m_synchronous) return true;
    m_waiting.push_back({m_log.size(), std::move(replicated)});
    armPatience();
    return false;
}

/// MariaDB answers after its time-out, as a success, and waits for nobody until a replica has caught up.
void SqlReplication::armPatience() {
    if (m_self.settings().engine.dialect == sql::Dialect::PostgreSql) return;
    m_self.later(m_settings.patience, [this, position = m_log.size()] {
        if (m_waiting.empty() || m_waiting.front().position > position || isReplica()) return;
        reached(Probe::SqlSemiSyncOff);
        m_synchronous = false;
        release(m_log.size());
    });
}

void SqlReplication::release(std::size_t upTo) {
    while (!m_waiting.empty() && m_waiting.front().position <= upTo) {
        const Waiting first = std::move(m_waiting.front());
        m_waiting.pop_front();
        first.replicated(); // may log the next one
    }
}

void SqlReplication::armLag() {
    if (m_lagArmed || m_followers.empty()) return;
    m_lagArmed = true;
    m_self.later(kLagPeriod, [this] {
        m_lagArmed = false;
        bool behind = false;
        for (const Follower& follower : m_followers) {
            SqlReplication& there = follower.server->replication();
            if (!follower.online || !there.m_linkUp || there.m_link != follower.link) continue;
            if (there.m_log.size() >= m_log.size()) continue;
            behind = true;
            there.m_lag.waits(m_self.entity(), m_grounds.scheduler.now() - m_log[there.m_log.size()].at);
        }
        if (behind && !isReplica()) armLag();
    });
}

// --- replicas come and go ---

SqlReplication::Follower* SqlReplication::follower(const SqlServer& replica, std::uint64_t link) {
    const auto found = std::ranges::find_if(
        m_followers, [&](const Follower& known) { return known.server == &replica && known.link == link; });
    return found == m_followers.end() ? nullptr : &*found;
}

void SqlReplication::send(const Follower& follower, const SqlCommit& commit, Nanos lag) const {
    follower.stream->write(
        [replica = follower.server, link = follower.link, commit] {
            replica->whenOnDisk([replica, link, commit] { replica->replication().take(link, commit); });
        },
        lag, "replicate");
}

void SqlReplication::accept(SqlServer& replica, std::uint64_t link, std::size_t position, std::uint64_t reign) {
    std::erase_if(m_followers, [&replica](const Follower& known) { return known.server == &replica; });
    if (isReplica()) return; // a replica's replica is not simulated: it tries again
    m_followers.push_back({&replica, link, std::make_shared<Stream>(m_grounds, m_self, replica), false, 0});
    Follower& known = m_followers.back();
    const bool common = position <= m_log.size() && (position == 0 || m_log[position - 1].reign == reign);
    if (!common) {
        m_self.later(m_settings.fullCopy, [this, server = &replica, link] { sendCopy(server, link); });
        return;
    }
    known.online = true;
    known.stream->write([server = &replica, link] { server->replication().goOn(link); });
    for (std::size_t at = position; at < m_log.size(); ++at)
        send(known, m_log[at], Nanos(0));
}

void SqlReplication::sendCopy(SqlServer* replica, std::uint64_t link) {
    Follower* const known = follower(*replica, link);
    if (!known || isReplica()) return;
    reached(Probe::SqlCopiedAnew);
    known->online = true;
    known->stream->write([replica, link, data = m_self.disk(), log = m_log] {
        replica->whenOnDisk([replica, link, data, log] { replica->replication().takeCopy(link, data, log); });
    });
}

void SqlReplication::acked(SqlServer& replica, std::uint64_t link, std::size_t position) {
    Follower* const known = follower(replica, link);
    if (!known) { // a process before this one accepted it, or this server is a replica itself now
        Stream back(m_grounds, m_self, replica);
        back.write([server = &replica, link] { server->replication().lost(link); });
        return;
    }
    if (!known->online) return; // its log is another one
    known->acked = std::max(known->acked, position);
    release(known->acked);
    if (known->acked == m_log.size()) m_synchronous = m_settings.patience > Nanos(0);
}

void SqlReplication::dropFollowers() {
    for (const Follower& follower : std::exchange(m_followers, {}))
        follower.stream->write(
            [replica = follower.server, link = follower.link] { replica->replication().lost(link); });
}

// --- the replica's side ---

void SqlReplication::beginWith(SqlServer& primary) {
    m_primary = &primary;
    connect();
}

void SqlReplication::follow(SqlServer& primary) {
    if (m_primary == &primary) return;
    if (!isReplica()) dropFollowers();
    m_waiting.clear();
    m_primary = &primary;
    setLinkUp(false);
    m_lag.forget();
    connect();
    if (onLink) onLink();
}

void SqlReplication::lead(std::uint64_t reign) {
    if (!isReplica()) return;
    ++m_link;
    m_toPrimary.reset();
    m_primary = nullptr;
    m_linkUp = false;
    m_reign = reign;
    m_synchronous = m_settings.patience > Nanos(0);
    m_lag.forget();
    if (onLink) onLink();
}

void SqlReplication::connect() {
    const std::uint64_t link = ++m_link;
    m_toPrimary = std::make_shared<Stream>(m_grounds, m_self, *m_primary);
    m_toPrimary->write([primary = m_primary, self = &m_self, link, position = m_log.size(),
                        reign = m_log.empty() ? 0 : m_log.back().reign] {
        primary->replication().accept(*self, link, position, reign);
    });
    if (!std::exchange(m_beats, true)) m_self.later(kBeat, [this] { beat(); });
}

void SqlReplication::beat() {
    m_beats = false;
    if (!isReplica()) return;
    acknowledge();
    m_beats = true;
    m_self.later(kBeat, [this] { beat(); });
}

void SqlReplication::lost(std::uint64_t link) {
    if (!isReplica() || link != m_link) return;
    setLinkUp(false);
    connect();
}

void SqlReplication::goOn(std::uint64_t link) {
    if (!isReplica() || link != m_link) return;
    setLinkUp(true);
    acknowledge();
}

void SqlReplication::takeCopy(std::uint64_t link, const SqlRows::Disk& data, const std::vector<SqlCommit>& log) {
    if (!isReplica() || link != m_link) return;
    m_log = log;
    m_self.load(data);
    setLinkUp(true);
    acknowledge();
}

void SqlReplication::take(std::uint64_t link, const SqlCommit& commit) {
    if (!isReplica() || link != m_link) return;
    m_log.push_back(commit);
    m_self.apply(commit);
    m_lag.arrived(m_primary->entity(), m_grounds.scheduler.now() - commit.at);
    acknowledge();
}

void SqlReplication::acknowledge() {
    if (!m_toPrimary) return;
    const bool news = std::exchange(m_toldPosition, m_log.size()) != m_log.size(); // else it is a heartbeat
    m_toPrimary->write([primary = m_primary, self = &m_self, link = m_link,
                        position = m_log.size()] { primary->replication().acked(*self, link, position); },
                       Nanos(0), news ? "ack" : nullptr);
}

void SqlReplication::setLinkUp(bool up) {
    if (m_linkUp == up) return;
    m_linkUp = up;
    m_lag.forget();
    if (onLink) onLink();
}

// --- life ---

void SqlReplication::died(bool machineToo, SqlRows::Disk& disk) {
    for (const Waiting& waiting : std::exchange(m_waiting, {})) // it was in the log: a restart finds it committed
        for (const SqlCommit::Change& change : m_log[waiting.position - 1].changes)
            change.applyTo(disk);
    ++m_link;
    m_toPrimary.reset();
    if (!machineToo) dropFollowers();
    m_followers.clear();
    m_linkUp = m_lagArmed = m_beats = false;
    m_lag.forget();
}

void SqlReplication::booted(SqlServer* primary, bool hasLog) {
    if (!hasLog) m_log.clear();
    m_synchronous = m_settings.patience > Nanos(0);
    if (!primary) return;
    if (!isReplica()) reached(Probe::SqlOldPrimaryFollows);
    m_primary = nullptr;
    follow(*primary);
}

} // namespace lockscope::sim
