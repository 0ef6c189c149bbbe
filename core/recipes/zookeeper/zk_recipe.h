// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/zookeeper/options.h"
#include "ports/zookeeper/port.h"
#include "recipes/recipe.h"
#include "recipes/zookeeper/zk_children.h"

#include <map>

namespace lockscope::recipes {

/// Everything that a ZooKeeper recipe needs.
struct ZkLock {
    zookeeper::Port& port;
    QByteArray path;   ///< the lock's path, as lockPath() made it
    QByteArray client; ///< this client's identity, written into the nodes
    int permits = 1;   ///< a semaphore's number of permits
    zookeeper::Layout layout = zookeeper::Layout::Curator;
};

/// The recipe with that id over a ZooKeeper; nullptr when there is none.
std::unique_ptr<Recipe> makeZooKeeperRecipe(const QByteArray& id, ZkLock lock);

/// A lock's name as a path: "orders" → "/orders". Kind::Refused for a name that ZooKeeper does not allow.
std::expected<QByteArray, LockError> lockPath(const QByteArray& name);

/// Whether a request's outcome is unknown while the session may come back.
bool connectionFailed(zookeeper::Error::Kind kind);
/// The lock error that corresponds to a server's answer.
LockError lockError(const zookeeper::Error& error);
LockError notOwner(const ZkLock& lock);
/// The error for another library's lock at a path, or a mixture.
LockError foreignFormat(const QByteArray& path, const QString& what);
/// The error for a child of another library at that path.
LockError foreignFormat(const QByteArray& path, ZkFamily family);

/// Removes somebody's child of `parent`; false: there is none, or no longer.
Outcome<bool> removeHolder(ZkLock lock, QByteArray parent, std::optional<QByteArray> child, std::stop_token stop);

/// A node of ours in a queue, from before its creation until it is gone. Shared by the attempt, its hold and the
/// clean-up after them.
struct ZkTicket {
    QByteArray parent;
    QByteArray prefix;            ///< the name's beginning, unique unless there is `data`
    QByteArray path;              ///< empty until known
    std::int64_t czxid = 0;       ///< 0: no answer to its creation yet
    QByteArray data;              ///< its unique content; with commonName, or a prefix that others share
    std::uint64_t generation = 0; ///< the session in which it was made
    bool asked = false;           ///< its creation was requested, so it may exist
    bool guarded = false;         ///< `watch` watches it
    bool commonName = false;      ///< the next holder's node has the same path
    zookeeper::Watch watch;
};

/// Finds the ticket's own node among those with its prefix (by their data if others share the prefix) and sets its
/// path. Does not touch the port once `life` has expired.
zookeeper::Port::Reply<void> findByPrefix(zookeeper::Port* port, std::weak_ptr<const bool> life,
                                          std::shared_ptr<ZkTicket> ticket, std::stop_token stop);

/// Removes the nodes of tickets; if the connection is lost, after it has come back, while the session lasts. Returns
/// when that is done, or after a second; then it continues in the background. Not interruptible, because interruptions
/// use it.
QCoro::Task<> takeAwayAll(zookeeper::Port& port, std::vector<std::shared_ptr<ZkTicket>> tickets);
/// As takeAwayAll() for one ticket, however long it takes; false: the session ended first. Interruptible: it then
/// continues in the background.
QCoro::Task<bool> takeAwayForSure(zookeeper::Port& port, std::shared_ptr<ZkTicket> ticket, std::stop_token stop);
/// As takeAwayAll() for one ticket, without waiting.
void takeAwaySoon(zookeeper::Port& port, std::shared_ptr<ZkTicket> ticket);

/// One try of a recipe to take its lock, and the nodes that it has made: removed again unless it wins.
struct ZkAttempt {
    std::vector<std::shared_ptr<ZkTicket>> tickets;
    bool again = false; ///< undecided, try again: our node is gone, or others would not see its format
    /// A new ticket; its node is removed unless this attempt wins.
    std::shared_ptr<ZkTicket> newTicket() { return tickets.emplace_back(std::make_shared<ZkTicket>()); }
};

/// One thread's hold in one mode.
struct ZkHold {
    std::vector<std::shared_ptr<ZkTicket>> nodes; ///< one node, or those of a semaphore's permits
    int count = 1;
    zookeeper::Watch watch; ///< watches the session and the nodes
    bool begun = false;     ///< news() was called
    bool suspended = false; ///< as last reported
    bool over = false;      ///< given up, or reported lost
    Nanos toldUntil{};
    Nanos guardAt = kNever; ///< when to set the nodes' watches
};

/// The common part of the recipes on ZooKeeper.
RecipeInfo zooKeeperInfo(const char* id, const QString& summary);

/// The common part of recipes whose holds last as long as their session: hold counts, news, release. isLocked() reports
/// what the connected server has heard of; one of several servers may be a little behind.
class ZkRecipe : public Recipe {
public:
    /// The steps that this class reports.
    struct SharedSteps {
        StepNumber create, work, release;
    };
    ZkRecipe(ZkLock lock, SharedSteps steps) : m_lock(std::move(lock)), m_steps(steps) {}
    Outcome<HoldNews> news(Grant grant, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    void abandoned(const Grant& grant) override;

protected:
    /// Tries once, until `giveUpAt`; nullopt: not in time, or `again` says to try again. Every node that it makes on
    /// the server has a ticket in `mine` before the request is sent.
    virtual Outcome<std::optional<Grant>> attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                                  std::stop_token stop) = 0;
    /// Repeats attempts until one decides. Waits out servers that are away for a while.
    Outcome<std::optional<Grant>> tryUntilDecided(Request request, std::stop_token stop);
    /// One more hold of a thread that has one in that mode; nullopt: it has none, or no longer.
    std::optional<Grant> again(const Request& request);
    /// A hold over the winning nodes; it uses the first ticket's watch.
    Grant granted(const Request& request, std::vector<std::shared_ptr<ZkTicket>> nodes);
    Grant granted(const Request& request, std::shared_ptr<ZkTicket> node) {
        return granted(request, std::vector{std::move(node)});
    }
    std::shared_ptr<ZkHold> holdOf(const QByteArray& thread, Mode mode) const;
    /// "lockscope:<client>:<thread>": the content of our nodes, so that people and this program recognise them.
    QByteArray data(const QByteArray& thread) const { return "lockscope:" + m_lock.client + ':' + thread; }

    ZkLock m_lock;

private:
    class Contender;
    Grant grantOf(const std::shared_ptr<ZkHold>& hold, const Request& request) const;
    bool alive(const ZkHold& hold) const;
    void forget(const Grant& grant);
    Outcome<bool> guard(std::shared_ptr<ZkHold> hold, std::stop_token stop);
    SharedSteps m_steps;
    std::map<std::pair<QByteArray, Mode>, std::shared_ptr<ZkHold>> m_holds;
};

} // namespace lockscope::recipes
