// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

namespace lockscope::trace {

/// Whether this NodeDoubted ends a doubt without an answer of its node: at a promotion a Sentinel forgets all that it
/// knew of the group, and begins anew with its new master.
bool isForgotten(const Event& doubted, const Trace& trace);

} // namespace lockscope::trace
