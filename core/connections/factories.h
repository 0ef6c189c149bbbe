// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"

namespace lockscope {

/// A function that makes a connection: makeConnectionOver() for one kind of URL.
using ConnectionFactory = std::unique_ptr<Connection>(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                      QByteArray client);

// One per Service of Redis, in <name>_connection.cpp; those of other kinds are declared in make_connection.cpp.
ConnectionFactory makeRedisConnection, makeRedisSentinelConnection, makeRedisClusterConnection, makeRedlockConnection;
/// The one of these four that the URL asks for.
ConnectionFactory makeRedisKindConnection;

} // namespace lockscope
