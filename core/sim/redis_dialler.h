// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/diallers.h"
#include "sim/redis_service.h"
#include "sim/redis_wire.h"

namespace lockscope::sim {

/// The diallers of one simulated client: an address leads to the simulated server of that name. Grounds and service
/// outlive them and all clients that they make.
Diallers simulatedDiallers(Grounds grounds, const RedisService& service, RedisWire::User user);

} // namespace lockscope::sim
