// SPDX-License-Identifier: Apache-2.0
#include "connections/redis/cluster_watch.h"

#include "connections/redis/topology_errors.h"
#include "ports/redis/errors.h"

namespace lockscope::redis {

namespace {
constexpr Nanos kNextNodeAfter = 300ms; ///< a node that has not answered by then is not waited for alone
constexpr Nanos kAnswerLimit = 1s;
constexpr Nanos kFirstPause = 50ms, kLongestPause = 500ms;

bool refusesUs(const Error& error) {
    using Kind = Error::Kind;
    return error.kind == Kind::Refused || error.kind == Kind::AuthFailed || error.kind == Kind::TlsFailed ||
           error.kind == Kind::WrongUrl;
}
} // namespace

/// One question to nodes, one after the other: the first map counts.
struct ClusterWatch::Poll {
    bool known = false;  ///< a map came and was taken
    SignalCount answers; ///< of any kind
    std::size_t open = 0;
    std::optional<Error> refusal;
    bool allRefuse = true;
};

ClusterWatch::ClusterWatch(Runtime& runtime, Dialler dial, const ConnectionUrl& url, DriverOptions options)
    : m_runtime(runtime), m_dial(std::move(dial)), m_url(url), m_options(optionsOf(url, std::move(options))) {
    m_url.service = Service::Redis;
    m_url.scheme = url.tls ? QStringLiteral("rediss") : QStringLiteral("redis");
    m_options.sharded = true;
    m_options.retryLongest = std::min<Nanos>(m_options.retryLongest, 1s); // a node that returns is wanted at once
}

void ClusterWatch::start() {
    const std::vector<Endpoint> seeds = m_url.endpoints;
    for (const Endpoint& at : seeds)
        nodeAt(at)->seed = true;
    refreshSoon();
}

void ClusterWatch::close() {
    m_closing.request_stop();
    for (auto& [slot, era] : m_eras)
        era.request_stop();
    for (const NodePtr& node : m_nodes)
        node->driver.reset();
    for (const auto& dropped : m_dropped)
        if (const NodePtr node = dropped.lock()) node->driver.reset();
    m_answered.releaseAll();
}

ClusterWatch::NodePtr ClusterWatch::ownerOf(int slot) const {
    return m_owners[std::size_t(slot)];
}

std::vector<ClusterWatch::NodePtr> ClusterWatch::inOrderOfHope() const {
    std::vector<NodePtr> nodes = m_nodes;
    const auto hope = [](const NodePtr& node) {
        const bool connected = node->driver && node->driver->status().state == Status::State::Connected;
        return (connected ? 0 : 2) + (node->owner ? 0 : 1) + (node->doubted ? 4 : 0);
    };
    std::ranges::stable_sort(nodes, std::less(), hope);
    return nodes;
}

ClusterWatch::NodePtr ClusterWatch::anyNode() const {
    return m_nodes.empty() ? nullptr : inOrderOfHope().front();
}

ClusterWatch::NodePtr ClusterWatch::nodeOver(std::uint32_t connection) const {
    const auto isIt = [connection](const NodePtr& node) {
        return node && node->driver && node->driver->connection() == connection;
    };
    for (const NodePtr& node : m_nodes)
        if (isIt(node)) return node;
    for (const auto& dropped : m_dropped)
        if (NodePtr node = dropped.lock(); isIt(node)) return node;
    return nullptr;
}

ClusterWatch::NodePtr ClusterWatch::nodeAt(const Endpoint& at) {
    const auto found = std::ranges::find(m_nodes, at, [](const NodePtr& node) { return node->at; });
    if (found != m_nodes.end()) return *found;
    ConnectionUrl url = m_url;
    url.endpoints = {at};
    auto node = std::make_shared<Node>();
    node->at = at;
    node->driver = m_dial(m_runtime, url, m_options);
    node->driver->onStatus([this, known = false](const Status& status) mutable {
        if (status.state == Status::State::Retrying) refreshSoon(); // another node may take over its slots
        if (status.state == Status::State::Connected && std::exchange(known, true)) m_reconnects.callSoon(m_runtime);
    });
    m_nodes.push_back(node);
    return node;
}

void ClusterWatch::setOwner(int slot, const NodePtr& node) {
    NodePtr& owner = m_owners[std::size_t(slot)];
    if (owner == node) return;
    m_ownersChanged = m_ownersChanged || owner;
    owner = node;
    const auto era = m_eras.find(slot);
    if (era == m_eras.end()) return;
    era->second.request_stop(); // its channels are served elsewhere from now on
    m_eras.erase(era);
}

void ClusterWatch::tellOfOwners() {
    if (std::exchange(m_ownersChanged, false)) m_reconnects.callSoon(m_runtime);
}

void ClusterWatch::moved(int slot, const Endpoint& to) {
    const NodePtr node = nodeAt(to);
    node->owner = true;
    setOwner(slot, node);
    tellOfOwners();
    refreshSoon(); // slots seldom move one at a time
}

// --- who owns what ---

void ClusterWatch::refreshSoon() {
    if (closed()) return;
    m_refreshAgain = true;
    if (std::exchange(m_refreshing, true)) return;
    const auto self = shared_from_this();
    m_runtime.spawn([self] { return refresh(self); });
}

bool ClusterWatch::anyOwnerAway() const {
    return std::ranges::any_of(m_nodes, [](const NodePtr& node) {
        return node->owner && node->driver && node->driver->status().state == Status::State::Retrying;
    });
}

QCoro::Task<> ClusterWatch::refresh(std::shared_ptr<ClusterWatch> self) {
    for (Nanos pause = kFirstPause; self->m_refreshAgain; pause = std::min(pause * 2, kLongestPause)) {
        self->m_refreshAgain = false;
        self->m_asking = true;
        const bool known = co_await askAll(self);
        self->m_asking = false;
        if (self->closed()) co_return;
        self->m_answered.releaseAll();
        if (!known || self->anyOwnerAway()) self->m_refreshAgain = true;
        // Also after an answer, so that a cluster that moves many slots is not asked once for each.
        co_await self->m_runtime.sleep(self->m_runtime.random(pause / 2, pause), self->m_closing.get_token());
    }
    self->m_refreshing = false;
}

QCoro::Task<bool> ClusterWatch::askAll(std::shared_ptr<ClusterWatch> self) {
    const auto poll = std::make_shared<Poll>();
    const std::stop_token stop = self->m_closing.get_token();
    const std::vector<NodePtr> nodes = self->inOrderOfHope();
    for (const NodePtr& node : nodes) {
        ++poll->open;
        self->m_runtime.spawn([self, node, poll] { return ask(self, node, poll); });
        co_await poll->answers.acquire(self->m_runtime, kNextNodeAfter, stop);
        if (poll->known) co_return true; // else it refused, or has not answered yet: ask the next one
    }
    const Nanos end = self->m_runtime.monotonic() + kAnswerLimit;
    while (poll->open > 0 && self->m_runtime.monotonic() < end) {
        co_await poll->answers.acquire(self->m_runtime, kNextNodeAfter, stop);
        if (poll->known) co_return true;
    }
    self->m_hopeless.reset();
    if (poll->open == 0 && poll->allRefuse && !self->m_hasMap) self->m_hopeless = poll->refusal;
    co_return false;
}

QCoro::Task<> ClusterWatch::ask(std::shared_ptr<ClusterWatch> self, NodePtr node, std::shared_ptr<Poll> poll) {
    const Result map = co_await node->driver->call(argsOf("CLUSTER", "SLOTS"), self->m_closing.get_token());
    --poll->open;
    poll->answers.release();
    if (self->closed()) co_return;
    node->complaint = map ? QString() : map.error().message;
    if (!map) {
        poll->refusal = map.error();
        poll->allRefuse = poll->allRefuse && refusesUs(map.error());
        co_return;
    }
    poll->allRefuse = false;
    if (!poll->known) poll->known = self->apply(*map, node->at.host);
}

// [[first slot, last slot, [address, port, id, …], replica, …], …]
bool ClusterWatch::apply(const Reply& map, const QString& askedHost) {
    if (map.items.empty()) return false; // a node that belongs to no cluster yet
    for (const NodePtr& node : m_nodes)
        node->owner = false;
    for (const Reply& range : map.items) {
        if (range.items.size() < 3 || range.items[2].items.size() < 2) continue;
        const Reply& master = range.items[2];
        const QString host = QString::fromUtf8(master.items[0].text);
        const bool unnamed = host.isEmpty() || host == u"?";
        const NodePtr node = nodeAt({unnamed ? askedHost : host, std::uint16_t(master.items[1].integer)});
        node->owner = true;
        const auto first = std::max<std::int64_t>(0, range.items[0].integer);
        const auto last = std::min<std::int64_t>(kClusterSlots - 1, range.items[1].integer);
        for (auto slot = first; slot <= last; ++slot)
            setOwner(int(slot), node);
    }
    tellOfOwners();
    // A node that owns no slots any more keeps its connection only while somebody uses it, or as a place to ask.
    std::erase_if(m_dropped, [](const std::weak_ptr<Node>& node) { return node.expired(); });
    std::erase_if(m_nodes, [this](const NodePtr& node) {
        const bool unused = !node->owner && !node->seed;
        if (unused) m_dropped.push_back(node);
        return unused;
    });
    m_hasMap = true;
    m_hopeless.reset();
    return true;
}

QCoro::Task<bool> ClusterWatch::waitForMap(Nanos timeout, std::stop_token stop) {
    const auto self = shared_from_this();
    if (self->m_hopeless || self->closed()) co_return false;
    if (!self->m_asking) self->refreshSoon();
    const bool answered = co_await self->m_answered.acquire(self->m_runtime, timeout, std::move(stop));
    co_return answered && self->m_hasMap && !self->closed();
}

Error ClusterWatch::trouble(int slot, Nanos after) const {
    if (m_hopeless) return *m_hopeless;
    QStringList asked;
    for (const NodePtr& node : m_nodes)
        if (!node->complaint.isEmpty()) asked += node->complaint;
    return errors::noClusterNode(slot, after, asked);
}

// --- for subscriptions ---

QCoro::Task<FeedSource::Place> ClusterWatch::placeOf(QByteArray channel, std::stop_token stop) {
    // A message published at any node of a cluster reaches all of them. The slot's owner has it first: releases are
    // published there.
    const auto self = shared_from_this();
    const int slot = keySlot(channel);
    while (!self->m_owners[std::size_t(slot)]) {
        co_await waitForMap(1s, stop);
        if (self->closed()) throw Cancelled(Cancelled::Why::Stopped);
        // When every node refuses us, the wait above ends at once: pause. The search goes on by itself.
        if (self->m_hopeless) co_await self->m_runtime.sleep(1s, stop);
    }
    if (self->closed()) throw Cancelled(Cancelled::Why::Stopped);
    const std::stop_token moved = self->m_eras[slot].get_token();
    co_return Place{self->m_owners[std::size_t(slot)]->driver.get(), moved};
}

Error ClusterWatch::silence(const QByteArray& channel, Nanos after) const {
    const int slot = keySlot(channel);
    const NodePtr owner = ownerOf(slot);
    return owner ? errors::notSubscribed(after, owner->at.display()) : trouble(slot, after);
}

void ClusterWatch::complain(const QByteArray&, const Error&) {
    refreshSoon();
}

} // namespace lockscope::redis
