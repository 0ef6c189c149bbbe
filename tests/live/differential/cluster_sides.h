// SPDX-License-Identifier: Apache-2.0
// A Redis Cluster of three masters and a replica of each: a real one, and a simulated one, behind one face.
#pragma once
#include "sandbox/redis_cluster.h"
#include "simulated_servers.h"

namespace lockscope::differential {

inline constexpr int kMasters = 3, kNodes = 6;
inline constexpr std::chrono::milliseconds kNodeTimeout = 2s;

class ClusterGroup : public Group {
public:
    /// A node's name within the cluster.
    virtual QByteArray id(int node) = 0;
    /// The node that has this address, "host:port"; -1: none.
    virtual int nodeAt(const QByteArray& address) const = 0;

    /// A reply's text with the numbers of nodes instead of their addresses.
    QByteArray plain(const std::optional<redis::Reply>& reply) const {
        if (!reply) return "(cut off)";
        const QByteArray text = shown(*reply);
        if (!text.startsWith("-MOVED ") && !text.startsWith("-ASK ")) return text;
        const qsizetype space = text.lastIndexOf(' ');
        return text.first(space) + " node " + QByteArray::number(nodeAt(text.sliced(space + 1)));
    }
    /// CLUSTER SLOTS as a node tells it: "0-5460: 0 3 | 5461-…", masters first; empty: no answer.
    QByteArray map(int node) {
        const auto reply = askOnce(node, {"CLUSTER", "SLOTS"});
        QByteArrayList ranges;
        for (std::size_t i = 0; reply && i < reply->items.size(); ++i) {
            const auto& range = reply->items[i].items;
            if (range.size() < 3) return {};
            QByteArrayList nodes;
            for (std::size_t n = 2; n < range.size(); ++n) {
                const QByteArray address =
                    range[n].items[0].text + ':' + QByteArray::number(qint64(range[n].items[1].integer));
                nodes += QByteArray::number(nodeAt(address));
            }
            std::sort(nodes.begin() + 1, nodes.end()); // replicas come in no order
            ranges += QByteArray::number(qint64(range[0].integer)) + '-' +
                      QByteArray::number(qint64(range[1].integer)) + ": " + nodes.join(' ');
        }
        return ranges.join(" | ");
    }
    /// Whether each of these nodes serves, and tells this one map in which they all stand, and no other node.
    bool agree(const std::set<int>& nodes) {
        const QByteArray first = map(*nodes.begin());
        if (first.isEmpty()) return false;
        std::set<int> named;
        for (const QByteArray& range : first.split('|'))
            for (const QByteArray& node : range.split(':').last().trimmed().split(' '))
                named.insert(node.toInt());
        if (named != nodes) return false;
        return std::ranges::all_of(nodes, [&](int node) {
            const auto state = askOnce(node, {"CLUSTER", "INFO"});
            return state && state->text.contains("cluster_state:ok") && map(node) == first;
        });
    }
};

class RealCluster final : public ClusterGroup {
public:
    QString start() { return test::start(m_cluster); }

    int connect(int server) override { return m_sessions.connect(m_cluster.at(server).port()); }
    std::optional<redis::Reply> ask(int session, const redis::Args& args) override {
        return m_sessions.ask(session, args);
    }
    void kill(int server) override { m_cluster.at(server).kill(); }
    void restart(int server) override {
        const auto started = test::run(m_cluster.at(server).start());
        if (!started) qWarning("%s", qPrintable(started.error()));
    }
    void pause(int server) override { m_cluster.at(server).pause(); }
    void resume(int server) override { m_cluster.at(server).resume(); }
    // Real servers live by real time: so much of it the story lets pass, as it does in the model.
    void advance(std::chrono::milliseconds time) override { QTest::qWait(int(time.count())); }
    QByteArray id(int node) override { return m_cluster.id(node); }
    int nodeAt(const QByteArray& address) const override {
        for (int i = 0; i < kNodes; ++i)
            if (address.split(':').last().toInt() == m_ports[std::size_t(i)]) return i;
        return -1;
    }
    void notePorts() {
        for (int i = 0; i < kNodes; ++i)
            m_ports[std::size_t(i)] = m_cluster.at(i).port();
    }

private:
    static sandbox::RedisClusterOptions options() {
        sandbox::RedisClusterOptions options;
        options.masters = kMasters;
        options.replicas = 1;
        options.nodeTimeoutMs = int(kNodeTimeout.count());
        return options;
    }
    EventLoopRuntime m_runtime;
    sandbox::RedisCluster m_cluster{m_runtime, options()};
    std::array<int, kNodes> m_ports{};
    RealSessions m_sessions;
};

class SimulatedCluster final : public SimulatedServers<ClusterGroup> {
public:
    explicit SimulatedCluster(std::uint64_t seed) : SimulatedServers(settings(), seed, 2s) {}

    QByteArray id(int node) override {
        const auto reply = askOnce(node, {"CLUSTER", "MYID"});
        return reply ? reply->text : QByteArray();
    }
    int nodeAt(const QByteArray& address) const override {
        const QByteArray name = address.split(':').first();
        return name.startsWith("redis-") ? name.sliced(6).toInt() - 1 : -1;
    }

private:
    static sim::RedisService::Settings settings() {
        auto all = tests::SimulatedGroup::settings(kNodes - 1);
        all.shape = sim::RedisShape::Cluster;
        all.cluster.nodeTimeout = kNodeTimeout;
        return all;
    }
};

} // namespace lockscope::differential
