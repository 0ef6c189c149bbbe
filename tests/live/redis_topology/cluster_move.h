// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "live_redis.h"
#include "ports/redis/cluster_keys.h"
#include "sandbox/redis_cluster.h"

namespace lockscope::test {

/// The slot of a key on its way from its owner to the next of three nodes.
class ClusterMove {
public:
    using Nodes = std::vector<std::unique_ptr<redis::RedisDriver>>;
    ClusterMove(Runtime& runtime, sandbox::RedisCluster& cluster, Nodes& nodes, const QByteArray& key)
        : m_runtime(runtime), m_cluster(cluster), m_nodes(nodes), m_slot(QByteArray::number(redis::keySlot(key))) {
        const redis::Reply map = call(*m_nodes[0], {"CLUSTER", "SLOTS"}).value();
        for (const redis::Reply& range : map.items) {
            if (redis::keySlot(key) < range.items[0].integer || redis::keySlot(key) > range.items[1].integer) continue;
            for (int i = 0; i < m_cluster.count(); ++i)
                if (m_cluster.at(i).port() == range.items[2].items[1].integer) from = i;
        }
        to = (from + 1) % m_cluster.count();
    }
    QCoro::Task<redis::Result> order(int node, redis::Args args) {
        redis::Result result = co_await m_nodes[std::size_t(node)]->call(std::move(args));
        if (!result) qWarning("%s", qPrintable(result.error().message));
        co_return result;
    }
    QCoro::Task<> start() {
        const QByteArray source = m_cluster.id(from), target = m_cluster.id(to);
        co_await order(to, redis::argsOf("CLUSTER", "SETSLOT", m_slot, "IMPORTING", source));
        co_await order(from, redis::argsOf("CLUSTER", "SETSLOT", m_slot, "MIGRATING", target));
    }
    /// The keys that are there now; with `only`, those of them.
    QCoro::Task<> carry(QByteArrayList only = {}) {
        const redis::Result keys = co_await order(from, redis::argsOf("CLUSTER", "GETKEYSINSLOT", m_slot, "100"));
        const QByteArray port = QByteArray::number(m_cluster.at(to).port());
        for (const redis::Reply& key : keys->items)
            if (only.isEmpty() || only.contains(key.text))
                co_await order(from, redis::argsOf("MIGRATE", "127.0.0.1", port, key.text, "0", "1000"));
    }
    QCoro::Task<> finish() {
        const QByteArray target = m_cluster.id(to);
        co_await order(to, redis::argsOf("CLUSTER", "SETSLOT", m_slot, "NODE", target));
        co_await order(from, redis::argsOf("CLUSTER", "SETSLOT", m_slot, "NODE", target));
        const int third = 3 - from - to;
        co_await order(third, redis::argsOf("CLUSTER", "SETSLOT", m_slot, "NODE", target));
    }
    QCoro::Task<> all() {
        co_await start();
        co_await m_runtime.sleep(30ms); // others use the locks on half a slot meanwhile
        co_await carry();
        co_await m_runtime.sleep(30ms);
        co_await carry(); // a key that was made meanwhile, by one who had the old one locked
        co_await finish();
    }
    void begin() { run(start()); }
    void takeKeys(const QByteArrayList& only = {}) { run(carry(only)); }
    void end() { run(finish()); }
    int from = 0, to = 0;

private:
    Runtime& m_runtime;
    sandbox::RedisCluster& m_cluster;
    Nodes& m_nodes;
    QByteArray m_slot;
};

} // namespace lockscope::test
