// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/zookeeper/zk_recipe.h"

namespace lockscope::recipes {

/// The node that stands between a contender and its turn.
struct ZkBlocker {
    QByteArray name;   ///< the child to wait for
    bool only = false; ///< nothing else stands in between: once the node is gone, nobody comes before us
};

/// The node in the way of the child `own`; nullopt = none, it is its turn. `children` are sorted and contain `own`.
using ZkRule = std::optional<ZkBlocker> (*)(const std::vector<ZkChild>& children, const QByteArray& own);

/// The usual rule: the plain lock, of any family, with the next lower number.
std::optional<ZkBlocker> predecessor(const std::vector<ZkChild>& children, const QByteArray& own);

/// The plain lock, of any family, with the lowest number (it holds or is next); nullopt = none.
std::optional<QByteArray> lowestLock(const std::vector<ZkChild>& children);

/// A unique beginning for a node's name, in that library's format.
QByteArray uniquePrefix(Runtime& runtime, zookeeper::Layout layout);

/// The client that made a lock's node: by its content, or its session where another library wrote it; with its token.
HolderInfo makerOf(const zookeeper::NodeData& node);

/// How long to wait for the connection to come back, for something needed by `giveUpAt`. The first connection, or a new
/// one after a session's end, gets the time that connecting takes, also for a single try.
Nanos patienceUntil(zookeeper::Port& port, Nanos giveUpAt);

/// How waiting for a turn ended.
enum class ZkTurn : std::uint8_t {
    Granted,
    TimedOut,
    Gone, ///< our node is gone: the session ended, or somebody removed it; start again
};

/// A queue of sequential children below one path: the common steps of all locks on ZooKeeper. Source: the lock recipe
/// of ZooKeeper's documentation, and Curator's protection against lost replies.
class ZkQueue {
public:
    ZkQueue(zookeeper::Port& port, QByteArray path, zookeeper::Layout layout = zookeeper::Layout::Curator)
        : m_port(port), m_path(std::move(path)), m_layout(layout) {}
    /// The path of the node above the children.
    const QByteArray& path() const { return m_path; }

    /// All children, sorted; none when the path does not exist. Kind::ForeignFormat when the path's own node is another
    /// library's lock, Kind::Unreachable when the connection stays away until `giveUpAt`.
    Outcome<std::vector<ZkChild>> look(std::stop_token stop, Nanos giveUpAt = kNever);

    /// The contender that has this child: by its content, or its session where another library wrote it. nullopt: the
    /// child is gone.
    Outcome<std::optional<HolderInfo>> holderAt(QByteArray child, std::stop_token stop);

    /// Creates the ticket's node, `prefix` + `kind` + its number, and reads the other children, in one round trip.
    /// After a lost reply the node is found again by its unique prefix; without a prefix, by its content, which then is
    /// `data` and a unique part. Errors as for look().
    ///
    /// With a `twin`, one more node is created in the same transaction, with the next number; its name begins with
    /// `twin->prefix` and `twinKind`.
    Outcome<std::vector<ZkChild>> join(std::shared_ptr<ZkTicket> ticket, QByteArray prefix, QByteArray kind,
                                       QByteArray data, Nanos giveUpAt, std::stop_token stop,
                                       std::shared_ptr<ZkTicket> twin = nullptr, QByteArray twinKind = {});

    /// Whether it is the ticket's turn already, so that await() would return at once.
    bool isFirst(const ZkTicket& ticket, const std::vector<ZkChild>& children, ZkRule rule) const;

    /// Waits for the ticket's turn; watches one other node at a time, and our own.
    Outcome<ZkTurn> await(std::shared_ptr<ZkTicket> ticket, std::vector<ZkChild> children, ZkRule rule, Nanos giveUpAt,
                          Steps steps, StepNumber waitStep, std::stop_token stop);

private:
    bool isPlain(const zookeeper::NodeStat& stat) const;
    Outcome<void> judgeNode(zookeeper::NodeStat stat, std::stop_token stop);
    zookeeper::Port::Reply<zookeeper::CreatedNode> createBoth(QByteArray name, std::shared_ptr<ZkTicket> twin,
                                                              QByteArray twinName, QByteArray data,
                                                              std::stop_token stop);
    zookeeper::Port::Reply<void> makeParents(std::stop_token stop);
    Outcome<bool> findAgain(std::shared_ptr<ZkTicket> ticket, Nanos giveUpAt, std::stop_token stop);
    Outcome<bool> blockerThere(std::shared_ptr<ZkTicket> ticket, QByteArray blocker, std::stop_token stop);
    zookeeper::Port& m_port;
    QByteArray m_path;
    zookeeper::Layout m_layout;
    std::int64_t m_lastChange = 0; ///< zxid of the last coming or going of a child, as last looked at
    std::int64_t m_judged = 0;     ///< mzxid of the path's node when its content was read and found to be no lock
};

/// A recipe in which the first contender of a queue has the lock.
class ZkQueued : public ZkRecipe {
public:
    /// The steps of all these recipes.
    enum class Step : std::uint32_t { Create = 1, Look, Watch, Work, Delete };

protected:
    explicit ZkQueued(ZkLock lock)
        : ZkRecipe(std::move(lock), {Step::Create, Step::Work, Step::Delete}),
          m_queue(m_lock.port, m_lock.path, m_lock.layout) {}
    /// Waits until the attempt's first ticket is first in the queue, then holds with all its tickets; to be tried again
    /// if the first ticket's node is gone before.
    Outcome<std::optional<Grant>> holdWhenFirst(std::shared_ptr<ZkAttempt> mine, std::vector<ZkChild> children,
                                                ZkRule rule, Request request, Nanos giveUpAt, std::stop_token stop);
    /// Recipe::holders(), where the queue's first holds the lock.
    Outcome<std::vector<HolderInfo>> firstOf(std::stop_token stop);
    ZkQueue m_queue;
};

} // namespace lockscope::recipes
