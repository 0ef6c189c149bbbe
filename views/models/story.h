// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

namespace lockscope::views {

/// The three truths at the playhead in words, for a reader who does not see the picture: "At 10.144 s. orders: C holds
/// it; on the server it is held by C, lease 4.1 s left; A still thinks it holds the lock; B waits; A is paused." Of
/// many locks the one in focus and some more are told, and how many there are besides; of many clients their number.
QString storyAtPlayhead(const ViewContext& context);
/// The part of storyAtPlayhead() that is about locks, without the instant and without the violation that goes on then.
/// Empty before anybody asked for a lock.
QString locksAtPlayhead(const ViewContext& context);
/// Why nobody got in twice when a leader or a master died the last time before the playhead; empty: none did while
/// somebody held a lock, or somebody got in.
QString whySafeUntilPlayhead(const ViewContext& context);

} // namespace lockscope::views
