// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/ring_recording.h"

namespace lockscope::trace {

/// The end of a growing trace, as far back as it is known.
struct LastStretch {
    std::shared_ptr<const Trace> trace; ///< its time begins at 0 with the stretch
    Nanos length{};                     ///< that it tells of
    Nanos lacks{};                      ///< what of the wanted time is known no more
};

/// The last `wanted` of `trace`. A watch's trace may have lost its beginning: then the recording that goes on beside it
/// is read, too. `ring` records that trace and those that it went on from; nullptr: nothing does. Takes up to seconds.
LastStretch lastStretch(const std::shared_ptr<const Trace>& trace, Nanos wanted, const RingRecording* ring);

} // namespace lockscope::trace
