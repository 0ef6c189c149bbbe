// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/zookeeper/error.h"
#include "backends/zookeeper/watch.h"
#include "runtime/runtime.h"

#include <memory>
#include <optional>
#include <vector>

namespace lockscope::zookeeper {

/// What the server knows of a node, besides its data. Times in ms since 1970, server clock.
struct NodeStat {
    std::int64_t czxid = 0, mzxid = 0, pzxid = 0;
    std::int64_t ctime = 0, mtime = 0;
    std::int32_t version = 0, cversion = 0, aversion = 0;
    std::int64_t ephemeralOwner = 0; ///< session, 0 = not ephemeral
    std::int32_t dataLength = 0, children = 0;
};

enum class NodeMode : std::uint8_t {
    Persistent,
    Ephemeral,
    PersistentSequential,
    EphemeralSequential,
    Container, ///< removed by the server some time after its last child
    Ttl,       ///< removed by the server when unchanged and empty for that long
    SequentialTtl,
};

struct CreatedNode {
    QByteArray path; ///< with the number of a sequential one
    NodeStat stat;
};
struct NodeData {
    QByteArray data;
    NodeStat stat;
};
struct ChildList {
    std::vector<QByteArray> names; ///< in no order
    NodeStat stat;                 ///< of their parent
};

/// One step of a transaction.
struct Op {
    enum class Kind : std::uint8_t { Create, Remove, Set, Check };
    Kind kind = Kind::Check;
    QByteArray path;
    QByteArray data{};                    ///< of Create and Set
    NodeMode mode = NodeMode::Persistent; ///< of Create; without TTL
    int version = -1;                     ///< of the others; -1 = any
};

/// The session as this client knows it.
struct Session {
    enum class State : std::uint8_t {
        None, ///< none yet, or none any more: a new one is being made
        Connected,
        Suspended, ///< not connected; the server may still keep the session
        Failed,    ///< no further tries: the login was refused
    };
    State state = State::None;
    std::uint64_t generation = 1; ///< counts sessions: another number, another session
    std::int64_t id = 0;
    Nanos timeout{}; ///< as granted
    /// Own monotonic clock: the ensemble's leader, which alone ends sessions, counts this one's time from then at the
    /// earliest. What another server answers by itself, cut off from the leader, proves nothing; nor does what a leader
    /// answers that is cut off from the others, who have the next one by then: a read, and also a sync. So this is an
    /// instant that a write proves, which most servers have taken, or one that lies a tick before the leader's last
    /// answer.
    Nanos provenAt{};
    /// Own monotonic clock: from when on the leader may have ended the session without our knowing.
    Nanos until() const { return laterBy(provenAt, timeout); }
    /// Own monotonic clock: when the newest request was sent that the server we are with has answered.
    Nanos answeredAt{};
};

/// What a recipe needs of a ZooKeeper. Paths are absolute below the URL's chroot, and valid (validPath).
///
/// Requests are sent in the order of their calls, and the server does them in that order: a look that is asked for
/// right after a change sees it. Every call waits for a session when there is none, and throws Cancelled.
class Port {
public:
    template <typename T>
    using Reply = QCoro::Task<Result<T>>;

    virtual ~Port() = default;

    /// Where it works; and what is known of its session.
    virtual Runtime& runtime() = 0;
    virtual const Session& session() const = 0;
    /// Tells `watch` of the session's changes, for as long as it lives.
    virtual void watchSession(const Watch& watch) = 0;
    /// Waits until there is a session, at most for `patience` and no longer than makes sense: as long as a suspended
    /// one may still be kept, else for the connect time-out. Kind::Unreachable and others that say why when there is
    /// none.
    virtual Reply<void> connected(Nanos patience = kNever, std::stop_token stop = {}) = 0;

    /// `ttl` > 0 for the modes with TTL, whole milliseconds. A sequential ephemeral node whose creation was stopped
    /// before its answer came is removed when the answer comes, through lost connections as long as the session lasts:
    /// nobody knows its name. Others are left to the caller, who knows whether that name may be somebody else's by
    /// then.
    virtual Reply<CreatedNode> create(QByteArray path, QByteArray data, NodeMode mode, Nanos ttl = {},
                                      std::stop_token stop = {}) = 0;
    /// With a `generation` only in that session, and Kind::SessionLost without sending anything when it has ended: in
    /// the next one the name may be somebody else's.
    virtual Reply<void> remove(QByteArray path, int version = -1, std::stop_token stop = {},
                               std::uint64_t generation = 0) = 0;
    /// The looks set `watch`, if any, in the same step: none comes between the look and the watch. get and children
    /// watch nothing when there is no such node; exists then watches for its creation.
    virtual Reply<NodeData> get(QByteArray path, std::optional<Watch> watch = {}, std::stop_token stop = {}) = 0;
    virtual Reply<std::optional<NodeStat>> exists(QByteArray path, std::optional<Watch> watch = {},
                                                  std::stop_token stop = {}) = 0;
    virtual Reply<ChildList> children(QByteArray path, std::optional<Watch> watch = {}, std::stop_token stop = {}) = 0;
    virtual Reply<NodeStat> set(QByteArray path, QByteArray data, int version = -1, std::stop_token stop = {}) = 0;
    /// All or nothing. The paths of created nodes, in order.
    virtual Reply<std::vector<QByteArray>> multi(std::vector<Op> ops, std::stop_token stop = {}) = 0;
    /// Looks after this see at least what anybody had been answered before it. Costs the servers a write: ZooKeeper's
    /// own sync is answered by a leader alone, also by one that is cut off from the others, who may have the next one.
    virtual Reply<void> sync(QByteArray path, std::stop_token stop = {}) = 0;

    /// Expires with the port: what outlives a port asks this before each use.
    std::weak_ptr<const bool> life() const { return m_life; }

    /// Makes a node and what is missing above it, in that mode, Container or Persistent; as lasting ones where the
    /// server has no containers. There already: success.
    Reply<void> makePath(QByteArray path, NodeMode mode, std::stop_token stop = {});
    /// The same as containers.
    Reply<void> makeContainers(QByteArray path, std::stop_token stop = {}) {
        return makePath(std::move(path), NodeMode::Container, std::move(stop));
    }

private:
    std::shared_ptr<const bool> m_life = std::make_shared<const bool>(true);
};

/// Whether ZooKeeper takes it for a path: begins with a slash, no empty, "." or ".." part, no control characters.
bool validPath(const QByteArray& path);
/// "/a/b" → "/a"; "/a" → "/".
QByteArray parentOf(const QByteArray& path);
/// "/a/b" → "b".
QByteArray nameOf(const QByteArray& path);
/// Of a node in a parent: takes care of the root.
QByteArray childOf(const QByteArray& parent, const QByteArray& name);

} // namespace lockscope::zookeeper
