// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/watches.h"

namespace lockscope::sim {

void ZkWatches::Table::add(Connection connection, const QByteArray& path) {
    byPath[path].insert(connection);
    byConnection[connection].insert(path);
}

std::set<ZkWatches::Connection> ZkWatches::Table::take(const QByteArray& path) {
    auto watching = byPath.extract(path);
    if (watching.empty()) return {};
    for (const Connection connection : watching.mapped()) {
        const auto own = byConnection.find(connection);
        own->second.erase(path);
        if (own->second.empty()) byConnection.erase(own);
    }
    return std::move(watching.mapped());
}

void ZkWatches::Table::forget(Connection connection) {
    const auto own = byConnection.extract(connection);
    if (own.empty()) return;
    for (const QByteArray& path : own.mapped()) {
        const auto watching = byPath.find(path);
        watching->second.erase(connection);
        if (watching->second.empty()) byPath.erase(watching);
    }
}

std::set<ZkWatches::Connection> ZkWatches::take(const ZkEvent& event, ZkTree::Concerns watches) {
    std::set<Connection> told;
    if (watches != ZkTree::Concerns::Children) told = m_data.take(event.path);
    if (watches != ZkTree::Concerns::Data) told.merge(m_children.take(event.path));
    return told;
}

void ZkWatches::forget(Connection connection) {
    m_data.forget(connection);
    m_children.forget(connection);
}

} // namespace lockscope::sim
