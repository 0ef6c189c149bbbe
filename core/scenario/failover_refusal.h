// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/service_spec.h"

namespace lockscope::scenario {

/// Why nobody can ever be asked for a failover of this server, as a sentence: its kind has none, or its service has no
/// Sentinels or no second member. Empty: somebody can be asked, if the server decides and the others run. `service`
/// needs its kind, shape and number of servers and Sentinels only.
QString failoverRefusal(const ServiceSpec& service, const QString& server);

/// The service that a server belongs to, and the one that stands for it where a scenario names servers only. A service
/// with an empty kind: there is no such server.
ServiceSpec serviceHaving(const std::vector<ServiceSpec>& services, const std::vector<NodeSpec>& nodes,
                          const QString& server);

} // namespace lockscope::scenario
