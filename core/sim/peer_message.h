// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/server.h"

namespace lockscope::sim {

/// Writes a row about a message that leaves a server for another one now. `arrival`: nullopt, it is lost. `what`: what
/// it is for, a word or two; lives as long as the program. Only messages that say something of a lock or of an election
/// are worth a row: heartbeats are many, and tell nothing.
void tellMessage(const Grounds& grounds, Party from, Party to, std::optional<Nanos> arrival, const char* what);

} // namespace lockscope::sim
