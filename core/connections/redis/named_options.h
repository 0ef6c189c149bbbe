// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/options.h"

#include <algorithm>

namespace lockscope::redis {

/// The options of a lock client's connections. They are named after its identity, "lockscope:IDENTITY", so that CLIENT
/// LIST tells where the holder of a lock is. An identity with letters that such a name cannot have is left out.
inline DriverOptions namedAfter(const QByteArray& identity) {
    DriverOptions options;
    const bool fits = std::ranges::all_of(identity, [](char c) { return c >= '!' && c <= '~'; });
    if (fits && !identity.isEmpty()) options.clientName += ':' + identity;
    return options;
}

} // namespace lockscope::redis
