// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/alert_watch.h"

namespace lockscope::inspect {

/// Gives an alert of a lock the words for a time in which its server is out of sight: as of the last look, at `wallMs`
/// in ms since 1970. The words of what has happened stay: they are true whatever the lock is now.
void tellAsLastSeen(Alert& alert, std::int64_t wallMs);

/// Which of several servers cannot be read, why, and what that means for their locks: a few sentences.
QString partTroubleIn(const LockReport& report);

} // namespace lockscope::inspect
