// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/statement.h"

namespace lockscope::sql {

/// One command for a connection.
struct Command {
    Statement statement;
    bool begin = false; ///< start a transaction with it, in the same round trip
    bool ends = false;  ///< the command ends the transaction
    /// The server's limit on waiting for locks; -1: its default; nullopt: unchanged, for a command that waits for none.
    std::optional<std::int64_t> lockWaitMs = std::nullopt;
};

} // namespace lockscope::sql
