// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace lockscope::trace {

/// Values for the deadline of RecordHeld and RecordRenewed when it is no instant.
inline constexpr std::int64_t kNeverEnds = -1;   ///< the record has no deadline
inline constexpr std::int64_t kEndNotKnown = -2; ///< unknown: its format does not say, or this user may not ask

} // namespace lockscope::trace
