// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

namespace lockscope::trace {

class Trace;

/// The server that decides from the instant of this RecordFreed on, if its lock ended only because that server does not
/// know it: the one that decided before may run on, and still have it. kNoEntity: the lock ended otherwise.
EntityId newDeciderAt(const Event& freed, const Trace& trace);

} // namespace lockscope::trace
