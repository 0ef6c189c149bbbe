// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/transaction.h"

#include <algorithm>

namespace lockscope::sim {

namespace {

using Step = zookeeper::Op::Kind;
using zookeeper::NodeMode;
using zookeeper::parentOf;

bool isSequential(NodeMode mode) {
    return mode == NodeMode::PersistentSequential || mode == NodeMode::EphemeralSequential ||
           mode == NodeMode::SequentialTtl;
}

bool hasTtl(NodeMode mode) {
    return mode == NodeMode::Ttl || mode == NodeMode::SequentialTtl;
}

ZkNodeKind kindOf(NodeMode mode) {
    if (mode == NodeMode::Ephemeral || mode == NodeMode::EphemeralSequential) return ZkNodeKind::Ephemeral;
    if (mode == NodeMode::Container) return ZkNodeKind::Container;
    return hasTtl(mode) ? ZkNodeKind::Ttl : ZkNodeKind::Persistent;
}

/// Before the parent is looked up: only what makes the parent's path unknown.
bool hasParent(const QByteArray& path) {
    return path.contains('/') && !path.contains('\0');
}

bool fits(int current, int wanted) {
    return wanted == -1 || wanted == current;
}

} // namespace

void ZkState::apply(ZkTxn& txn, const ZkTree::Told& told) {
    zxid = txn.zxid;
    if (txn.kind == ZkTxn::Kind::NewSession && txn.code == ZkCode::kOk) sessions[txn.session] = txn.timeoutMs;
    if (txn.kind == ZkTxn::Kind::EndSession) sessions.erase(txn.session);
    std::vector<zookeeper::NodeStat> stats;
    for (const ZkChange& change : txn.changes) {
        tree.apply(change, txn.zxid, txn.timeMs, told);
        const ZkNode* const node = tree.find(change.path);
        stats.push_back(node ? ZkTree::statOf(*node) : zookeeper::NodeStat());
    }
    for (std::size_t i = 0; i < txn.changeOf.size(); ++i)
        if (txn.changeOf[i] >= 0) txn.results[i].stat = stats[std::size_t(txn.changeOf[i])];
}

bool ZkLogins::allows(const ZkAcl& acl, int permission) const {
    if (superuser) return true;
    return std::ranges::any_of(acl, [&](const ZkAclLine& line) {
        if ((line.permissions & permission) == 0) return false;
        return line.scheme == "world" ||
               (line.scheme == "digest" && std::ranges::find(digests, line.id) != digests.end());
    });
}

std::optional<ZkAcl> ZkLogins::resolve(const ZkAcl& acl) const {
    ZkAcl lines;
    for (const ZkAclLine& line : acl) {
        if (line.scheme != "auth") {
            lines.push_back(line);
            continue;
        }
        if (digests.empty()) return std::nullopt;
        for (const QByteArray& digest : digests)
            lines.push_back({line.permissions, "digest", digest});
    }
    if (lines.empty()) return std::nullopt;
    return lines;
}

ZkTxn ZkPreparer::begun(ZkTxn::Kind kind, ZkSessionId session, ZkTransaction zxid, std::int64_t timeMs) {
    m_state.zxid = zxid;
    ZkTxn txn;
    txn.kind = kind;
    txn.session = session;
    txn.zxid = zxid;
    txn.timeMs = timeMs;
    return txn;
}

void ZkPreparer::take(ZkTxn& txn, ZkChange change) {
    m_state.tree.apply(change, txn.zxid, txn.timeMs);
    txn.changes.push_back(std::move(change));
}

ZkTxn ZkPreparer::prepare(const ZkRequest& request, ZkSessionId session, const ZkLogins& logins, ZkTransaction zxid,
                          std::int64_t timeMs) {
    if (!m_state.sessions.contains(session)) return failed(ZkCode::kSessionExpired, session, zxid, timeMs);
    if (request.kind == ZkRequest::Kind::EndSession) return endSession(session, zxid, timeMs);
    ZkTxn txn = begun(ZkTxn::Kind::Changes, session, zxid, timeMs);
    steps(request, session, logins, txn);
    return txn;
}

ZkTxn ZkPreparer::command(const ZkRequest& request, ZkTransaction zxid, std::int64_t timeMs) {
    ZkTxn txn = begun(ZkTxn::Kind::Changes, 0, zxid, timeMs);
    ZkLogins operators;
    operators.superuser = true;
    steps(request, 0, operators, txn);
    return txn;
}

void ZkPreparer::steps(const ZkRequest& request, ZkSessionId session, const ZkLogins& logins, ZkTxn& txn) {
    const bool multi = request.kind == ZkRequest::Kind::Multi;
    // A copy costs as much as the tree is large, once it is changed: only where steps may have to be taken back.
    std::optional<ZkTree> before;
    if (multi && request.ops.size() > 1) before = m_state.tree;
    for (const ZkOp& op : request.ops) {
        txn.changeOf.push_back(-1);
        txn.results.emplace_back();
        if (txn.code != ZkCode::kOk) {
            txn.results.back().code = ZkCode::kRuntimeInconsistency;
            continue;
        }
        txn.code = txn.results.back().code = step(op, session, logins, txn);
    }
    if (txn.code == ZkCode::kOk) return;
    if (before) m_state.tree = *before;
    txn.changes.clear();
    for (ZkOpResult& result : txn.results)
        result.path.clear();
    txn.changeOf.assign(txn.results.size(), -1);
}

int ZkPreparer::step(const ZkOp& op, ZkSessionId session, const ZkLogins& logins, ZkTxn& txn) {
    if (op.kind == Step::Create) return create(op, session, logins, txn);
    const ZkTree& tree = m_state.tree;
    ZkChange change;
    change.path = op.path;
    if (op.kind == Step::Remove) {
        if (!hasParent(op.path) || op.path == "/") return ZkCode::kBadArguments;
        const ZkNode* const parent = tree.find(parentOf(op.path));
        if (!parent) return ZkCode::kNoNode;
        if (!logins.allows(parent->acl, ZkPermission::kDelete)) return ZkCode::kNoAuth;
        const ZkNode* const node = tree.find(op.path);
        if (!node) return ZkCode::kNoNode;
        if (!fits(node->version, op.version)) return ZkCode::kBadVersion;
        if (!node->children.empty()) return ZkCode::kNotEmpty;
        change.kind = ZkChange::Kind::Remove;
        change.owner = node->owner;
    } else {
        if (!zookeeper::validPath(op.path)) return ZkCode::kBadArguments;
        const ZkNode* const node = tree.find(op.path);
        if (!node) return ZkCode::kNoNode;
        const bool check = op.kind == Step::Check;
        if (!logins.allows(node->acl, check ? ZkPermission::kRead : ZkPermission::kWrite)) return ZkCode::kNoAuth;
        if (!fits(node->version, op.version)) return ZkCode::kBadVersion;
        if (check) return ZkCode::kOk;
        change.kind = ZkChange::Kind::Set;
        change.data = op.data;
        change.number = node->version + 1;
    }
    txn.changeOf.back() = int(txn.changes.size());
    take(txn, std::move(change));
    return ZkCode::kOk;
}

int ZkPreparer::create(const ZkOp& op, ZkSessionId session, const ZkLogins& logins, ZkTxn& txn) {
    if (hasTtl(op.mode) && !m_extendedTypes) return ZkCode::kUnimplemented;
    if (hasTtl(op.mode) && op.ttlMs <= 0) return ZkCode::kBadArguments;
    if (!hasParent(op.path)) return ZkCode::kBadArguments;
    const std::optional<ZkAcl> acl = logins.resolve(op.acl);
    if (!acl) return ZkCode::kInvalidAcl;
    const ZkNode* const parent = m_state.tree.find(parentOf(op.path));
    if (!parent) return ZkCode::kNoNode;
    if (!logins.allows(parent->acl, ZkPermission::kCreate)) return ZkCode::kNoAuth;
    ZkChange change;
    change.path = op.path;
    if (isSequential(op.mode)) change.path += QByteArray::number(parent->creations).rightJustified(10, '0');
    if (!zookeeper::validPath(change.path)) return ZkCode::kBadArguments;
    if (m_state.tree.find(change.path)) return ZkCode::kNodeExists;
    if (parent->kind == ZkNodeKind::Ephemeral) return ZkCode::kEphemeralParent;
    change.data = op.data;
    change.node = kindOf(op.mode);
    change.owner = change.node == ZkNodeKind::Ephemeral ? session : 0;
    change.ttlMs = op.ttlMs;
    change.number = std::int32_t(std::uint32_t(parent->creations) + 1);
    change.acl = *acl;
    txn.results.back().path = change.path;
    txn.changeOf.back() = int(txn.changes.size());
    take(txn, std::move(change));
    return ZkCode::kOk;
}

ZkTxn ZkPreparer::newSession(ZkSessionId session, std::int64_t timeoutMs, ZkTransaction zxid, std::int64_t timeMs) {
    ZkTxn txn = begun(ZkTxn::Kind::NewSession, session, zxid, timeMs);
    txn.timeoutMs = timeoutMs;
    m_state.sessions[session] = timeoutMs;
    return txn;
}

ZkTxn ZkPreparer::endSession(ZkSessionId session, ZkTransaction zxid, std::int64_t timeMs) {
    ZkTxn txn = begun(ZkTxn::Kind::EndSession, session, zxid, timeMs);
    for (const QByteArray& path : m_state.tree.ephemeralsOf(session)) {
        ZkChange change;
        change.kind = ZkChange::Kind::Remove;
        change.path = path;
        change.owner = session;
        take(txn, std::move(change));
    }
    m_state.sessions.erase(session);
    return txn;
}

ZkTxn ZkPreparer::removeDue(const QByteArray& path, ZkTransaction zxid, std::int64_t timeMs) {
    ZkTxn txn = begun(ZkTxn::Kind::Changes, 0, zxid, timeMs);
    const ZkNode* const node = m_state.tree.find(path);
    const bool mortal = node && (node->kind == ZkNodeKind::Container || node->kind == ZkNodeKind::Ttl);
    if (!mortal || !node->children.empty()) {
        txn.code = mortal ? ZkCode::kNotEmpty : ZkCode::kNoNode; // a child came in between
        return txn;
    }
    ZkChange change;
    change.kind = ZkChange::Kind::Remove;
    change.path = path;
    take(txn, std::move(change));
    return txn;
}

ZkTxn ZkPreparer::failed(int code, ZkSessionId session, ZkTransaction zxid, std::int64_t timeMs) {
    ZkTxn txn = begun(ZkTxn::Kind::Changes, session, zxid, timeMs);
    txn.code = code;
    return txn;
}

} // namespace lockscope::sim
