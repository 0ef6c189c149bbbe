// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/redis/values.h"

namespace lockscope::sim::redisd {

/// What TYPE answers: "string", "hash", "zset", "list".
const char* typeName(const Value& value);

/// What OBJECT ENCODING answers for a value of this size, with the default limits. A real server does not convert back
/// when a value shrinks, and this does not know what it was once.
QByteArray encodingName(const Value& value);

} // namespace lockscope::sim::redisd
