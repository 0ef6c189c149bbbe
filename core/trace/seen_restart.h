// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

namespace lockscope::trace {

/// Flag of NodeKilled: nobody saw the server end; a later look found another process in its place. NodeStarted follows.
inline constexpr std::uint8_t kSeenRestart = 0x01;
constexpr bool isSeenRestart(const Event& event) {
    return event.kind == EventKind::NodeKilled && (event.flags & kSeenRestart) != 0;
}

} // namespace lockscope::trace
