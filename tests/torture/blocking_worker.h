// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "fighter.h"

namespace lockscope::torture {

/// A process whose threads are the system's, and block in lock(). Does the task, without an event loop that anybody
/// runs; what the process is to end with.
int liveBlocking(Fighter& fighter);

} // namespace lockscope::torture
