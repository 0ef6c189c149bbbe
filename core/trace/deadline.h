// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace lockscope::trace {

/// What stands for a deadline in RecordHeld and RecordRenewed where there is no instant.
inline constexpr std::int64_t kNeverEnds = -1;   ///< the record has no end
inline constexpr std::int64_t kEndNotKnown = -2; ///< it may have one: its format does not say, or we may not look

} // namespace lockscope::trace
