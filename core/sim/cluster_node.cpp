// SPDX-License-Identifier: Apache-2.0
// A cluster node's keys and map. (Who is down and who takes over is in cluster_bus.cpp.)
#include "sim/cluster_node.h"

#include "sim/probe.h"
#include "sim/redis_server.h"

#include <algorithm>

namespace lockscope::sim {

using redis::Reply;

namespace {
constexpr Nanos kWritableDelay = 2s; ///< CLUSTER_WRITABLE_DELAY

QByteArray number(std::int64_t n) {
    return QByteArray::number(qlonglong(n));
}
} // namespace

ClusterNode::ClusterNode(RedisServer& self, Grounds grounds, Settings settings, std::uint64_t seed)
    : m_self(self), m_grounds(grounds), m_settings(settings), m_random(seed) {
    m_owners.fill(kNobody);
}

void ClusterNode::meet(const std::vector<RedisServer*>& nodes, std::size_t masters) {
    const Nanos now = m_grounds.scheduler.now();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        Peer peer;
        peer.server = nodes[i];
        peer.master = i < masters ? kNobody : int((i - masters) % masters);
        peer.configEpoch = i < masters ? std::int64_t(i) + 1 : 0;
        peer.pongAt = now;
        m_peers.push_back(std::move(peer));
        if (nodes[i] == &m_self) m_me = int(i);
    }
    m_epoch = std::int64_t(masters);
    for (int slot = 0; slot < redis::kClusterSlots; ++slot)
        m_owners[std::size_t(slot)] = std::int8_t(std::size_t(slot) * masters / redis::kClusterSlots);
    if (const int master = m_peers[std::size_t(m_me)].master; master != kNobody)
        m_self.configure(nodes[std::size_t(master)]);
    m_self.later(Nanos(std::int64_t(m_random() % 100'000'000)), [this] { tick(); });
}

void ClusterNode::booted() {
    const Nanos now = m_grounds.scheduler.now();
    for (Peer& peer : m_peers) {
        peer.pongAt = now;
        peer.pingedAt.reset();
        peer.mayBeDown = peer.down = false;
        peer.reports.clear();
    }
    m_ok = false;
    m_okFrom = now + kWritableDelay;
    m_electionAt.reset();
    m_self.later(Nanos(std::int64_t(m_random() % 100'000'000)), [this] { tick(); });
}

QByteArray ClusterNode::addressOf(int node) const {
    return m_peers[std::size_t(node)].server->id() + ':' + number(RedisServer::kPort);
}

bool ClusterNode::ownsSlots(int node) const {
    return std::ranges::find(m_owners, std::int8_t(node)) != m_owners.end();
}

int ClusterNode::byId(const QByteArray& id) const {
    for (std::size_t i = 0; i < m_peers.size(); ++i)
        if (m_peers[i].server->runId() == id) return int(i);
    return kNobody;
}

QByteArray ClusterNode::elsewhere(const redis::Args& keys, bool asking, bool readOnly, bool writes) const {
    if (keys.empty()) return {};
    const int slot = redis::keySlot(keys.front());
    for (const QByteArray& key : keys)
        if (redis::keySlot(key) != slot) return "CROSSSLOT Keys in request don't hash to the same slot";
    const int owner = m_owners[std::size_t(slot)];
    if (owner == kNobody) return "CLUSTERDOWN Hash slot not served";
    if (!m_ok) return "CLUSTERDOWN The cluster is down";
    const auto missing = std::ranges::count_if(keys, [this](const QByteArray& key) { return !m_self.has(key); });
    const QByteArray again = "TRYAGAIN Multiple keys request during rehashing of slot";
    if (owner == m_me) {
        const auto to = m_migrating.find(slot);
        if (to == m_migrating.end() || missing == 0) return {};
        reached(missing < std::ssize(keys) ? Probe::TryAgain : Probe::Asked);
        if (missing < std::ssize(keys)) return again;
        return "ASK " + number(slot) + ' ' + addressOf(to->second);
    }
    if (asking && m_importing.contains(slot)) {
        const bool several = std::ranges::any_of(keys, [&](const QByteArray& key) { return key != keys.front(); });
        return several && missing > 0 ? again : QByteArray();
    }
    const bool ofMyMaster = m_peers[std::size_t(m_me)].master == owner;
    if (readOnly && ofMyMaster && !writes) return {};
    return "MOVED " + number(slot) + ' ' + addressOf(owner);
}

Reply ClusterNode::slots() const {
    std::vector<Reply> ranges;
    const auto nodeOf = [this](int node) {
        std::vector<Reply> one;
        one.push_back(Reply::bulk(m_peers[std::size_t(node)].server->id()));
        one.push_back(Reply::number(RedisServer::kPort));
        one.push_back(Reply::bulk(m_peers[std::size_t(node)].server->runId()));
        one.push_back(Reply::array({}));
        return Reply::array(std::move(one));
    };
    for (int first = 0; first < redis::kClusterSlots;) {
        const int owner = m_owners[std::size_t(first)];
        int last = first;
        while (last + 1 < redis::kClusterSlots && m_owners[std::size_t(last) + 1] == owner)
            ++last;
        if (owner != kNobody) {
            std::vector<Reply> range;
            range.push_back(Reply::number(first));
            range.push_back(Reply::number(last));
            range.push_back(nodeOf(owner));
            for (std::size_t i = 0; i < m_peers.size(); ++i)
                if (m_peers[i].master == owner && !m_peers[i].down) range.push_back(nodeOf(int(i)));
            ranges.push_back(Reply::array(std::move(range)));
        }
        first = last + 1;
    }
    return Reply::array(std::move(ranges));
}

Reply ClusterNode::setSlot(const redis::Args& args) {
    bool isNumber = false;
    const int slot = args[2].toInt(&isNumber);
    if (!isNumber || slot < 0 || slot >= redis::kClusterSlots) return Reply::error("ERR Invalid or out of range slot");
    const QByteArray what = args[3].toUpper();
    if (what == "STABLE") {
        m_migrating.erase(slot);
        m_importing.erase(slot);
        return Reply::status("OK");
    }
    const int node = args.size() > 4 ? byId(args[4]) : kNobody;
    if (node == kNobody) return Reply::error("ERR Unknown node " + (args.size() > 4 ? args[4] : QByteArray()));
    if (what == "MIGRATING") {
        m_migrating[slot] = node;
    } else if (what == "IMPORTING") {
        m_importing[slot] = node;
    } else if (what == "NODE") {
        m_owners[std::size_t(slot)] = std::int8_t(node);
        m_migrating.erase(slot);
        // The new owner's word must count for more than the old one's.
        if (m_importing.erase(slot) > 0 && node == m_me) m_peers[std::size_t(m_me)].configEpoch = ++m_epoch;
        mapChanged();
    } else {
        return Reply::error("ERR Invalid CLUSTER SETSLOT action or number of arguments");
    }
    return Reply::status("OK");
}

std::optional<Reply> ClusterNode::answer(const QByteArray& command, const redis::Args& args) {
    if (command == "CLUSTER|SLOTS") return slots();
    if (command == "CLUSTER|MYID") return Reply::bulk(m_self.runId());
    if (command == "CLUSTER|KEYSLOT") return Reply::number(redis::keySlot(args[2]));
    if (command == "CLUSTER|SETSLOT") return setSlot(args);
    if (command == "CLUSTER|INFO") {
        return Reply::bulk(QByteArray("cluster_enabled:1\r\ncluster_state:") + (m_ok ? "ok" : "fail") +
                           "\r\ncluster_known_nodes:" + number(std::ssize(m_peers)) + "\r\ncluster_size:" +
                           number(votingMasters()) + "\r\ncluster_current_epoch:" + number(m_epoch) + "\r\n");
    }
    if (command != "CLUSTER|NODES") return std::nullopt;
    QByteArray text;
    for (std::size_t i = 0; i < m_peers.size(); ++i) {
        const Peer& peer = m_peers[i];
        QByteArray flags = int(i) == m_me ? "myself," : "";
        flags += peer.master == kNobody ? "master" : "slave";
        if (peer.down)
            flags += ",fail";
        else if (peer.mayBeDown)
            flags += ",fail?";
        const QByteArray master =
            peer.master == kNobody ? QByteArray("-") : m_peers[std::size_t(peer.master)].server->runId();
        text += peer.server->runId() + ' ' + addressOf(int(i)) + "@16379 " + flags + ' ' + master + " 0 0 " +
                number(peer.configEpoch) + " connected\n";
    }
    return Reply::bulk(text);
}

} // namespace lockscope::sim
