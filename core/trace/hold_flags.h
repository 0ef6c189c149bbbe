// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace lockscope::trace {

/// A bit of Event::flags with RecordHeld, beside its HoldMode, where a server is watched: the look before saw
/// everything, and not this hold. Without it, a hold that is the first one seen of its lock may have begun long before.
inline constexpr std::uint8_t kSeenToBegin = 0x10;

} // namespace lockscope::trace
