// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/scene.h"

namespace lockscope::views {

/// The explanation of a violation, as far as this picture shows it.
QString violationSentence(const TimelineScene& scene, const verdict::Violation& violation);

} // namespace lockscope::views
