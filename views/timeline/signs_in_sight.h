// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/legend.h"
#include "timeline/scene.h"

#include <set>

namespace lockscope::views {

/// The signs that this picture shows, so that a legend with little room explains those first. The caller holds the
/// data's mutex.
std::set<LegendSign> signsInSight(const TimelineScene& scene);

} // namespace lockscope::views
