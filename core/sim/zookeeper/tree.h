// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/zookeeper/message.h"

#include <QHash>
#include <set>

namespace lockscope::sim {

/// A node's kind as the server sees it; towards clients the last two are persistent.
enum class ZkNodeKind : std::uint8_t { Persistent, Ephemeral, Container, Ttl };

/// One change of a tree, ready to be made on every server: names have their numbers, all conditions hold.
struct ZkChange {
    enum class Kind : std::uint8_t { Create, Remove, Set };
    Kind kind = Kind::Create;
    QByteArray path, data{};
    ZkNodeKind node = ZkNodeKind::Persistent;
    ZkSessionId owner = 0; ///< of the ephemeral node that is made or removed; 0: it is none
    std::int64_t ttlMs = 0;
    std::int32_t number = 0; ///< of Create: the parent's count of creations afterwards; of Set: the new version
    ZkAcl acl{};
};

struct ZkNode {
    QByteArray data;
    ZkNodeKind kind = ZkNodeKind::Persistent;
    ZkSessionId owner = 0;
    std::int64_t ttlMs = 0;
    ZkTransaction czxid = 0, mzxid = 0, pzxid = 0;
    std::int64_t ctime = 0, mtime = 0; ///< ms since 1970, the leader's clock
    std::int32_t version = 0;
    std::int32_t creations = 0; ///< of children, ever: the next sequential name's number
    ZkAcl acl{ZkAclLine{}};
    std::set<QByteArray> children;
};

/// The nodes of one server. Copies share their nodes until one of them changes.
class ZkTree {
public:
    ZkTree();

    /// nullptr: there is none.
    const ZkNode* find(const QByteArray& path) const;
    static zookeeper::NodeStat statOf(const ZkNode& node);
    /// Makes a change; `told` is called for each node event of it, in the server's order: the kind, the node's path,
    /// and whether it concerns watches of data, of children, or both (of a node that is gone), and
    /// the node's access list.
    enum class Concerns : std::uint8_t { Data, Children, Both };
    using Told = std::function<void(const ZkEvent& event, Concerns watches, const ZkAcl& acl)>;
    void apply(const ZkChange& change, ZkTransaction zxid, std::int64_t timeMs, const Told& told = nullptr);
    /// The paths of a session's ephemeral nodes, in order.
    std::set<QByteArray> ephemeralsOf(ZkSessionId session) const;
    /// Empty containers that once had children, and empty nodes whose time-to-live is over at that wall time. In order.
    std::vector<QByteArray> due(std::int64_t nowMs) const;
    /// Sets how many children a node ever had.
    void setCreations(const QByteArray& path, std::int32_t count);
    qsizetype size() const { return m_nodes.size(); }

private:
    QHash<QByteArray, ZkNode> m_nodes;
    std::map<ZkSessionId, std::set<QByteArray>> m_ephemerals;
    std::set<QByteArray> m_mortal; ///< containers and nodes with a time-to-live
};

} // namespace lockscope::sim
