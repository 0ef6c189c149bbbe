// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/service_spec.h"

namespace lockscope::scenario {

/// Why no answer of this server ever waits for a disk, as a sentence: it writes nothing there. Empty: some do.
/// `service` is the one that it belongs to; a Sentinel's has the kind "sentinel".
QString diskRefusal(const ServiceSpec& service, const QString& server);
/// As above, of one of a scenario's servers.
QString diskRefusal(const std::vector<ServiceSpec>& services, const std::vector<NodeSpec>& nodes,
                    const QString& server);

} // namespace lockscope::scenario
