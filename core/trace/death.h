// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

namespace lockscope::trace {

/// Event::value of a NodeKilled whose machine lost its power: what had not left the process, or its memory, is lost.
/// 0: the process alone was killed.
inline constexpr std::int64_t kPowerLost = 1;
/// Whether this row tells that a server's machine lost its power.
constexpr bool isCrash(const Event& event) {
    return event.kind == EventKind::NodeKilled && event.value == kPowerLost;
}

/// A bit of Event::flags with Reply: no answer of the process, which is dead. Its machine refuses the message.
inline constexpr std::uint8_t kRefusal = 0x01;
/// Whether this row tells that a machine refused a message.
constexpr bool isRefusal(const Event& event) {
    return event.kind == EventKind::Reply && (event.flags & kRefusal) != 0;
}

} // namespace lockscope::trace
