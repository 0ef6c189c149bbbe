// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

namespace lockscope {

/// How a lock is held.
struct LockOptions {
    /// What the server grants at a time; > 0, whole milliseconds.
    Nanos lease = 30s;
    /// Renewal period while held, 0 = no watchdog. A third of the lease leaves two more tries before it ends.
    Nanos watchdog = 10s;
    /// Give the lock up by this client's own monotonic clock when its lease has passed unrenewed. Off only to show what
    /// happens to clients that do not look.
    bool honourDeadline = true;
    /// Take a fencing token with each grant, where the recipe can give one.
    bool token = false;
};

} // namespace lockscope
