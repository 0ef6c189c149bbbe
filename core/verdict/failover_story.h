// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/chronicle.h"

namespace lockscope::verdict {

/// How a lock was lost because another server decides its record now: read from the trace for explanations.
struct FailoverStory {
    trace::EntityId former = trace::kNoEntity; ///< the server that decided while the hold was granted
    std::optional<Nanos> killed;               ///< when it died; missing: it was replaced while it ran
    trace::EntityId next = trace::kNoEntity;   ///< the one that decides after it
    Nanos took{};                              ///< since when
    bool copied = false;                       ///< some other server had a copy of the hold by then
};

/// The change of deciding server that ended the hold of `c` and came before row `row`; nullopt: there was none, or the
/// server that took over had the hold.
std::optional<FailoverStory> failoverStoryOf(const Chronicle& c, trace::EntityId lock, std::size_t row,
                                             const trace::Trace& trace);

} // namespace lockscope::verdict
