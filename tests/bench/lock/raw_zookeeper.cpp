// SPDX-License-Identifier: Apache-2.0
#include "raw.h"

#include <functional>
#include <poll.h>
#include <zookeeper/zookeeper.h>

namespace lockscope::bench {

namespace {

constexpr std::int64_t kPatience = 5'000'000'000;

/// One handle of the C client, and its places: in the queue, and of a semaphore among the leases.
class Node {
public:
    /// Where it puts itself, and as what.
    struct Place {
        QByteArray parent, path;
    };
    Node(const QByteArray& servers, const QByteArray& parent) : queue{parent, {}}, leases{parent + "-leases", {}} {
        m_zh = zookeeper_init(servers.constData(), nullptr, 30'000, nullptr, this, 0);
        // Otherwise it asks the resolver before each wait.
        if (m_zh) zoo_set_servers_resolution_delay(m_zh, -1);
    }
    ~Node() {
        if (m_zh) zookeeper_close(m_zh);
    }
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    zhandle_t* handle() const { return m_zh; }
    bool connected() const { return m_zh && zoo_state(m_zh) == ZOO_CONNECTED_STATE; }
    int due() const { return m_due; } ///< answers that are still to come
    bool failed() const { return m_failed; }
    bool told() const { return m_told; } ///< by the watch

    Place queue, leases;

    void makeParents() {
        for (const Place* place : {&queue, &leases}) {
            ++m_due;
            zoo_acreate(m_zh, place->parent.constData(), nullptr, -1, &ZOO_OPEN_ACL_UNSAFE, 0, &Node::onParent, this);
        }
    }
    /// A place, and who is there: both at once, the server keeps the order.
    void enter(Place& place) {
        ++m_due;
        m_entering = &place;
        zoo_acreate(m_zh, (place.parent + "/lock-").constData(), nullptr, -1, &ZOO_OPEN_ACL_UNSAFE,
                    ZOO_EPHEMERAL | ZOO_SEQUENCE, &Node::onString, this);
        list(place);
    }
    void list(const Place& place) {
        ++m_due;
        zoo_aget_children(m_zh, place.parent.constData(), 0, &Node::onStrings, this);
    }
    void watch(const Node& other) {
        ++m_due;
        m_told = false;
        zoo_awexists(m_zh, other.queue.path.constData(), &Node::onWatch, this, &Node::onStat, this);
    }
    void leave(const Place& place) {
        ++m_due;
        zoo_adelete(m_zh, place.path.constData(), -1, &Node::onVoid, this);
    }

private:
    void answered(int rc) {
        --m_due;
        m_failed = m_failed || (rc != ZOK && rc != ZNODEEXISTS && rc != ZNONODE);
    }
    static Node& of(const void* data) { return *static_cast<Node*>(const_cast<void*>(data)); }
    static void onString(int rc, const char* path, const void* data) {
        if (rc == ZOK) of(data).m_entering->path = path;
        of(data).answered(rc);
    }
    static void onParent(int rc, const char*, const void* data) { of(data).answered(rc); }
    static void onStrings(int rc, const String_vector*, const void* data) { of(data).answered(rc); }
    static void onStat(int rc, const Stat*, const void* data) {
        if (rc == ZNONODE) of(data).m_told = true; // gone already
        of(data).answered(rc);
    }
    static void onVoid(int rc, const void* data) { of(data).answered(rc); }
    static void onWatch(zhandle_t*, int, int, const char*, void* data) { of(data).m_told = true; }

    zhandle_t* m_zh = nullptr;
    Place* m_entering = nullptr;
    int m_due = 0;
    bool m_failed = false;
    bool m_told = false;
};

using Nodes = std::vector<std::unique_ptr<Node>>;

/// Lets the C client send and receive, once; waits for something if there is nothing yet.
void pump(const Nodes& nodes) {
    std::vector<pollfd> sockets;
    int wait = 1000;
    for (const auto& node : nodes) {
        int fd = -1, interest = 0;
        timeval limit{};
        zookeeper_interest(node->handle(), &fd, &interest, &limit);
        const int events =
            ((interest & ZOOKEEPER_READ) != 0 ? POLLIN : 0) | ((interest & ZOOKEEPER_WRITE) != 0 ? POLLOUT : 0);
        sockets.push_back({fd, static_cast<short>(events), 0});
        wait = std::min(wait, static_cast<int>(limit.tv_sec * 1000 + limit.tv_usec / 1000));
    }
    ::poll(sockets.data(), nfds_t(sockets.size()), std::max(wait, 0));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const int events = ((sockets[i].revents & ~POLLOUT) != 0 ? ZOOKEEPER_READ : 0) |
                           ((sockets[i].revents & POLLOUT) != 0 ? ZOOKEEPER_WRITE : 0);
        if (events != 0) zookeeper_process(nodes[i]->handle(), events);
    }
}

std::expected<void, QString> pumpUntil(const Nodes& nodes, const std::function<bool()>& done) {
    const std::int64_t limit = clockNow() + kPatience;
    while (!done()) {
        pump(nodes);
        for (const auto& node : nodes)
            if (node->failed() || clockNow() > limit)
                return std::unexpected(QStringLiteral("The bare client got no answer, or an error, from ZooKeeper."));
    }
    return {};
}

/// Each handle takes and leaves its own queue; of a semaphore, its turn there and then a lease.
class ZooKeeperPairs final : public Raw {
public:
    ZooKeeperPairs(Nodes nodes, bool semaphore) : m_nodes(std::move(nodes)), m_semaphore(semaphore) {}
    std::expected<void, QString> run(Nanos duration, Samples& samples) override {
        const std::int64_t begun = clockNow(), until = begun + duration.count();
        enum class Stage : std::uint8_t { Queues, Leases, Leaves, Done };
        std::vector<Stage> stages(m_nodes.size(), Stage::Queues);
        std::size_t working = m_nodes.size();
        for (const auto& node : m_nodes)
            node->enter(node->queue);
        const auto result = pumpUntil(m_nodes, [&] {
            for (std::size_t i = 0; i < m_nodes.size(); ++i) {
                Node& node = *m_nodes[i];
                if (node.due() > 0 || stages[i] == Stage::Done) continue;
                if (stages[i] == Stage::Queues && m_semaphore) {
                    stages[i] = Stage::Leases;
                    node.enter(node.leases);
                    continue;
                }
                if (stages[i] == Stage::Queues || stages[i] == Stage::Leases) {
                    stages[i] = Stage::Leaves;
                    if (m_semaphore) node.leave(node.leases);
                    node.leave(node.queue);
                    continue;
                }
                ++samples.pairs;
                if (clockNow() < until) {
                    stages[i] = Stage::Queues;
                    node.enter(node.queue);
                } else {
                    stages[i] = Stage::Done;
                    --working;
                }
            }
            return working == 0;
        });
        samples.took += Nanos(clockNow() - begun);
        return result;
    }

private:
    Nodes m_nodes;
    bool m_semaphore;
};

/// All in one queue: who is told leaves at once and comes again at its end.
class ZooKeeperRelay final : public Raw {
public:
    explicit ZooKeeperRelay(Nodes nodes) : m_nodes(std::move(nodes)) {}
    std::expected<void, QString> run(Nanos duration, Samples& samples) override {
        const auto quiet = [&] {
            return std::ranges::all_of(m_nodes, [](const auto& one) { return one->due() == 0; });
        };
        for (const auto& node : m_nodes) { // in this order
            node->enter(node->queue);
            if (const auto done = pumpUntil(m_nodes, quiet); !done) return done;
        }
        for (std::size_t i = 1; i < m_nodes.size(); ++i)
            m_nodes[i]->watch(*m_nodes[i - 1]);
        const std::int64_t begun = clockNow(), until = begun + duration.count();
        std::size_t first = 0;
        while (clockNow() < until) {
            Node& holder = *m_nodes[first];
            const Node& last = *m_nodes[(first + m_nodes.size() - 1) % m_nodes.size()];
            first = (first + 1) % m_nodes.size();
            Node& next = *m_nodes[first];
            holder.leave(holder.queue);
            holder.enter(holder.queue);
            if (const auto done = pumpUntil(m_nodes, [&] { return next.told(); }); !done) return done;
            next.list(next.queue);
            const auto both = [&] { return next.due() == 0 && holder.due() == 0; };
            if (const auto done = pumpUntil(m_nodes, both); !done) return done;
            holder.watch(last);
            ++samples.pairs;
        }
        samples.took += Nanos(clockNow() - begun);
        for (const auto& node : m_nodes)
            node->leave(node->queue);
        return pumpUntil(m_nodes, quiet);
    }

private:
    Nodes m_nodes;
};

/// From the first one's request to leave until the second one has looked again.
class ZooKeeperWake final : public Raw {
public:
    explicit ZooKeeperWake(Nodes nodes) : m_nodes(std::move(nodes)) {}
    std::expected<void, QString> run(Nanos duration, Samples& samples) override {
        Node& first = *m_nodes[0];
        Node& second = *m_nodes[1];
        const std::int64_t begun = clockNow();
        const auto quiet = [&] { return first.due() == 0 && second.due() == 0; };
        while (clockNow() - begun < duration.count()) {
            first.enter(first.queue);
            if (const auto done = pumpUntil(m_nodes, quiet); !done) return done;
            second.enter(second.queue);
            second.watch(first);
            if (const auto done = pumpUntil(m_nodes, quiet); !done) return done;
            napBeforeWaking();
            const std::int64_t left = clockNow();
            first.leave(first.queue);
            if (const auto done = pumpUntil(m_nodes, [&] { return second.told(); }); !done) return done;
            second.list(second.queue);
            if (const auto done = pumpUntil(m_nodes, [&] { return second.due() == 0; }); !done) return done;
            const std::int64_t woken = clockNow();
            samples.latencies.push_back(woken - left);
            samples.took += Nanos(woken - left);
            ++samples.pairs;
            second.leave(second.queue);
            if (const auto done = pumpUntil(m_nodes, quiet); !done) return done;
        }
        return {};
    }

private:
    Nodes m_nodes;
};

} // namespace

MadeRaw makeRawZooKeeper(const ConnectionUrl& url, const QByteArray& recipe, const Workload& workload) {
    using Kind = Workload::Kind;
    if (!url.user.isEmpty()) return nullptr;
    zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
    QByteArray servers;
    for (const Endpoint& endpoint : url.endpoints)
        servers += (servers.isEmpty() ? "" : ",") + endpoint.display().toUtf8();
    const QByteArray name = "/lock_bench-raw-" + QByteArray::number(clockNow(), 16) + '-';
    Nodes nodes;
    for (int i = 0; i < workload.clients; ++i)
        nodes.push_back(std::make_unique<Node>(servers, name + QByteArray::number(workload.oneLock() ? 0 : i)));
    auto ready = pumpUntil(
        nodes, [&] { return std::ranges::all_of(nodes, [](const auto& node) { return node->connected(); }); });
    if (ready) {
        for (const auto& node : nodes)
            node->makeParents();
        ready = pumpUntil(
            nodes, [&] { return std::ranges::all_of(nodes, [](const auto& node) { return node->due() == 0; }); });
    }
    if (!ready) return std::unexpected(ready.error());
    if (workload.kind == Kind::Wake) return std::make_unique<ZooKeeperWake>(std::move(nodes));
    if (workload.contended() && nodes.size() > 1) return std::make_unique<ZooKeeperRelay>(std::move(nodes));
    return std::make_unique<ZooKeeperPairs>(std::move(nodes), recipe == "zk-semaphore");
}

} // namespace lockscope::bench
