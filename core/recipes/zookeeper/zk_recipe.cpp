// SPDX-License-Identifier: Apache-2.0
#include "recipes/zookeeper/zk_recipe.h"

#include "recipes/zookeeper/zk_ephemeral.h"
#include "recipes/zookeeper/zk_mutex.h"
#include "recipes/zookeeper/zk_read_write.h"
#include "recipes/zookeeper/zk_semaphore.h"
#include "recipes/zookeeper/zk_sequential.h"
#include "runtime/completion.h"
#include "runtime/unless_stopped.h"

#include <QCoreApplication>

namespace lockscope::recipes {

using zookeeper::Error;
using zookeeper::Result;
using zookeeper::Session;
using zookeeper::WatchEvent;

namespace {

/// Until then a hold's node is not watched: most holds are over before, and it would be one more request for each.
constexpr Nanos kShortHold = 25ms;
constexpr Nanos kTakeAwayWaits = 1s;

// Nothing of the port is touched before asking whether it still exists: this may outlive everything.
QCoro::Task<> sweep(zookeeper::Port* port, std::weak_ptr<const bool> life, std::shared_ptr<ZkTicket> ticket,
                    Completion<bool> done) {
    while (!life.expired() && port->session().generation == ticket->generation) {
        Error::Kind failure = Error::Kind::NoNode;
        const bool byPrefix = ticket->path.isEmpty() && !ticket->prefix.isEmpty();
        if (byPrefix || ticket->commonName) {
            // The server that we are with now may not have heard yet of what another one did.
            const QByteArray where = byPrefix ? ticket->parent : ticket->path;
            const Result<void> synced = co_await port->sync(where);
            if (life.expired()) break;
            if (!synced && connectionFailed(synced.error().kind)) continue;
        }
        if (byPrefix) {
            const Result<void> looked = co_await findByPrefix(port, life, ticket, {});
            if (!looked) failure = looked.error().kind;
        }
        bool ours = !ticket->path.isEmpty();
        if (ours && ticket->commonName && !life.expired()) {
            const Result<zookeeper::NodeData> node = co_await port->get(ticket->path);
            ours = node && (ticket->czxid ? node->stat.czxid == ticket->czxid : node->data == ticket->data);
            if (!node) failure = node.error().kind;
        }
        if (ours && !life.expired()) {
            const Result<void> removed = co_await port->remove(ticket->path, -1, {}, ticket->generation);
            if (!removed) failure = removed.error().kind;
        }
        if (!connectionFailed(failure)) break;
    }
    done.complete(true);
}

/// Removes a node whose name is the next holder's as well; NoNode when it is that one's by now.
zookeeper::Port::Reply<void> removeUnlessAnothers(zookeeper::Port* port, std::weak_ptr<const bool> life,
                                                  std::shared_ptr<ZkTicket> ticket, std::stop_token stop) {
    const Result<std::optional<zookeeper::NodeStat>> stat = co_await port->exists(ticket->path, std::nullopt, stop);
    if (!stat) co_return std::unexpected(stat.error());
    const bool ours = *stat && (*stat)->czxid == ticket->czxid;
    Error gone;
    gone.kind = life.expired() ? Error::Kind::SessionLost : Error::Kind::NoNode;
    if (!ours || life.expired()) co_return std::unexpected(gone);
    co_return co_await port->remove(ticket->path, -1, stop, ticket->generation);
}

/// Ends a hold's wait for news without an exception: that its hold is given up is how it usually ends.
struct Nudge {
    zookeeper::Watch watch;
    void operator()() const { watch.nudge(); }
};

Completion<bool> startSweep(zookeeper::Port& port, std::shared_ptr<ZkTicket> ticket) {
    const Completion<bool> done;
    if (!std::exchange(ticket->asked, false)) {
        done.complete(true);
        return done;
    }
    port.runtime().spawn([port = &port, life = port.life(), ticket = std::move(ticket), done] {
        return sweep(port, life, ticket, done);
    });
    return done;
}

} // namespace

zookeeper::Port::Reply<void> findByPrefix(zookeeper::Port* port, std::weak_ptr<const bool> life,
                                          std::shared_ptr<ZkTicket> ticket, std::stop_token stop) {
    const Result<zookeeper::ChildList> list = co_await port->children(ticket->parent, std::nullopt, stop);
    if (!list) co_return std::unexpected(list.error());
    for (const QByteArray& name : list->names) {
        if (!name.startsWith(ticket->prefix)) continue;
        const QByteArray path = zookeeper::childOf(ticket->parent, name);
        if (!ticket->data.isEmpty()) {
            if (life.expired()) break;
            const Result<zookeeper::NodeData> node = co_await port->get(path, std::nullopt, stop);
            if (!node && connectionFailed(node.error().kind)) co_return std::unexpected(node.error());
            if (!node || node->data != ticket->data) continue;
        }
        ticket->path = path;
        break;
    }
    co_return zookeeper::Result<void>();
}

QCoro::Task<> takeAwayAll(zookeeper::Port& port, std::vector<std::shared_ptr<ZkTicket>> tickets) {
    Runtime& runtime = port.runtime();
    const Nanos end = runtime.monotonic() + kTakeAwayWaits;
    std::vector<Completion<bool>> all;
    all.reserve(tickets.size());
    for (auto& ticket : tickets)
        all.push_back(startSweep(port, std::move(ticket)));
    for (const Completion<bool>& done : all) {
        const Nanos left = std::max(Nanos(0), end - runtime.monotonic());
        co_await done.wait(runtime, left);
    }
}

QCoro::Task<bool> takeAwayForSure(zookeeper::Port& port, std::shared_ptr<ZkTicket> ticket, std::stop_token stop) {
    const std::weak_ptr<const bool> life = port.life();
    const std::uint64_t generation = ticket->generation;
    const Completion<bool> done = startSweep(port, std::move(ticket));
    co_await done.wait(port.runtime(), kNever, std::move(stop));
    co_return !life.expired() && port.session().generation == generation;
}

void takeAwaySoon(zookeeper::Port& port, std::shared_ptr<ZkTicket> ticket) {
    startSweep(port, std::move(ticket));
}

RecipeInfo zooKeeperInfo(const char* id, const QString& summary) {
    RecipeInfo info;
    info.id = id;
    info.backend = "zookeeper";
    info.summary = summary;
    info.heldBy = HeldBy::Session;
    info.token = true;
    info.simulated = true;
    return info;
}

std::shared_ptr<ZkHold> ZkRecipe::holdOf(const QByteArray& thread, Mode mode) const {
    const auto found = m_holds.find({thread, mode});
    return found != m_holds.end() && alive(*found->second) ? found->second : nullptr;
}

bool ZkRecipe::alive(const ZkHold& hold) const {
    const Session& session = m_lock.port.session();
    return !hold.over && session.generation == hold.nodes.front()->generation &&
           m_lock.port.runtime().monotonic() < session.until();
}

Grant ZkRecipe::grantOf(const std::shared_ptr<ZkHold>& hold, const Request& request) const {
    const Session& session = m_lock.port.session();
    Grant grant{request.thread,
                hold->nodes.front()->path,
                session.provenAt,
                session.timeout,
                hold->count,
                hold->nodes.front()->czxid,
                request.steps,
                request.mode,
                request.mode == Mode::Permit ? static_cast<int>(hold->nodes.size()) : 1,
                hold};
    grant.steps.at(m_steps.work);
    return grant;
}

std::optional<Grant> ZkRecipe::again(const Request& request) {
    const std::shared_ptr<ZkHold> hold = holdOf(request.thread, request.mode);
    if (!hold) return std::nullopt;
    ++hold->count;
    return grantOf(hold, request);
}

Grant ZkRecipe::granted(const Request& request, std::vector<std::shared_ptr<ZkTicket>> nodes) {
    const auto hold = std::make_shared<ZkHold>();
    hold->nodes = std::move(nodes);
    hold->watch = hold->nodes.front()->watch;
    hold->guardAt = m_lock.port.runtime().monotonic() + kShortHold;
    m_holds[{request.thread, request.mode}] = hold;
    return grantOf(hold, request);
}

void ZkRecipe::forget(const Grant& grant) {
    const auto hold = ownOf<ZkHold>(grant);
    hold->over = true;
    const auto found = m_holds.find({grant.thread, grant.mode});
    if (found != m_holds.end() && found->second == hold) m_holds.erase(found);
}

void ZkRecipe::abandoned(const Grant& grant) {
    const std::shared_ptr<ZkHold> hold = ownOf<ZkHold>(grant);
    if (hold->over) return;
    forget(grant);
    for (const auto& node : hold->nodes)
        takeAwaySoon(m_lock.port, node);
}

Outcome<bool> ZkRecipe::guard(std::shared_ptr<ZkHold> hold, std::stop_token stop) {
    struct Look {
        std::shared_ptr<ZkTicket> node;
        zookeeper::Port::Reply<std::optional<zookeeper::NodeStat>> reply;
    };
    std::vector<Look> looks;
    for (const auto& node : hold->nodes) {
        if (!std::exchange(node->guarded, true))
            looks.push_back({node, m_lock.port.exists(node->path, hold->watch, stop)});
    }
    bool there = true;
    std::optional<Error> failure;
    for (auto& look : looks) {
        const Result<std::optional<zookeeper::NodeStat>> stat = co_await std::move(look.reply);
        if (!stat) failure = stat.error();
        if (std::ranges::find(hold->nodes, look.node) == hold->nodes.end()) continue; // a permit given back meanwhile
        if (stat && (!*stat || (*stat)->czxid != look.node->czxid)) { // gone, or the next holder's of that name
            look.node->asked = false;
            there = false;
        }
    }
    if (!there) co_return false;
    if (failure) {
        for (const auto& node : hold->nodes)
            node->guarded = false;
        co_return std::unexpected(lockError(*failure));
    }
    co_return true;
}

Outcome<HoldNews> ZkRecipe::news(Grant grant, std::stop_token stop) {
    const std::shared_ptr<ZkHold> hold = ownOf<ZkHold>(grant);
    zookeeper::Port& port = m_lock.port;
    Runtime& runtime = port.runtime();
    if (!std::exchange(hold->begun, true)) {
        port.watchSession(hold->watch);
        hold->toldUntil = port.session().until();
    }
    HoldNews lost{HoldNews::Kind::Lost, Nanos(0), ""};
    const std::stop_callback<Nudge> nudge(stop, Nudge{hold->watch});
    for (;;) {
        if (hold->over) co_return lost; // given up meanwhile
        if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
        const Session& session = port.session();
        const Nanos now = runtime.monotonic();
        if (session.generation != hold->nodes.front()->generation || now >= session.until()) {
            lost.reason = QT_TRANSLATE_NOOP("Lock", "the session with the server has ended");
            break;
        }
        const bool suspended = session.state != Session::State::Connected;
        if (suspended != hold->suspended || session.until() != hold->toldUntil) {
            hold->suspended = suspended;
            hold->toldUntil = session.until();
            HoldNews news{suspended ? HoldNews::Kind::Suspended : HoldNews::Kind::Kept, session.until(), ""};
            if (suspended) news.reason = QT_TRANSLATE_NOOP("Lock", "the connection to the server is lost");
            co_return news;
        }
        if (!suspended && now >= hold->guardAt) {
            const std::expected<bool, LockError> there = co_await guard(hold, stop);
            // Without an answer, the session's state says what comes next.
            if (there) hold->guardAt = kNever;
            if (there && !*there) {
                lost.reason = QT_TRANSLATE_NOOP("Lock", "somebody removed our node on the server");
                break;
            }
            if (!there) hold->guardAt = runtime.monotonic() + kShortHold;
            continue;
        }
        const Nanos end = suspended ? session.until() : std::min(session.until(), hold->guardAt);
        const std::optional<WatchEvent> event = co_await hold->watch.next(runtime, end - now);
        if (!event) continue;
        if (event->kind == WatchEvent::Kind::Deleted) {
            const auto gone = std::ranges::find(hold->nodes, event->path, [](const auto& node) { return node->path; });
            if (gone == hold->nodes.end()) continue;
            (*gone)->asked = false; // whatever has that name now is not ours
            lost.reason = QT_TRANSLATE_NOOP("Lock", "somebody removed our node on the server");
            break;
        }
        // The node's fate meanwhile is unknown: look again when the connection is back. A node whose data changed is to
        // be watched again.
        if (event->kind == WatchEvent::Kind::Suspended || event->kind == WatchEvent::Kind::Changed) {
            for (const auto& node : hold->nodes)
                node->guarded = false;
            hold->guardAt = Nanos(0);
        }
    }
    forget(grant);
    for (const auto& node : hold->nodes)
        takeAwaySoon(port, node); // of several permits, the nodes that are still there
    co_return lost;
}

Outcome<int> ZkRecipe::release(Grant grant, std::stop_token stop) {
    const std::shared_ptr<ZkHold> hold = ownOf<ZkHold>(grant);
    if (!hold || hold->over || hold->nodes.front()->generation != m_lock.port.session().generation) {
        if (hold) forget(grant);
        co_return std::unexpected(notOwner(m_lock));
    }
    if (hold->count > 1) co_return --hold->count;
    grant.steps.at(m_steps.release);
    forget(grant);

    zookeeper::Port& port = m_lock.port;
    const std::weak_ptr<const bool> life = port.life(); // this may outlive it
    std::vector<zookeeper::Port::Reply<void>> removals;
    for (const auto& node : hold->nodes) {
        removals.push_back(node->commonName ? removeUnlessAnothers(&port, life, node, stop)
                                            : port.remove(node->path, -1, stop, node->generation));
    }
    bool stopped = false;
    std::optional<Error> failure;
    for (std::size_t i = 0; i < removals.size(); ++i) {
        const auto removed = co_await unlessStopped(std::move(removals[i]));
        stopped = stopped || !removed;
        if (removed && !*removed) failure = removed->error();
        // A node that ends with the session needs no removal.
        if (removed && (*removed || removed->error().kind == Error::Kind::NoNode ||
                        removed->error().kind == Error::Kind::SessionLost))
            hold->nodes[i]->asked = false;
        if (hold->nodes[i]->asked && !life.expired()) takeAwaySoon(port, hold->nodes[i]);
    }
    if (stopped) throw Cancelled(Cancelled::Why::Stopped);
    grant.steps.leave();
    if (!failure) co_return 0;
    if (failure->kind == Error::Kind::NoNode || failure->kind == Error::Kind::SessionLost)
        co_return std::unexpected(notOwner(m_lock));
    if (failure->kind == Error::Kind::Unreachable || failure->kind == Error::Kind::ConnectionLoss) {
        co_return std::unexpected(
            LockError{LockError::Kind::OutcomeUnknown,
                      QCoreApplication::translate("LockError",
                                                  "%1 The lock “%2” is given back as soon as the server can be reached "
                                                  "again, at the latest when the session ends.")
                          .arg(failure->message, QString::fromUtf8(m_lock.path))});
    }
    co_return std::unexpected(lockError(*failure));
}

Outcome<bool> removeHolder(ZkLock lock, QByteArray parent, std::optional<QByteArray> child, std::stop_token stop) {
    if (!child) co_return false;
    const QByteArray path = zookeeper::childOf(parent, *child);
    const Result<void> removed = co_await lock.port.remove(path, -1, stop);
    if (!removed && removed.error().kind == Error::Kind::NoNode) co_return false;
    if (!removed) co_return std::unexpected(lockError(removed.error()));
    co_return true;
}

std::unique_ptr<Recipe> makeZooKeeperRecipe(const QByteArray& id, ZkLock lock) {
    if (id == "zk-ephemeral") return std::make_unique<ZkEphemeral>(std::move(lock));
    if (id == "zk-sequential") return std::make_unique<ZkSequential>(std::move(lock));
    if (id == "zk-mutex") return std::make_unique<ZkMutex>(std::move(lock));
    if (id == "zk-rw") return std::make_unique<ZkReadWrite>(std::move(lock));
    if (id == "zk-semaphore") return std::make_unique<ZkSemaphore>(std::move(lock));
    return nullptr;
}

std::expected<QByteArray, LockError> lockPath(const QByteArray& name) {
    constexpr qsizetype kLongest = 1'000'000; // servers hang up on who sends a request of 1 MiB (jute.maxbuffer)
    if (name.size() > kLongest)
        return std::unexpected(
            LockError{LockError::Kind::Refused,
                      QCoreApplication::translate("LockError", "A lock's name on ZooKeeper cannot have %1 bytes: its "
                                                               "servers take at most %2.")
                          .arg(QString::number(name.size()), QString::number(kLongest))});
    QByteArray path = name.startsWith('/') ? name : '/' + name;
    if (path != "/" && zookeeper::validPath(path) && path != "/zookeeper" && !path.startsWith("/zookeeper/"))
        return path;
    return std::unexpected(LockError{
        LockError::Kind::Refused,
        QCoreApplication::translate("LockError",
                                    "“%1” can not be a lock's name on ZooKeeper: it becomes a path, which has "
                                    "no empty, “.” or “..” parts, no control characters, emoji or what is not "
                                    "UTF-8, and is not the server's own “/zookeeper”.")
            .arg(QString::fromUtf8(name))});
}

bool connectionFailed(Error::Kind kind) {
    return kind == Error::Kind::ConnectionLoss || kind == Error::Kind::Unreachable;
}

LockError lockError(const Error& error) {
    switch (error.kind) {
    case Error::Kind::Unreachable:
    case Error::Kind::SessionLost: // and with it whatever it had asked for
    case Error::Kind::Protocol:
        return {LockError::Kind::Unreachable, error.message};
    case Error::Kind::ConnectionLoss:
        return {LockError::Kind::OutcomeUnknown, error.message};
    case Error::Kind::NotSupported:
        return {LockError::Kind::NotSupported, error.message};
    case Error::Kind::EphemeralParent: // somebody's lock, mostly
        return {LockError::Kind::ForeignFormat, error.message};
    default:
        return {LockError::Kind::Refused, error.message};
    }
}

LockError notOwner(const ZkLock& lock) {
    return {LockError::Kind::NotOwner,
            QCoreApplication::translate("LockError",
                                        "The lock “%1” is no longer ours: its session ended or somebody freed it.")
                .arg(QString::fromUtf8(lock.path))};
}

LockError foreignFormat(const QByteArray& path, const QString& what) {
    return {LockError::Kind::ForeignFormat,
            QCoreApplication::translate(
                "LockError", "At “%1” or below it there is what %2 writes, which this recipe does not share a lock "
                             "with: it was left alone. Use another lock name, or the recipe and the layout= "
                             "that fit.")
                .arg(QString::fromUtf8(path), what)};
}

LockError foreignFormat(const QByteArray& path, ZkFamily family) {
    if (family != ZkFamily::Unknown) return foreignFormat(path, familyName(family));
    return {LockError::Kind::ForeignFormat,
            QCoreApplication::translate(
                "LockError", "Below “%1” there are nodes that are no lock known here, such as the path of another lock "
                             "whose name begins with “%1/”: it was left alone, since somebody may hold it by them. "
                             "Use another lock name.")
                .arg(QString::fromUtf8(path))};
}

} // namespace lockscope::recipes
