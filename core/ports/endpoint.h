// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"

#include <optional>

namespace lockscope {

/// The address that a server or a program wrote, not a person: "10.0.0.5:6379", "[::1]:6379", and as Redis writes IPv6,
/// "::1:6379". The host is empty in ":6379" (a server that means itself). nullopt: no port from 0 to 65535 at its end.
std::optional<Endpoint> endpointOf(QStringView address);

} // namespace lockscope
