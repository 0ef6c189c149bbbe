// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/zookeeper/tree.h"

namespace lockscope::sim {

/// The watches of one server's connections. Each fires once.
class ZkWatches {
public:
    using Connection = std::uint64_t;

    void addData(Connection connection, const QByteArray& path) { m_data.add(connection, path); }
    void addChildren(Connection connection, const QByteArray& path) { m_children.add(connection, path); }
    /// The connections to tell of an event, in order; their watches are gone. One that watches a node's data and its
    /// children is told once of the node's removal.
    std::set<Connection> take(const ZkEvent& event, ZkTree::Concerns watches);
    void forget(Connection connection);

private:
    struct Table {
        std::map<QByteArray, std::set<Connection>> byPath;
        std::map<Connection, std::set<QByteArray>> byConnection;
        void add(Connection connection, const QByteArray& path);
        std::set<Connection> take(const QByteArray& path);
        void forget(Connection connection);
    };
    Table m_data, m_children;
};

} // namespace lockscope::sim
