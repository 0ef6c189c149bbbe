// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/tree.h"

namespace lockscope::sim {

using zookeeper::nameOf;
using zookeeper::parentOf;

ZkTree::ZkTree() {
    // The server's own nodes were there before any transaction.
    m_nodes["/"].children.insert("zookeeper");
    m_nodes["/zookeeper"].children = {"config", "quota"};
    m_nodes["/zookeeper/config"];
    m_nodes["/zookeeper/quota"];
}

const ZkNode* ZkTree::find(const QByteArray& path) const {
    const auto node = m_nodes.constFind(path);
    return node == m_nodes.cend() ? nullptr : &*node;
}

zookeeper::NodeStat ZkTree::statOf(const ZkNode& node) {
    zookeeper::NodeStat stat;
    stat.czxid = node.czxid;
    stat.mzxid = node.mzxid;
    stat.pzxid = node.pzxid;
    stat.ctime = node.ctime;
    stat.mtime = node.mtime;
    stat.version = node.version;
    stat.children = std::int32_t(node.children.size());
    // Creations and removals; in 32 bits, as the server counts.
    stat.cversion = std::int32_t(std::uint32_t(node.creations) * 2 - std::uint32_t(stat.children));
    stat.ephemeralOwner = node.kind == ZkNodeKind::Ephemeral ? node.owner : 0;
    stat.dataLength = std::int32_t(node.data.size());
    return stat;
}

void ZkTree::apply(const ZkChange& change, ZkTransaction zxid, std::int64_t timeMs, const Told& told) {
    const QByteArray parent = parentOf(change.path);
    const auto tell = [&](ZkEvent::Kind kind, const QByteArray& path, Concerns watches, const ZkAcl& acl) {
        if (told) told({kind, path}, watches, acl);
    };
    switch (change.kind) {
    case ZkChange::Kind::Create: {
        ZkNode node;
        node.data = change.data;
        node.kind = change.node;
        node.owner = change.owner;
        node.ttlMs = change.ttlMs;
        node.czxid = node.mzxid = node.pzxid = zxid;
        node.ctime = node.mtime = timeMs;
        node.acl = change.acl;
        m_nodes.insert(change.path, node);
        ZkNode& above = m_nodes[parent];
        above.children.insert(nameOf(change.path));
        // Only a larger count is stored: at the greatest number it stops, and pzxid with it.
        if (change.number > above.creations) {
            above.creations = change.number;
            above.pzxid = zxid;
        }
        if (change.node == ZkNodeKind::Ephemeral) m_ephemerals[change.owner].insert(change.path);
        if (change.node == ZkNodeKind::Container || change.node == ZkNodeKind::Ttl) m_mortal.insert(change.path);
        tell(ZkEvent::Kind::Created, change.path, Concerns::Data, change.acl);
        tell(ZkEvent::Kind::Children, parent, Concerns::Children, above.acl);
        break;
    }
    case ZkChange::Kind::Remove: {
        const ZkNode node = m_nodes.take(change.path);
        if (node.kind == ZkNodeKind::Ephemeral) {
            const auto own = m_ephemerals.find(node.owner);
            own->second.erase(change.path);
            if (own->second.empty()) m_ephemerals.erase(own);
        }
        m_mortal.erase(change.path);
        ZkNode& above = m_nodes[parent];
        above.children.erase(nameOf(change.path));
        above.pzxid = std::max(above.pzxid, zxid);
        tell(ZkEvent::Kind::Deleted, change.path, Concerns::Both, node.acl);
        tell(ZkEvent::Kind::Children, parent, Concerns::Children, above.acl);
        break;
    }
    case ZkChange::Kind::Set: {
        ZkNode& node = m_nodes[change.path];
        node.data = change.data;
        node.version = change.number;
        node.mzxid = zxid;
        node.mtime = timeMs;
        tell(ZkEvent::Kind::Changed, change.path, Concerns::Data, node.acl);
        break;
    }
    }
}

std::set<QByteArray> ZkTree::ephemeralsOf(ZkSessionId session) const {
    const auto own = m_ephemerals.find(session);
    return own == m_ephemerals.end() ? std::set<QByteArray>() : own->second;
}

std::vector<QByteArray> ZkTree::due(std::int64_t nowMs) const {
    std::vector<QByteArray> paths;
    for (const QByteArray& path : m_mortal) {
        const ZkNode& node = *find(path);
        if (!node.children.empty()) continue;
        const bool unused = node.kind == ZkNodeKind::Container && node.creations == 0;
        const bool young = node.kind == ZkNodeKind::Ttl && nowMs - node.mtime <= node.ttlMs;
        if (!unused && !young) paths.push_back(path);
    }
    return paths;
}

void ZkTree::setCreations(const QByteArray& path, std::int32_t count) {
    m_nodes[path].creations = count;
}

} // namespace lockscope::sim
