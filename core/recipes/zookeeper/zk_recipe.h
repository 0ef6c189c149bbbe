// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/zookeeper/options.h"
#include "backends/zookeeper/port.h"
#include "recipes/recipe.h"
#include "recipes/zookeeper/zk_children.h"

#include <map>

namespace lockscope::recipes {

/// What every ZooKeeper recipe is made of.
struct ZkLock {
    zookeeper::Port& port;
    QByteArray path;   ///< of the lock, as lockPath() made it
    QByteArray client; ///< this client's identity, for the nodes' data
    int permits = 1;   ///< of a semaphore: how many there are in all
    zookeeper::Layout layout = zookeeper::Layout::Curator;
};

/// The recipe of that id over a ZooKeeper, nullptr when there is none.
std::unique_ptr<Recipe> makeZooKeeperRecipe(const QByteArray& id, ZkLock lock);

/// A lock's name as a path: "orders" → "/orders". Kind::Refused for one that ZooKeeper can not have.
std::expected<QByteArray, LockError> lockPath(const QByteArray& name);

/// Nobody knows what became of a request, but the session may come back.
bool connectionFailed(zookeeper::Error::Kind kind);
/// A server's answer as a lock's error, with what it means for the lock.
LockError lockError(const zookeeper::Error& error);
LockError notOwner(const ZkLock& lock);
/// Another library's lock at a path, or a mixture.
LockError foreignFormat(const QByteArray& path, const QString& what);
/// The same of a child of that path.
LockError foreignFormat(const QByteArray& path, ZkFamily family);

/// Removes a child of `parent`, somebody's; false: there is none, or no longer.
Outcome<bool> removeHolder(ZkLock lock, QByteArray parent, std::optional<QByteArray> child, std::stop_token stop);

/// A node of ours in somebody's queue: from before it is made until it is gone. Shared by the attempt, its hold and
/// what tidies up after them.
struct ZkTicket {
    QByteArray parent;
    QByteArray prefix;            ///< of the name, nobody else's unless there is `data`
    QByteArray path;              ///< once it is known
    std::int64_t czxid = 0;       ///< 0: the answer to its creation has not come
    QByteArray data;              ///< what it contains, nobody else's; with commonName or a prefix that others have
    std::uint64_t generation = 0; ///< the session that it was made in
    bool asked = false;           ///< it may be there
    bool guarded = false;         ///< `watch` watches it
    bool commonName = false;      ///< the path is that of the next holder's node as well
    zookeeper::Watch watch;
};

/// Looks which of the nodes with the ticket's prefix is its own, by their data if others have that prefix, too; sets
/// its path when there is one. Nothing of the port is touched once `life` has expired.
zookeeper::Port::Reply<void> findByPrefix(zookeeper::Port* port, std::weak_ptr<const bool> life,
                                          std::shared_ptr<ZkTicket> ticket, std::stop_token stop);

/// Removes the nodes of tickets; when the connection is lost, after it has come back, as long as the session lasts.
/// Returns when that is done, or after a second: then it goes on by itself. Not interruptible: it is what interruptions
/// need.
QCoro::Task<> takeAwayAll(zookeeper::Port& port, std::vector<std::shared_ptr<ZkTicket>> tickets);
/// The same of one, for as long as it takes; false: the session has ended before. Interruptible: it goes on by itself.
QCoro::Task<bool> takeAwayForSure(zookeeper::Port& port, std::shared_ptr<ZkTicket> ticket, std::stop_token stop);
/// The same without waiting.
void takeAwaySoon(zookeeper::Port& port, std::shared_ptr<ZkTicket> ticket);

/// One try of a recipe at its lock, and what it has made on the server: taken away again unless it wins.
struct ZkAttempt {
    std::vector<std::shared_ptr<ZkTicket>> tickets;
    bool again = false; ///< nothing is decided: our node is gone, or it was of a format that others would not see
    /// One more, to be taken away unless this attempt wins.
    std::shared_ptr<ZkTicket> newTicket() { return tickets.emplace_back(std::make_shared<ZkTicket>()); }
};

/// One thread's hold in one mode.
struct ZkHold {
    std::vector<std::shared_ptr<ZkTicket>> nodes; ///< one, or a semaphore's permits
    int count = 1;
    zookeeper::Watch watch; ///< of the session, and of the nodes
    bool begun = false;     ///< somebody has asked for news
    bool suspended = false; ///< as told
    bool over = false;      ///< given up, or told to be lost
    Nanos toldUntil{};
    Nanos guardAt = kNever; ///< when the nodes' watches are to be set
};

/// What the recipes whose holds live as long as their session have in common: hold counts, news of holds, release.
/// isLocked() tells what the server that we are with has heard by then: one of several may be a little behind.
class ZkRecipe : public Recipe {
public:
    explicit ZkRecipe(ZkLock lock) : m_lock(std::move(lock)) {}
    Outcome<HoldNews> news(Grant grant, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    void abandoned(const Grant& grant) override;

protected:
    /// Tries once, until `giveUpAt`; nullopt: not in time, or to be tried `again`. What it makes on the server has a
    /// ticket in `mine` before it is asked for.
    virtual Outcome<std::optional<Grant>> attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                                  std::stop_token stop) = 0;
    /// Attempts until it is decided. Servers that are away for a while are waited for.
    Outcome<std::optional<Grant>> tryUntilDecided(Request request, std::stop_token stop);
    /// One more hold of a thread that has one in that mode; nullopt: it has none, or no longer.
    std::optional<Grant> again(const Request& request);
    /// A hold over nodes that have won; its watch is the first ticket's.
    Grant granted(const Request& request, std::vector<std::shared_ptr<ZkTicket>> nodes);
    Grant granted(const Request& request, std::shared_ptr<ZkTicket> node) {
        return granted(request, std::vector{std::move(node)});
    }
    std::shared_ptr<ZkHold> holdOf(const QByteArray& thread, Mode mode) const;
    /// "lockscope:<client>:<thread>": what our nodes contain, so that people and we can tell whose they are.
    QByteArray data(const QByteArray& thread) const { return "lockscope:" + m_lock.client + ':' + thread; }
    std::uint32_t workStep() const { return static_cast<std::uint32_t>(info().workStep); }

    ZkLock m_lock;

private:
    Grant grantOf(const std::shared_ptr<ZkHold>& hold, const Request& request) const;
    bool alive(const ZkHold& hold) const;
    void forget(const Grant& grant);
    Outcome<bool> guard(std::shared_ptr<ZkHold> hold, std::stop_token stop);
    std::map<std::pair<QByteArray, Mode>, std::shared_ptr<ZkHold>> m_holds;
};

} // namespace lockscope::recipes
