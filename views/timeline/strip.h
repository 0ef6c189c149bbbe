// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/layout.h"

namespace lockscope::views {

/// Whether a lane of this height has room for one line of small words and no more.
inline bool isStrip(const TimelineMetrics& metrics, int laneHeight) {
    return laneHeight < metrics.px(17);
}

} // namespace lockscope::views
