// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/obstacle.h"

namespace lockscope::verdict {

/// Why no waiter gets the lock, or got it, where the violation is over: one or two sentences, never empty. `length`: of
/// the violation, by which instants are rounded. Translated.
QString obstacleText(const Obstacle& obstacle, const Violation& violation, Nanos length, const trace::Trace& trace);

} // namespace lockscope::verdict
