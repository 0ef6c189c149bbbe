// SPDX-License-Identifier: Apache-2.0
#include "scenario/disk_refusal.h"

#include "scenario/failover_refusal.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::scenario {

namespace {
struct Words {
    Q_DECLARE_TR_FUNCTIONS(Faults)
};
} // namespace

QString diskRefusal(const ServiceSpec& service, const QString& server) {
    if (service.kind == QLatin1String("memcached"))
        return Words::tr("%1 keeps its data in memory only: it waits for no disk.").arg(server);
    if (service.kind == QLatin1String("sentinel"))
        return Words::tr("%1 is a Sentinel: it keeps no locks, and its model has no disk.").arg(server);
    if (service.kind != QLatin1String("redis") || service.persistence != ServiceSpec::Persistence::None) return {};
    return Words::tr("%1 writes nothing to its disk: its persistence is none.").arg(server);
}

QString diskRefusal(const std::vector<ServiceSpec>& services, const std::vector<NodeSpec>& nodes,
                    const QString& server) {
    ServiceSpec service = serviceHaving(services, nodes, server);
    const auto node = std::ranges::find(nodes, server, &NodeSpec::id);
    if (node != nodes.end()) service.kind = node->kind; // a Sentinel is one of a Redis service
    return diskRefusal(service, server);
}

} // namespace lockscope::scenario
