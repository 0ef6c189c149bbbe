// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/trace_feed.h"
#include "scenario/scenario.h"
#include "sim/service.h"

namespace lockscope::sim {

/// The data that a service is made of.
struct ServicePlan {
    Grounds grounds;
    const scenario::Scenario& scenario;
    const scenario::ServiceSpec& spec;
    const std::vector<scenario::NodeSpec>& nodes; ///< the servers of this service
    std::uint64_t seed;
    inspect::TraceFeed::Resolver owner; ///< names the thread behind what a server says of a holder
};

/// How long a client that is dead keeps a lock of that lease at most, on servers of that spec, as long as enough of
/// them are there. Precondition: `simulates()` its kind.
Nanos longestHold(const scenario::ServiceSpec& spec, Nanos lease);
/// The silence after which its servers end a client's session, and all that it holds; 0: it has no such sessions.
Nanos sessionTimeout(const scenario::ServiceSpec& spec, Nanos lease);
/// Makes a service of its spec's kind. Precondition: `simulates()` that kind.
std::unique_ptr<Service> makeService(const ServicePlan& plan);
/// Whether servers of that kind can be simulated.
bool simulates(const QString& kind);

} // namespace lockscope::sim
