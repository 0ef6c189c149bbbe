// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "ports/zookeeper/error.h"
#include "ports/zookeeper/watch.h"
#include "runtime/runtime.h"

#include <memory>
#include <optional>
#include <vector>

namespace lockscope::zookeeper {

/// The server's facts about a node, besides its data. Times in ms since 1970, server clock.
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
    QByteArray path; ///< including a sequential node's number
    NodeStat stat;
};
struct NodeData {
    QByteArray data;
    NodeStat stat;
};
struct ChildList {
    std::vector<QByteArray> names; ///< in no particular order
    NodeStat stat;                 ///< the parent's
};

/// One step of a transaction.
struct Op {
    enum class Kind : std::uint8_t { Create, Remove, Set, Check };
    Kind kind = Kind::Check;
    QByteArray path;
    QByteArray data{};                    ///< for Create and Set
    NodeMode mode = NodeMode::Persistent; ///< for Create; without TTL
    int version = -1;                     ///< for the other kinds; -1 = any
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
    std::uint64_t generation = 1; ///< counts sessions: another number means another session
    std::int64_t id = 0;
    Nanos timeout{}; ///< as granted
    /// Own monotonic clock: an instant from which the ensemble's leader, which alone ends sessions, counts the time-out
    /// at the earliest. Answers of another server by itself, which may be cut off from the leader, prove nothing. Nor
    /// do reads or syncs that a leader answers which is cut off from the others: they may have elected the next one. So
    /// either a write proves this instant, which most servers have accepted, or it lies a tick before the leader's last
    /// answer.
    Nanos provenAt{};
    /// Own monotonic clock: from when on the leader may have ended the session without our knowledge.
    Nanos until() const { return laterBy(provenAt, timeout); }
    /// Own monotonic clock: when the newest request that the connected server has answered was sent.
    Nanos answeredAt{};
};

/// The part of a ZooKeeper that can be read: whoever has no more than this cannot change anything. Paths are absolute
/// below the URL's chroot, and valid (validPath). Every call waits for a session when there is none, and may throw
/// Cancelled.
class Reader {
public:
    template <typename T>
    using Reply = QCoro::Task<Result<T>>;

    virtual ~Reader() = default;

    /// The runtime on whose thread it works, and the known state of its session.
    virtual Runtime& runtime() = 0;
    virtual const Session& session() const = 0;
    /// Reports the session's changes to `watch`, as long as `watch` exists.
    virtual void watchSession(const Watch& watch) = 0;
    /// Waits until there is a session, for at most `patience`: as long as a suspended one may still be kept, otherwise
    /// for the connect time-out. Without a session: Kind::Unreachable, or a kind that says why.
    virtual Reply<void> connected(Nanos patience = kNever, std::stop_token stop = {}) = 0;

    /// The reads set `watch`, if any, in the same step, so no change is missed in between. get and children set no
    /// watch when the node does not exist; exists then watches for its creation.
    virtual Reply<NodeData> get(QByteArray path, std::optional<Watch> watch = {}, std::stop_token stop = {}) = 0;
    virtual Reply<std::optional<NodeStat>> exists(QByteArray path, std::optional<Watch> watch = {},
                                                  std::stop_token stop = {}) = 0;
    virtual Reply<ChildList> children(QByteArray path, std::optional<Watch> watch = {}, std::stop_token stop = {}) = 0;

    /// A server's answer to an administrator's word: "srvr", "cons". It comes over a connection of its own. Empty: the
    /// server did not answer in two seconds, or cannot be asked so; without the right it says that in its answer.
    virtual QCoro::Task<QByteArray> askServer(Endpoint server, QByteArray word, std::stop_token stop = {});
};

/// The operations that a recipe needs of a ZooKeeper.
///
/// Requests are sent in the order of their calls, and the server executes them in that order: a read right after a
/// change sees it.
class Port : public Reader {
public:
    /// Creates a node. `ttl` > 0 for the modes with TTL, whole milliseconds. If the creation of a sequential ephemeral
    /// node was stopped before its answer, the node is removed when the answer comes, also after lost connections,
    /// while the session lasts: nobody else knows its name. Other nodes are left to the caller, who knows whether the
    /// name may be another client's by then.
    virtual Reply<CreatedNode> create(QByteArray path, QByteArray data, NodeMode mode, Nanos ttl = {},
                                      std::stop_token stop = {}) = 0;
    /// Removes a node. With a `generation`, only in that session; if it has ended, Kind::SessionLost without sending
    /// anything, because in the next session the name may be another client's.
    virtual Reply<void> remove(QByteArray path, int version = -1, std::stop_token stop = {},
                               std::uint64_t generation = 0) = 0;
    /// Writes a node's data; -1: whatever its version.
    virtual Reply<NodeStat> set(QByteArray path, QByteArray data, int version = -1, std::stop_token stop = {}) = 0;
    /// Runs all steps or none. Returns the paths of created nodes, in order.
    virtual Reply<std::vector<QByteArray>> multi(std::vector<Op> ops, std::stop_token stop = {}) = 0;
    /// Reads after this see at least what any client had been told before. It costs the servers a write: a leader alone
    /// answers ZooKeeper's own sync, even one that is cut off from the others, which may have elected the next one.
    virtual Reply<void> sync(QByteArray path, std::stop_token stop = {}) = 0;

    /// Expires with the port: code that may outlive the port checks it before each use.
    std::weak_ptr<const bool> life() const { return m_life; }

    /// Creates a node and missing parents in that mode, Container or Persistent; persistent if the server has no
    /// containers. Success when it exists.
    Reply<void> makePath(QByteArray path, NodeMode mode, std::stop_token stop = {});
    /// As makePath(), with containers.
    Reply<void> makeContainers(QByteArray path, std::stop_token stop = {}) {
        return makePath(std::move(path), NodeMode::Container, std::move(stop));
    }

private:
    std::shared_ptr<const bool> m_life = std::make_shared<const bool>(true);
};

/// Whether ZooKeeper accepts the path: it begins with a slash, has no empty, "." or ".." part and no control
/// characters.
bool validPath(const QByteArray& path);
/// "/a/b" → "/a"; "/a" → "/".
QByteArray parentOf(const QByteArray& path);
/// "/a/b" → "b".
QByteArray nameOf(const QByteArray& path);
/// The path of a child; handles the root as parent.
QByteArray childOf(const QByteArray& parent, const QByteArray& name);

} // namespace lockscope::zookeeper
