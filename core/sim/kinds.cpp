// SPDX-License-Identifier: Apache-2.0
// The kinds of servers that can be simulated: one line each.
#include "sim/kinds.h"

#include "sim/redis_service.h"
#include "sim/zookeeper/service.h"

#include <algorithm>

namespace lockscope::sim {

namespace {

template <class S>
std::unique_ptr<Service> make(const ServicePlan& plan) {
    return std::make_unique<S>(plan.grounds, S::Settings::of(plan), plan.seed, plan.owner);
}

struct Kind {
    const char* id; ///< scenario::ServiceKind::id
    std::unique_ptr<Service> (*make)(const ServicePlan&);
};

constexpr Kind kKinds[] = {
    {"redis", make<RedisService>},
    {"zookeeper", make<ZkService>},
};

const Kind* find(const QString& kind) {
    const auto* const found =
        std::ranges::find_if(kKinds, [&](const Kind& known) { return kind == QLatin1String(known.id); });
    return found == std::end(kKinds) ? nullptr : found;
}

} // namespace

std::unique_ptr<Service> makeService(const ServicePlan& plan) {
    const Kind* const kind = find(plan.spec.kind);
    Q_ASSERT(kind);
    return kind->make(plan);
}

bool simulates(const QString& kind) {
    return find(kind) != nullptr;
}

} // namespace lockscope::sim
