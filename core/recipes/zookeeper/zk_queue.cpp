// SPDX-License-Identifier: Apache-2.0
#include "recipes/zookeeper/zk_queue.h"

namespace lockscope::recipes {

using zookeeper::ChildList;
using zookeeper::CreatedNode;
using zookeeper::Error;
using zookeeper::NodeMode;
using zookeeper::Result;
using zookeeper::Session;
using zookeeper::WatchEvent;

namespace {
/// A server that loses the parent again and again is not worth more tries.
constexpr int kMostTries = 10;

bool contains(const std::vector<ZkChild>& children, const QByteArray& name) {
    return std::ranges::find(children, name, &ZkChild::name) != children.end();
}

bool isPlainLock(const ZkChild& child) {
    return child.family == ZkFamily::Curator || child.family == ZkFamily::GoZooKeeper ||
           child.family == ZkFamily::Kazoo || child.family == ZkFamily::Menagerie;
}
} // namespace

std::optional<ZkBlocker> predecessor(const std::vector<ZkChild>& children, const QByteArray& own) {
    const ZkChild* before = nullptr;
    int lower = 0;
    for (const ZkChild& child : children) {
        if (child.name == own) break;
        if (!isPlainLock(child)) continue;
        before = &child;
        ++lower;
    }
    if (!before) return std::nullopt;
    return ZkBlocker{before->name, lower == 1};
}

std::optional<QByteArray> lowestLock(const std::vector<ZkChild>& children) {
    const auto lowest = std::ranges::find_if(children, &isPlainLock);
    if (lowest == children.end()) return std::nullopt;
    return lowest->name;
}

QByteArray uniquePrefix(Runtime& runtime, zookeeper::Layout layout) {
    QByteArray unique = runtime.randomUuid();
    return layout == zookeeper::Layout::Kazoo ? unique.replace("-", "") : "_c_" + unique + '-';
}

Nanos patienceUntil(zookeeper::Port& port, Nanos giveUpAt) {
    if (port.session().state != Session::State::Suspended || giveUpAt == kNever) return kNever;
    return std::max(Nanos(0), giveUpAt - port.runtime().monotonic());
}

Outcome<std::vector<ZkChild>> ZkQueue::look(std::stop_token stop, Nanos giveUpAt) {
    const Nanos patience = patienceUntil(m_port, giveUpAt);
    if (patience != kNever) {
        const Result<void> back = co_await m_port.connected(patience, stop);
        if (!back) co_return std::unexpected(lockError(back.error()));
    }
    const Result<ChildList> list = co_await m_port.children(m_path, std::nullopt, stop);
    if (list) {
        m_lastChange = list->stat.pzxid;
        if (!isPlain(list->stat)) {
            const std::expected<void, LockError> judged = co_await judgeNode(list->stat, stop);
            if (!judged) co_return std::unexpected(judged.error());
        }
        co_return readZkChildren(list->names);
    }
    if (list.error().kind == Error::Kind::NoNode) co_return std::vector<ZkChild>();
    co_return std::unexpected(lockError(list.error()));
}

HolderInfo makerOf(const zookeeper::NodeData& node) {
    HolderInfo maker;
    if (const QByteArray who = zkOwnerIn(node.data); !who.isEmpty()) {
        maker = HolderInfo::of(who);
    } else { // other libraries write their host's address there, or nothing
        maker.client = "session 0x" + QByteArray::number(qulonglong(node.stat.ephemeralOwner), 16);
    }
    maker.token = node.stat.czxid;
    return maker;
}

Outcome<std::optional<HolderInfo>> ZkQueue::holderAt(QByteArray child, std::stop_token stop) {
    const Result<zookeeper::NodeData> node =
        co_await m_port.get(zookeeper::childOf(m_path, child), std::nullopt, std::move(stop));
    if (!node && node.error().kind == Error::Kind::NoNode) co_return std::nullopt;
    if (!node) co_return std::unexpected(lockError(node.error()));
    HolderInfo holder = makerOf(*node);
    // A node tells when its maker asked. That is when it got the lock, too, if no child has come or gone since: then
    // nobody was before it.
    if (node->stat.czxid == m_lastChange) holder.sinceWallMs = node->stat.ctime;
    co_return holder;
}

bool ZkQueue::isPlain(const zookeeper::NodeStat& stat) const {
    return stat.ephemeralOwner == 0 && (stat.dataLength == 0 || stat.mzxid == m_judged);
}

/// Some locks are the node at the path itself: a client that looks only at its children would take them for free. Each
/// list of children tells whether the node has data, so usual paths cost nothing more.
Outcome<void> ZkQueue::judgeNode(zookeeper::NodeStat stat, std::stop_token stop) {
    using Judgement = std::expected<void, LockError>;
    if (stat.ephemeralOwner != 0) co_return std::unexpected(foreignFormat(m_path, familyName(ZkFamily::Ephemeral)));
    const Result<zookeeper::NodeData> node = co_await m_port.get(m_path, std::nullopt, stop);
    if (!node && node.error().kind == Error::Kind::NoNode) co_return Judgement();
    if (!node) co_return std::unexpected(lockError(node.error()));
    if (const auto family = familyOfData(node->data))
        co_return std::unexpected(foreignFormat(m_path, familyName(*family)));
    m_judged = node->stat.mzxid;
    co_return Judgement();
}

zookeeper::Port::Reply<void> ZkQueue::makeParents(std::stop_token stop) {
    // Once it has seen a lock's path, kazoo takes for granted that it stays; a container goes when it is empty.
    const NodeMode mode = m_layout == zookeeper::Layout::Curator ? NodeMode::Container : NodeMode::Persistent;
    return m_port.makePath(m_path, mode, std::move(stop));
}

Outcome<bool> ZkQueue::findAgain(std::shared_ptr<ZkTicket> ticket, Nanos giveUpAt, std::stop_token stop) {
    for (;;) {
        const Nanos patience = patienceUntil(m_port, giveUpAt);
        const Result<void> back = co_await m_port.connected(patience, stop);
        if (!back) co_return std::unexpected(lockError(back.error()));
        if (m_port.session().generation != ticket->generation) co_return false; // it went with its session
        // The server that we are with now may not have heard yet of what another one did.
        const Result<void> synced = co_await m_port.sync(m_path, stop);
        if (!synced && synced.error().kind == Error::Kind::ConnectionLoss) continue;
        const Result<void> looked = co_await findByPrefix(&m_port, m_port.life(), ticket, stop);
        if (!looked && looked.error().kind == Error::Kind::ConnectionLoss) continue;
        if (!looked && looked.error().kind == Error::Kind::NoNode) co_return false;
        if (!looked) co_return std::unexpected(lockError(looked.error()));
        if (ticket->path.isEmpty()) co_return false;
        const auto stat = co_await m_port.exists(ticket->path, std::nullopt, stop);
        if (!stat && stat.error().kind == Error::Kind::ConnectionLoss) continue;
        if (!stat) co_return std::unexpected(lockError(stat.error()));
        if (*stat) ticket->czxid = (*stat)->czxid;
        if (!*stat) ticket->path.clear();
        co_return bool(*stat);
    }
}

/// Two nodes in one transaction: no other number is between theirs, so a contender that waits for one of them waits for
/// both, and no two contenders can wait for each other.
zookeeper::Port::Reply<CreatedNode> ZkQueue::createBoth(QByteArray name, std::shared_ptr<ZkTicket> twin,
                                                        QByteArray twinName, QByteArray data, std::stop_token stop) {
    std::vector<zookeeper::Op> nodes;
    for (const QByteArray& path : {name, twinName})
        nodes.push_back({zookeeper::Op::Kind::Create, path, data, NodeMode::EphemeralSequential});
    const Result<std::vector<QByteArray>> made = co_await m_port.multi(std::move(nodes), stop);
    if (!made) co_return std::unexpected(made.error());
    CreatedNode first;
    first.path = made->front();
    twin->path = made->back();
    // Its transaction's number is the fencing token, and a transaction's answer does not tell it.
    const Result<std::optional<zookeeper::NodeStat>> stat = co_await m_port.exists(first.path, std::nullopt, stop);
    if (!stat) co_return std::unexpected(stat.error());
    if (*stat) first.stat = **stat;
    twin->czxid = first.stat.czxid;
    co_return first;
}

Outcome<std::vector<ZkChild>> ZkQueue::join(std::shared_ptr<ZkTicket> ticket, QByteArray prefix, QByteArray kind,
                                            QByteArray data, Nanos giveUpAt, std::stop_token stop,
                                            std::shared_ptr<ZkTicket> twin, QByteArray twinKind) {
    ticket->parent = m_path;
    ticket->prefix = prefix.isEmpty() ? kind : prefix;
    if (prefix.isEmpty()) data = ticket->data = data + ':' + m_port.runtime().randomUuid();
    std::optional<Error> last;
    for (int tries = 0; tries < kMostTries; ++tries) {
        if (m_port.session().state != Session::State::Connected) {
            const Nanos patience = patienceUntil(m_port, giveUpAt);
            const Result<void> ready = co_await m_port.connected(patience, stop);
            if (!ready) co_return std::unexpected(lockError(ready.error()));
        }
        ticket->generation = m_port.session().generation;
        ticket->asked = true;
        // Both are on their way before the first answer: the server does them in this order.
        const QByteArray name = zookeeper::childOf(m_path, prefix + kind);
        if (twin) {
            twin->parent = m_path;
            twin->generation = ticket->generation;
            twin->asked = true;
        }
        auto creating = twin ? createBoth(name, twin, zookeeper::childOf(m_path, twin->prefix + twinKind), data, stop)
                             : m_port.create(name, data, NodeMode::EphemeralSequential, Nanos(0), stop);
        auto listing = m_port.children(m_path, std::nullopt, stop);
        const Result<CreatedNode> created = co_await std::move(creating);
        bool mine = created.has_value();
        if (created) { // at once: a stop request may end the next wait, and then this is to be taken away
            ticket->path = created->path;
            ticket->czxid = created->stat.czxid;
        }
        const Result<ChildList> list = co_await std::move(listing);
        if (list && !isPlain(list->stat)) {
            const std::expected<void, LockError> judged = co_await judgeNode(list->stat, stop);
            if (!judged) co_return std::unexpected(judged.error());
        }
        if (created) {
            // Joined.
        } else if (created.error().kind == Error::Kind::NoNode) {
            const Result<void> made = co_await makeParents(stop);
            if (!made && made.error().kind != Error::Kind::ConnectionLoss)
                co_return std::unexpected(lockError(made.error()));
        } else if (created.error().kind == Error::Kind::ConnectionLoss) {
            const std::expected<bool, LockError> found = co_await findAgain(ticket, giveUpAt, stop);
            if (!found) co_return std::unexpected(found.error());
            mine = *found;
            if (mine && twin) {
                const std::expected<bool, LockError> both = co_await findAgain(twin, giveUpAt, stop);
                if (!both) co_return std::unexpected(both.error());
                if (!*both) co_return std::unexpected(lockError(created.error())); // somebody removed one of them
            }
        } else if (created.error().kind != Error::Kind::SessionLost) {
            co_return std::unexpected(lockError(created.error()));
        }
        if (!mine) {
            if (!created) last = created.error();
            continue;
        }
        if (list) {
            auto children = readZkChildren(list->names);
            if (contains(children, zookeeper::nameOf(ticket->path))) co_return children;
        }
        co_return co_await look(stop, giveUpAt);
    }
    co_return std::unexpected(lockError(*last));
}

bool ZkQueue::isFirst(const ZkTicket& ticket, const std::vector<ZkChild>& children, ZkRule rule) const {
    const Session& session = m_port.session();
    if (session.generation != ticket.generation || session.state != Session::State::Connected) return false;
    const QByteArray own = zookeeper::nameOf(ticket.path);
    return contains(children, own) && !rule(children, own);
}

Outcome<bool> ZkQueue::blockerThere(std::shared_ptr<ZkTicket> ticket, QByteArray blocker, std::stop_token stop) {
    // A data watch leaves nothing behind when the node is gone already, an existence watch would.
    auto watching = m_port.get(zookeeper::childOf(m_path, blocker), ticket->watch, stop);
    bool inQueue = true;
    if (!std::exchange(ticket->guarded, true)) {
        const auto own = co_await m_port.exists(ticket->path, ticket->watch, stop);
        if (!own) ticket->guarded = false; // the other request has failed as well
        if (own) inQueue = own->has_value();
    }
    const Result<zookeeper::NodeData> there = co_await std::move(watching);
    if (!inQueue) co_return false; // somebody removed it since the list: the next one shows that
    if (there) co_return true;
    if (there.error().kind == Error::Kind::NoNode || there.error().outcomeUnknown()) co_return false;
    // A client that may not read a node cannot wait for it.
    co_return std::unexpected(lockError(there.error()));
}

Outcome<ZkTurn> ZkQueue::await(std::shared_ptr<ZkTicket> ticket, std::vector<ZkChild> children, ZkRule rule,
                               Nanos giveUpAt, Steps steps, StepNumber waitStep, std::stop_token stop) {
    Runtime& runtime = m_port.runtime();
    const QByteArray own = zookeeper::nameOf(ticket->path);
    for (;;) {
        const Session& session = m_port.session();
        if (session.generation != ticket->generation) co_return ZkTurn::Gone;
        if (session.state != Session::State::Connected) {
            // Suspended: our place is kept while the session lasts.
            const Nanos now = runtime.monotonic();
            const Nanos left = giveUpAt == kNever ? kNever : std::max(Nanos(0), giveUpAt - now);
            const Result<void> back = co_await m_port.connected(left, stop);
            if (!back && runtime.monotonic() >= giveUpAt) co_return ZkTurn::TimedOut;
            if (!back) co_return std::unexpected(lockError(back.error()));
            const std::expected<std::vector<ZkChild>, LockError> again = co_await look(stop, giveUpAt);
            if (!again && m_port.session().state == Session::State::Connected) co_return std::unexpected(again.error());
            if (again) children = *again;
            continue;
        }
        if (!contains(children, own)) co_return ZkTurn::Gone;
        const std::optional<ZkBlocker> blocker = rule(children, own);
        if (!blocker) co_return ZkTurn::Granted;
        if (runtime.monotonic() >= giveUpAt) co_return ZkTurn::TimedOut;
        steps.at(waitStep);
        const std::expected<bool, LockError> there = co_await blockerThere(ticket, blocker->name, stop);
        if (!there) co_return std::unexpected(there.error());

        const QByteArray blockerPath = zookeeper::childOf(m_path, blocker->name);
        bool lookAgain = !*there;
        while (!lookAgain) {
            const Nanos now = runtime.monotonic();
            const Nanos left = giveUpAt == kNever ? kNever : std::max(Nanos(0), giveUpAt - now);
            const std::optional<WatchEvent> event = co_await ticket->watch.next(runtime, left, stop);
            if (!event) co_return ZkTurn::TimedOut;
            if (event->kind == WatchEvent::Kind::Lost) co_return ZkTurn::Gone;
            if (event->kind == WatchEvent::Kind::Deleted && event->path == ticket->path) co_return ZkTurn::Gone;
            const bool gone = event->kind == WatchEvent::Kind::Deleted && event->path == blockerPath;
            // Nothing is asked any more: our node is watched as well, and would have told first.
            const bool sameSession = m_port.session().generation == ticket->generation;
            if (gone && blocker->only && ticket->guarded && sameSession) co_return ZkTurn::Granted;
            const bool changed = event->kind == WatchEvent::Kind::Changed;
            const bool suspended = event->kind == WatchEvent::Kind::Suspended;
            // Somebody wrote into our node: that was all that its watch will tell.
            if (suspended || (changed && event->path == ticket->path)) ticket->guarded = false;
            lookAgain = gone || changed || suspended;
        }
        if (m_port.session().state != Session::State::Connected) continue;
        const std::expected<std::vector<ZkChild>, LockError> again = co_await look(stop, giveUpAt);
        if (again) {
            children = *again;
        } else if (m_port.session().state == Session::State::Connected &&
                   m_port.session().generation == ticket->generation &&
                   again.error().kind != LockError::Kind::OutcomeUnknown) {
            co_return std::unexpected(again.error());
        }
    }
}

Outcome<std::vector<HolderInfo>> ZkQueued::firstOf(std::stop_token stop) {
    for (;;) {
        const std::expected<std::vector<ZkChild>, LockError> children = co_await m_queue.look(stop);
        if (!children) co_return std::unexpected(children.error());
        const std::optional<QByteArray> first = lowestLock(*children);
        if (!first) co_return std::vector<HolderInfo>();
        const std::expected<std::optional<HolderInfo>, LockError> holder = co_await m_queue.holderAt(*first, stop);
        if (!holder) co_return std::unexpected(holder.error());
        if (*holder) co_return std::vector{**holder};
    } // it was gone between the two looks: see who is first now
}

Outcome<std::optional<Grant>> ZkQueued::holdWhenFirst(std::shared_ptr<ZkAttempt> mine, std::vector<ZkChild> children,
                                                      ZkRule rule, Request request, Nanos giveUpAt,
                                                      std::stop_token stop) {
    const std::shared_ptr<ZkTicket> ticket = mine->tickets.front();
    const std::expected<ZkTurn, LockError> turn =
        co_await m_queue.await(ticket, std::move(children), rule, giveUpAt, request.steps, Step::Watch, stop);
    if (!turn) co_return std::unexpected(turn.error());
    mine->again = *turn == ZkTurn::Gone;
    if (*turn != ZkTurn::Granted) co_return std::nullopt;
    co_return granted(request, mine->tickets);
}

} // namespace lockscope::recipes
