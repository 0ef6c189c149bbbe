// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/record.h"

namespace lockscope::trace {
class Trace;
}

namespace lockscope::views {

class ViewContext;
struct LockFacts;

/// Whether the owner of a watched lock's record was seen to take it; else it may have held it before the first look.
bool seenToBegin(trace::EntityId lock, const trace::Record& record, const trace::Trace& trace);
/// The last instant up to the playhead at which it was known how it stands with a lock: the playhead, but for a server
/// that tells of no change by itself the last look at it.
Nanos knownUntil(trace::EntityId lock, const ViewContext& context);
/// Counts how long a lock is held to that instant only, where it lies well before the playhead.
void countToLastLook(LockFacts& facts, const ViewContext& context);

} // namespace lockscope::views
