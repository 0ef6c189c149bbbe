// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/reply.h"

#include <expected>

namespace lockscope::sim::redisd {

/// The content of a script's first line that starts with "#!".
struct Shebang {
    qsizetype length = 0;  ///< bytes before the line's end, which are no Lua
    bool present = false;  ///< then what it does not say is no
    bool noWrites = false; ///< the script promises to write nothing
};

/// The error is the reply.
std::expected<Shebang, redis::Reply> readShebang(const QByteArray& script);

} // namespace lockscope::sim::redisd
