// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/zookeeper/seen_node.h"

#include <deque>
#include <map>
#include <stop_token>
#include <utility>

namespace lockscope::inspect {

/// The known nodes of a ZooKeeper: each was listed once, with a watch, and is listed again when the server tells
/// of a change. So an unchanging server is asked nothing. Contenders of queues are read once each, the first ones only.
class ZkTree {
public:
    explicit ZkTree(zookeeper::Reader& reader);

    /// Lists all nodes again, in the next reads: what is known may be old.
    void doubtEverything();
    /// Notes what the server has told.
    void hear(const zookeeper::WatchEvent& event);
    /// Reads up to `most` of the nodes that are due. Returns the error that it ended by. Throws Cancelled.
    QCoro::Task<std::optional<zookeeper::Error>> read(std::size_t most, std::stop_token stop);

    /// The locks among the nodes that are known. `wallMs`: the present in ms since 1970.
    std::vector<LockRow> rows(std::int64_t wallMs);
    /// Whether a node has been seen, since the last call, in a state older than one that was seen before: the server
    /// that answers has lost data, or is behind the others.
    bool takeWentBack() { return std::exchange(m_wentBack, false); }
    /// The newest transaction that nodes tell of, and a new beginning of that.
    std::int64_t newest() const { return m_newest; }
    void forgetNewest() { m_newest = 0; }
    /// Nothing is due.
    bool upToDate() const { return m_due.empty(); }
    /// Nodes that are not looked at, because there are more than this keeps.
    std::int64_t leftOut() const { return m_leftOut; }
    /// Nodes that this login may not read, and the paths of some of them, sorted.
    std::int64_t refused() const;
    std::vector<QByteArray> refusedExamples() const;
    std::int64_t nodes() const { return std::int64_t(m_nodes.size()); }
    std::int64_t due() const { return std::int64_t(m_due.size()); }
    std::uint64_t requests() const { return m_requests; }
    /// The watch that all changes of nodes and of the session come to.
    const zookeeper::Watch& watch() const { return m_watch; }

private:
    struct Node {
        zookeeper::NodeStat stat;
        std::vector<QByteArray> names;                     ///< of its children
        std::optional<QByteArray> data;                    ///< as SeenNode has it
        std::map<QByteArray, zookeeper::NodeData> members; ///< the contenders that were read
        std::set<std::int64_t> heldFromStart;              ///< czxids of children that held as soon as they came
        bool refused = false;
        bool stale = true; ///< `rows` is older than the rest
        std::vector<LockRow> rows;
    };
    QCoro::Task<std::optional<zookeeper::Error>> visit(QByteArray path, std::stop_token stop);
    QCoro::Task<std::optional<zookeeper::Error>> readMembers(QByteArray path, std::stop_token stop);
    QCoro::Task<std::optional<zookeeper::Error>> readData(QByteArray path, std::stop_token stop);
    void take(const QByteArray& path, zookeeper::ChildList list);
    void want(const QByteArray& path, bool first);
    void forget(const QByteArray& path);
    void keepStarts(const std::vector<LockRow>& rows);
    void touch(const QByteArray& path);
    SeenNode seen(const QByteArray& path, const Node& node, std::int64_t wallMs) const;
    bool hasRoom() const;
    bool awaitsPermit(const SeenNode& semaphore) const; ///< one that was listed is still to be read

    zookeeper::Reader& m_reader;
    zookeeper::Watch m_watch;
    std::map<QByteArray, Node> m_nodes;
    std::deque<QByteArray> m_due;
    std::set<QByteArray> m_isDue;
    std::int64_t m_leftOut = 0;
    bool m_wentBack = false;
    std::int64_t m_newest = 0;
    std::uint64_t m_requests = 0;
};

} // namespace lockscope::inspect
