// SPDX-License-Identifier: Apache-2.0
#include "scenario/failover_refusal.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::scenario {

namespace {
struct Words {
    Q_DECLARE_TR_FUNCTIONS(Faults)
};
} // namespace

QString failoverRefusal(const ServiceSpec& service, const QString& server) {
    if (service.kind == QLatin1String("zookeeper"))
        return Words::tr("%1 is a ZooKeeper server: the ensemble elects its leader by itself.").arg(server);
    if (service.kind == QLatin1String("sql") && service.nodes > 1) return {};
    if (service.kind == QLatin1String("sql"))
        return Words::tr("%1 is a database without a replica: nothing could replace it.").arg(server);
    if (service.kind == QLatin1String("memcached"))
        return Words::tr("%1 is a memcached: no other server replaces it, as they share nothing.").arg(server);
    if (service.kind == QLatin1String("etcd")) {
        if (service.nodes > 1) return {};
        return Words::tr("%1 is alone: there is no other member to hand over to.").arg(server);
    }
    if (service.shape == ServiceSpec::Shape::Cluster)
        return Words::tr("%1 is a server of a Redis Cluster: when a master is gone, the other masters elect one of its "
                         "replicas by themselves.")
            .arg(server);
    return service.sentinels > 0 ? QString() : Words::tr("There are no Sentinels to ask for a failover.");
}

ServiceSpec serviceHaving(const std::vector<ServiceSpec>& services, const std::vector<NodeSpec>& nodes,
                          const QString& server) {
    std::vector<NodeSpec> before;
    for (const ServiceSpec& service : services) {
        const std::vector<NodeSpec> own = serversOf(service, before);
        if (std::ranges::find(own, server, &NodeSpec::id) != own.end()) return service;
        before.insert(before.end(), own.begin(), own.end());
    }
    ServiceSpec service;
    const auto node = std::ranges::find(nodes, server, &NodeSpec::id);
    service.kind = node == nodes.end() ? QString() : node->kind;
    service.nodes = int(std::ranges::count(nodes, service.kind, &NodeSpec::kind));
    service.sentinels = int(std::ranges::count(nodes, QStringLiteral("sentinel"), &NodeSpec::kind));
    return service;
}

} // namespace lockscope::scenario
