// SPDX-License-Identifier: Apache-2.0
// The kinds of servers that can be simulated: one line each.
#include "sim/kinds.h"

#include "sim/etcd/service.h"
#include "sim/memcached/service.h"
#include "sim/redis_service.h"
#include "sim/sql/service.h"
#include "sim/zookeeper/service.h"

#include <algorithm>

namespace lockscope::sim {

namespace {

template <class S>
std::unique_ptr<Service> make(const ServicePlan& plan) {
    return std::make_unique<S>(plan.grounds, S::Settings::of(plan), plan.seed, plan.owner);
}

/// Where the server's clock keeps leases to the millisecond. A connection that holds a lock has no lease, but a waiter
/// that is kept for longer than one is worth a word.
Nanos leaseItself(const scenario::ServiceSpec&, Nanos lease) {
    return lease;
}

Nanos noSession(const scenario::ServiceSpec&, Nanos) {
    return Nanos(0);
}

struct Kind {
    const char* id; ///< scenario::ServiceKind::id
    std::unique_ptr<Service> (*make)(const ServicePlan&);
    Nanos (*longestHold)(const scenario::ServiceSpec&, Nanos lease);
    Nanos (*session)(const scenario::ServiceSpec&, Nanos lease);
};

constexpr Kind kKinds[] = {
    {"redis", make<RedisService>, leaseItself, noSession},
    {"zookeeper", make<ZkService>, ZkService::Settings::longestHold, ZkService::Settings::sessionOf},
    {"memcached", make<MemcachedService>, MemcachedService::Settings::longestHold, noSession},
    {"etcd", make<EtcdService>, EtcdService::Settings::longestHold, noSession},
    {"sql", make<SqlService>, leaseItself, noSession},
};

const Kind* find(const QString& kind) {
    const auto* const found =
        std::ranges::find_if(kKinds, [&](const Kind& known) { return kind == QLatin1String(known.id); });
    return found == std::end(kKinds) ? nullptr : found;
}

} // namespace

Nanos longestHold(const scenario::ServiceSpec& spec, Nanos lease) {
    const Kind* const kind = find(spec.kind);
    Q_ASSERT(kind);
    return kind->longestHold(spec, lease);
}

Nanos sessionTimeout(const scenario::ServiceSpec& spec, Nanos lease) {
    const Kind* const kind = find(spec.kind);
    Q_ASSERT(kind);
    return kind->session(spec, lease);
}

std::unique_ptr<Service> makeService(const ServicePlan& plan) {
    const Kind* const kind = find(plan.spec.kind);
    Q_ASSERT(kind);
    return kind->make(plan);
}

bool simulates(const QString& kind) {
    return find(kind) != nullptr;
}

} // namespace lockscope::sim
