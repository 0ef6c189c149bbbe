// SPDX-License-Identifier: Apache-2.0
#include "trace/connection.h"

#include <algorithm>
#include <set>

namespace lockscope::trace {

EntityId internConnection(Trace& trace, const QByteArray& name, const QByteArray& url) {
    Q_ASSERT(!url.isEmpty());
    return trace.intern(EntityKind::Text, name, kNoEntity, trace.text(url));
}

bool isConnection(const Trace& trace, EntityId id) {
    const Entity& e = trace.entity(id);
    return e.kind == EntityKind::Text && e.other != kNoEntity;
}

EntityId connectionOf(const Trace& trace, EntityId id) {
    // At most thread or resource, lock, node, connection: a damaged recording may hold entities that are their own
    // parents.
    constexpr int kMostSteps = 4;
    for (int step = 0; step < kMostSteps && id != kNoEntity && id < trace.entityCount(); ++step) {
        if (isConnection(trace, id)) return id;
        id = trace.entity(id).parent;
    }
    return kNoEntity;
}

QByteArray urlOfConnection(const Trace& trace, EntityId connection) {
    if (!isConnection(trace, connection)) return {};
    const EntityId url = trace.entity(connection).other;
    return url < trace.entityCount() ? trace.entity(url).name : QByteArray();
}

std::vector<EntityId> serversAmong(const Trace& trace, const std::vector<EntityId>& nodes) {
    std::set<EntityId> groups;
    for (const EntityId node : nodes)
        groups.insert(trace.entity(node).other);
    std::vector<EntityId> servers;
    std::ranges::copy_if(nodes, std::back_inserter(servers), [&](EntityId node) { return !groups.contains(node); });
    return servers;
}

std::vector<EntityId> connectionsOf(const Trace& trace, const std::vector<EntityId>& nodes) {
    std::vector<EntityId> found;
    for (const EntityId node : nodes) {
        const EntityId connection = connectionOf(trace, node);
        if (connection != kNoEntity && std::ranges::find(found, connection) == found.end()) found.push_back(connection);
    }
    return found;
}

} // namespace lockscope::trace
