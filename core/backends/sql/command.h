// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/port.h"

namespace lockscope::sql {

/// One thing to do on a connection.
struct Command {
    Statement statement;
    bool begin = false; ///< in a transaction that begins with it, in the same round trip
    bool ends = false;  ///< it ends the transaction
    /// The server's limit on waiting for locks; -1: its own; nullopt: as it stands, for what waits for none.
    std::optional<std::int64_t> lockWaitMs = std::nullopt;
};

} // namespace lockscope::sql
