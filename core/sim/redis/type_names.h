// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/redis/values.h"

namespace lockscope::sim::redisd {

/// TYPE's answer: "string", "hash", "zset", "list".
const char* typeName(const Value& value);

/// OBJECT ENCODING's answer for a value of this size, with the default limits. A real server does not convert back when
/// a value shrinks; this function does not know the value's past.
QByteArray encodingName(const Value& value);

} // namespace lockscope::sim::redisd
