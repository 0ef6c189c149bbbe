// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state_difference.h"

namespace lockscope::trace {

/// Whether the Text of a ServerTold row says to which of several servers something happened, or which slots moved.
bool namesItsServer(const QByteArray& text);

/// Leaves out events of servers that are watched together where another one of `changes` tells the same by the address
/// of the server.
void leaveOutNameless(std::vector<Change>& changes, const Trace& trace);

} // namespace lockscope::trace
